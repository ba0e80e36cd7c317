//! Sums, differences, products and extremes of two tensors. Units and access as [`Broadcast`] says.

#[cfg(any(waterline_arch = "dsp", waterline_arch = "mve"))]
use super::arch;
#[cfg(any(waterline_arch = "dsp", waterline_arch = "mve"))]
use super::broadcast::Run;
use super::broadcast::{Broadcast, pairwise};
use super::fixed_point::multiply;
use super::unary::bounded;
use super::{Elements, Integer, Sink, Units};

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

/// One side of a sum of integers.
#[derive(Clone, Copy, Debug)]
pub struct Term {
    /// Its zero point.
    pub zero_point: i32,
    /// Multiplier that brings it to the common scale.
    pub multiplier: i32,
    /// Shift that brings it to the common scale, not positive.
    pub shift: i32,
}

/// A sum, a difference or its square, of integers: both sides brought to a common scale of fine steps, then to that
/// of the result.
#[derive(Clone, Copy, Debug)]
pub struct AddInt {
    /// Which elements meet.
    pub pairs: Broadcast,
    /// How many bits finer the common steps are: 20 for integers of 8 bits, 15 for those of 16,
    /// 7 and 0 for squares.
    pub bits: u32,
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
    /// Lower bound of the result.
    pub min: i32,
    /// Upper bound of the result.
    pub max: i32,
}

/// A product of integers.
#[derive(Clone, Copy, Debug)]
pub struct MulInt {
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
    /// Lower bound of the result.
    pub min: i32,
    /// Upper bound of the result.
    pub max: i32,
}

/// `a + b`.
pub fn add_f32(p: &ArithmeticF32, a: impl Elements<f32>, b: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
    let (min, max) = (p.min, p.max);
    pairwise(&p.pairs, a, b, y, units, move |a, b| bounded(a + b, min, max));
}

/// `a - b`.
pub fn sub_f32(p: &ArithmeticF32, a: impl Elements<f32>, b: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
    let (min, max) = (p.min, p.max);
    pairwise(&p.pairs, a, b, y, units, move |a, b| bounded(a - b, min, max));
}

/// `a * b`.
pub fn mul_f32(p: &ArithmeticF32, a: impl Elements<f32>, b: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
    let (min, max) = (p.min, p.max);
    pairwise(&p.pairs, a, b, y, units, move |a, b| bounded(a * b, min, max));
}

/// `a` to the power of `b`.
#[cfg(feature = "libm")]
pub fn pow_f32(p: &Broadcast, a: impl Elements<f32>, b: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
    pairwise(p, a, b, y, units, libm::powf);
}

/// The square of `a - b`.
pub fn squared_difference_f32(
    p: &Broadcast,
    a: impl Elements<f32>,
    b: impl Elements<f32>,
    y: impl Sink<f32>,
    units: Units,
) {
    pairwise(p, a, b, y, units, |a, b| (a - b) * (a - b));
}

/// The square of `a - b`.
pub fn squared_difference_i8(p: &AddInt, a: impl Elements<i8>, b: impl Elements<i8>, y: impl Sink<i8>, units: Units) {
    sum(p, a, b, y, units, squared);
}

/// The square of `a - b`.
pub fn squared_difference_i16(
    p: &AddInt,
    a: impl Elements<i16>,
    b: impl Elements<i16>,
    y: impl Sink<i16>,
    units: Units,
) {
    sum(p, a, b, y, units, squared);
}

#[inline(always)]
fn squared(a: i32, b: i32) -> i32 {
    a.wrapping_sub(b).wrapping_mul(a.wrapping_sub(b))
}

/// The smaller of `a` and `b`.
pub fn minimum_f32(p: &Broadcast, a: impl Elements<f32>, b: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
    pairwise(p, a, b, y, units, |a, b| if a < b { a } else { b });
}

/// The larger of `a` and `b`.
pub fn maximum_f32(p: &Broadcast, a: impl Elements<f32>, b: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
    pairwise(p, a, b, y, units, |a, b| if a > b { a } else { b });
}

/// The smaller of `a` and `b`, of one quantisation.
pub fn minimum_i8(p: &Broadcast, a: impl Elements<i8>, b: impl Elements<i8>, y: impl Sink<i8>, units: Units) {
    pairwise(p, a, b, y, units, i8::min);
}

/// The smaller of `a` and `b`, of one quantisation.
pub fn minimum_u8(p: &Broadcast, a: impl Elements<u8>, b: impl Elements<u8>, y: impl Sink<u8>, units: Units) {
    pairwise(p, a, b, y, units, u8::min);
}

/// The smaller of `a` and `b`, of one quantisation.
pub fn minimum_i16(p: &Broadcast, a: impl Elements<i16>, b: impl Elements<i16>, y: impl Sink<i16>, units: Units) {
    pairwise(p, a, b, y, units, i16::min);
}

/// The larger of `a` and `b`, of one quantisation.
pub fn maximum_i8(p: &Broadcast, a: impl Elements<i8>, b: impl Elements<i8>, y: impl Sink<i8>, units: Units) {
    pairwise(p, a, b, y, units, i8::max);
}

/// The larger of `a` and `b`, of one quantisation.
pub fn maximum_u8(p: &Broadcast, a: impl Elements<u8>, b: impl Elements<u8>, y: impl Sink<u8>, units: Units) {
    pairwise(p, a, b, y, units, u8::max);
}

