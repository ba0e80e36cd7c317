//! Sums, differences, products and extremes of two tensors. Units and access as [`Broadcast`] says.

use super::broadcast::{Broadcast, pairwise};
use super::fixed_point::multiply;
use super::unary::bounded;
use super::{Elements, Sink};
use core::ops::Range;

/// Arithmetic of f32 with an activation.
#[derive(Clone, Copy, Debug)]
pub struct ArithmeticF32 {
    /// Which elements meet.
    pub pairs: Broadcast,
    /// Lower bound of the result.
    pub min: f32,
    /// Upper bound of the result.
    pub max: f32,
}

/// One side of a sum of i8.
#[derive(Clone, Copy, Debug)]
pub struct Term {
    /// Its zero point.
    pub zero_point: i32,
    /// Multiplier that brings it to the common scale.
    pub multiplier: i32,
    /// Shift that brings it to the common scale, not positive.
    pub shift: i32,
}

/// A sum or difference of i8: both sides brought to a common scale of 2^-20 steps, then to that of the result.
#[derive(Clone, Copy, Debug)]
pub struct AddI8 {
    /// Which elements meet.
    pub pairs: Broadcast,
    /// The first argument.
    pub a: Term,
    /// The second argument.
    pub b: Term,
    /// Multiplier from the common scale to the result's.
    pub multiplier: i32,
    /// Shift from the common scale to the result's.
    pub shift: i32,
    /// The result's zero point.
    pub zero_point: i32,
    /// Lower bound of the result, in -128..=127.
    pub min: i32,
    /// Upper bound of the result, in -128..=127.
    pub max: i32,
}

/// A product of i8.
#[derive(Clone, Copy, Debug)]
pub struct MulI8 {
    /// Which elements meet.
    pub pairs: Broadcast,
    /// The zero points of both arguments.
    pub arg_zero_points: [i32; 2],
    /// Multiplier from the product to the result's scale.
    pub multiplier: i32,
    /// Shift from the product to the result's scale.
    pub shift: i32,
    /// The result's zero point.
    pub zero_point: i32,
    /// Lower bound of the result, in -128..=127.
    pub min: i32,
    /// Upper bound of the result, in -128..=127.
    pub max: i32,
}

/// `a + b`.
pub fn add_f32(
    p: &ArithmeticF32,
    a: impl Elements<f32>,
    b: impl Elements<f32>,
    y: impl Sink<f32>,
    units: Range<usize>,
) {
    pairwise(&p.pairs, a, b, y, units, |a, b| bounded(a + b, p.min, p.max));
}

/// `a - b`.
pub fn sub_f32(
    p: &ArithmeticF32,
    a: impl Elements<f32>,
    b: impl Elements<f32>,
    y: impl Sink<f32>,
    units: Range<usize>,
) {
    pairwise(&p.pairs, a, b, y, units, |a, b| bounded(a - b, p.min, p.max));
}

/// `a * b`.
pub fn mul_f32(
    p: &ArithmeticF32,
    a: impl Elements<f32>,
    b: impl Elements<f32>,
    y: impl Sink<f32>,
    units: Range<usize>,
) {
    pairwise(&p.pairs, a, b, y, units, |a, b| bounded(a * b, p.min, p.max));
}

/// The smaller of `a` and `b`.
pub fn minimum_f32(
    p: &Broadcast,
    a: impl Elements<f32>,
    b: impl Elements<f32>,
    y: impl Sink<f32>,
    units: Range<usize>,
) {
    pairwise(p, a, b, y, units, |a, b| if a < b { a } else { b });
}

/// The larger of `a` and `b`.
pub fn maximum_f32(
    p: &Broadcast,
    a: impl Elements<f32>,
    b: impl Elements<f32>,
    y: impl Sink<f32>,
    units: Range<usize>,
) {
    pairwise(p, a, b, y, units, |a, b| if a > b { a } else { b });
}

/// The smaller of `a` and `b`, of one quantisation.
pub fn minimum_i8(p: &Broadcast, a: impl Elements<i8>, b: impl Elements<i8>, y: impl Sink<i8>, units: Range<usize>) {
    pairwise(p, a, b, y, units, i8::min);
}

/// The larger of `a` and `b`, of one quantisation.
pub fn maximum_i8(p: &Broadcast, a: impl Elements<i8>, b: impl Elements<i8>, y: impl Sink<i8>, units: Range<usize>) {
    pairwise(p, a, b, y, units, i8::max);
}

/// `a + b`.
pub fn add_i8(p: &AddI8, a: impl Elements<i8>, b: impl Elements<i8>, y: impl Sink<i8>, units: Range<usize>) {
    pairwise(&p.pairs, a, b, y, units, |a, b| p.result(p.a.scaled(a).wrapping_add(p.b.scaled(b))));
}

/// `a - b`.
pub fn sub_i8(p: &AddI8, a: impl Elements<i8>, b: impl Elements<i8>, y: impl Sink<i8>, units: Range<usize>) {
    pairwise(&p.pairs, a, b, y, units, |a, b| p.result(p.a.scaled(a).wrapping_sub(p.b.scaled(b))));
}

/// `a * b`.
pub fn mul_i8(p: &MulI8, a: impl Elements<i8>, b: impl Elements<i8>, y: impl Sink<i8>, units: Range<usize>) {
    let [a_zero, b_zero] = p.arg_zero_points;
    pairwise(&p.pairs, a, b, y, units, |a, b| {
        let product = (i32::from(a) - a_zero) * (i32::from(b) - b_zero);
        clamped(multiply(product, p.multiplier, p.shift).wrapping_add(p.zero_point), p.min, p.max)
    });
}

impl Term {
    #[inline(always)]
    fn scaled(&self, x: i8) -> i32 {
        multiply((i32::from(x) - self.zero_point) << 20, self.multiplier, self.shift)
    }
}

impl AddI8 {
    #[inline(always)]
    fn result(&self, sum: i32) -> i8 {
        clamped(multiply(sum, self.multiplier, self.shift).wrapping_add(self.zero_point), self.min, self.max)
    }
}

#[inline(always)]
#[allow(clippy::cast_possible_truncation, reason = "the bounds lie within i8")]
fn clamped(x: i32, min: i32, max: i32) -> i8 {
    x.max(min).min(max) as i8
}
