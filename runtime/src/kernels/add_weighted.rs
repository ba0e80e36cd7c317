//! Sums and differences of i8 for machines, as weighted sums.

use super::{Elements, Sink, Units, arch};

/// Parameters of [`add_weighted_i8`].
#[derive(Clone, Copy, Debug)]
pub struct AddWeightedI8 {
    /// What the elements of each argument count, in 2^-28 of a step of the result.
    pub weights: [i32; 2],
    /// What is added to them, in 2^-20 of a step. No sum leaves 32 bits.
    pub offset: i32,
    /// Lower bound of the result.
    pub min: i32,
    /// Upper bound of the result.
    pub max: i32,
}

/// `weights[0] * a + weights[1] * b + offset`, whose products are rounded down to 2^-20 of a step and the sum to a
/// step. A unit is an element; up to four pairs are read before their results are written, in ascending order, so `y`
/// may lie over an argument, or over both.
#[inline(never)]
pub fn add_weighted_i8(p: &AddWeightedI8, a: impl Elements<i8>, b: impl Elements<i8>, y: impl Sink<i8>, units: Units) {
    let units = units.range();
    arch::add(p, a.part(units.clone()), b.part(units.clone()), y, units.start);
}
