//! Sums of i8 for machines, with one side brought to the common scale by a table.

use super::{Elements, Sink, Units, arch};

/// Parameters of [`add_table_i8`].
#[derive(Clone, Copy, Debug)]
pub struct AddTableI8<'a> {
    /// For each byte of `b`, its part of the sum and what the zero point of `a` subtracts, in steps of which 2^19 are
    /// one of `a`. With one of `a`, less than 2^30 in magnitude.
    pub table: &'a [i32],
    /// Multiplier from sums to results.
    pub multiplier: i32,
    /// How far results are shifted to the right, 1 to 20.
    pub shift: u32,
    /// The result's zero point.
    pub zero_point: i32,
    /// Lower bound of the result.
    pub min: i32,
    /// Upper bound of the result.
    pub max: i32,
}

/// `2^19 * a + table[b]`, scaled. A unit is an element; up to four pairs are read before their results are written, in
/// ascending order, so `y` may lie over an argument, or over both.
pub fn add_table_i8(p: &AddTableI8<'_>, a: impl Elements<i8>, b: impl Elements<i8>, y: impl Sink<i8>, units: Units) {
    let units = units.range();
    arch::add(p, a.part(units.clone()), b.part(units.clone()), y, units.start);
}