/// The larger of `a` and `b`, of one quantisation.
pub fn maximum_i16(p: &Broadcast, a: impl Elements<i16>, b: impl Elements<i16>, y: impl Sink<i16>, units: Units) {
    pairwise(p, a, b, y, units, i16::max);
}

/// `a + b`.
pub fn add_i8(p: &AddInt, a: impl Elements<i8>, b: impl Elements<i8>, y: impl Sink<i8>, units: Units) {
    sum(p, a, b, y, units, i32::wrapping_add);
}

/// `a + b`.
pub fn add_u8(p: &AddInt, a: impl Elements<u8>, b: impl Elements<u8>, y: impl Sink<u8>, units: Units) {
    sum(p, a, b, y, units, i32::wrapping_add);
}

/// `a + b`.
pub fn add_i16(p: &AddInt, a: impl Elements<i16>, b: impl Elements<i16>, y: impl Sink<i16>, units: Units) {
    sum(p, a, b, y, units, i32::wrapping_add);
}

/// `a - b`.
pub fn sub_i8(p: &AddInt, a: impl Elements<i8>, b: impl Elements<i8>, y: impl Sink<i8>, units: Units) {
    sum(p, a, b, y, units, i32::wrapping_sub);
}

/// `a - b`.
pub fn sub_u8(p: &AddInt, a: impl Elements<u8>, b: impl Elements<u8>, y: impl Sink<u8>, units: Units) {
    sum(p, a, b, y, units, i32::wrapping_sub);
}

/// `a - b`.
pub fn sub_i16(p: &AddInt, a: impl Elements<i16>, b: impl Elements<i16>, y: impl Sink<i16>, units: Units) {
    sum(p, a, b, y, units, i32::wrapping_sub);
}

/// `a * b`. Up to four pairs are read before their results are written.
#[inline(never)]
pub fn mul_i8(p: &MulInt, a: impl Elements<i8>, b: impl Elements<i8>, y: impl Sink<i8>, units: Units) {
    #[cfg(any(waterline_arch = "dsp", waterline_arch = "mve"))]
    if p.pairs.steps != [0, 0] && (-20..0).contains(&p.shift) {
        return p.pairs.runs(units, |run| packed_product(p, a, b, y, &run));
    }
    product(p, a, b, y, units);
}

/// The products of `run`. An element that serves all stands in copies for some of the others at a time.
#[cfg(any(waterline_arch = "dsp", waterline_arch = "mve"))]
#[inline(always)]
fn packed_product(p: &MulInt, a: impl Elements<i8>, b: impl Elements<i8>, y: impl Sink<i8>, run: &Run) {
    const COPIES: usize = 32;
    let ([a0, b0], [step_a, step_b], len) = (run.from, p.pairs.steps, run.to.len());
    if step_a == step_b {
        return arch::mul(p, a.part(a0..a0 + len), b.part(b0..b0 + len), y, run.to.start);
    }
    let copies = [if step_a == 0 { a.at(a0) } else { b.at(b0) }; COPIES];
    for at in (0..len).step_by(COPIES) {
        let (count, to) = (COPIES.min(len - at), run.to.start + at);
        let copies = (&copies[..]).part(0..count);
        if step_a == 0 {
            arch::mul(p, copies, b.part(b0 + at..b0 + at + count), y, to);
        } else {
            arch::mul(p, a.part(a0 + at..a0 + at + count), copies, y, to);
        }
    }
}

/// `a * b`.
pub fn mul_u8(p: &MulInt, a: impl Elements<u8>, b: impl Elements<u8>, y: impl Sink<u8>, units: Units) {
    product(p, a, b, y, units);
}

/// `a * b`.
pub fn mul_i16(p: &MulInt, a: impl Elements<i16>, b: impl Elements<i16>, y: impl Sink<i16>, units: Units) {
    product(p, a, b, y, units);
}

#[inline(always)]
fn sum<T: Integer>(
    p: &AddInt,
    a: impl Elements<T>,
    b: impl Elements<T>,
    y: impl Sink<T>,
    units: Units,
    sum: impl Fn(i32, i32) -> i32,
) {
    pairwise(&p.pairs, a, b, y, units, |a, b| {
        let sum = sum(p.a.scaled(a.into(), p.bits), p.b.scaled(b.into(), p.bits));
        clamped(multiply(sum, p.multiplier, p.shift).wrapping_add(p.zero_point), p.min, p.max)
    });
}

#[inline(always)]
fn product<T: Integer>(p: &MulInt, a: impl Elements<T>, b: impl Elements<T>, y: impl Sink<T>, units: Units) {
    let [a_zero, b_zero] = p.arg_zero_points;
    pairwise(&p.pairs, a, b, y, units, |a: T, b: T| {
        let product = (a.into() - a_zero).wrapping_mul(b.into() - b_zero);
        clamped(multiply(product, p.multiplier, p.shift).wrapping_add(p.zero_point), p.min, p.max)
    });
}

impl Term {
    #[inline(always)]
    pub(super) fn scaled(&self, x: i32, bits: u32) -> i32 {
        multiply((x - self.zero_point).wrapping_shl(bits), self.multiplier, self.shift)
    }
}

/// `x` between two bounds, which lie in the range of the type.
#[inline(always)]
pub(super) fn clamped<T: Integer>(x: i32, min: i32, max: i32) -> T {
    T::low(x.max(min).min(max))
}
