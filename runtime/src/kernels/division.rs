//! Quotients and remainders of two tensors. Units and access as [`Broadcast`] says.

use super::arithmetic::{ArithmeticF32, MulInt, clamped};
use super::broadcast::{Broadcast, pairwise};
use super::fixed_point::{high_multiply, reciprocal_of_one_plus, rounding_shift_right};
use super::unary::bounded;
use super::{Elements, Integer, Sink, Units};

/// `a / b`.
pub fn div_f32(p: &ArithmeticF32, a: impl Elements<f32>, b: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
    pairwise(&p.pairs, a, b, y, units, |a, b| bounded(a / b, p.min, p.max));
}

/// `a / b`, the multiplier that from the quotient to the result's scale (`DivElementwise`).
/// A divisor that stands for zero gives the largest result of the sign of `a`.
pub fn div_i8(p: &MulInt, a: impl Elements<i8>, b: impl Elements<i8>, y: impl Sink<i8>, units: Units) {
    div_int(p, a, b, y, units);
}

/// As [`div_i8`].
pub fn div_u8(p: &MulInt, a: impl Elements<u8>, b: impl Elements<u8>, y: impl Sink<u8>, units: Units) {
    div_int(p, a, b, y, units);
}

/// As [`div_i8`].
pub fn div_i16(p: &MulInt, a: impl Elements<i16>, b: impl Elements<i16>, y: impl Sink<i16>, units: Units) {
    div_int(p, a, b, y, units);
}

#[inline(always)]
fn div_int<T: Integer>(p: &MulInt, a: impl Elements<T>, b: impl Elements<T>, y: impl Sink<T>, units: Units) {
    let [a_zero, b_zero] = p.arg_zero_points;
    pairwise(&p.pairs, a, b, y, units, |a: T, b: T| {
        let (a, b) = (a.into().wrapping_sub(a_zero), b.into().wrapping_sub(b_zero));
        let (a, b) = if b < 0 { (a.wrapping_neg(), b.wrapping_neg()) } else { (a, b) };
        if b == 0 {
            return clamped(a.signum().wrapping_mul(1 << 16).wrapping_add(p.zero_point), p.min, p.max);
        }
        // The divisor as 1..2 and a power of two; the reciprocal of the former with 31 fractional bits.
        let zeros = b.leading_zeros();
        let fraction = (b.cast_unsigned().wrapping_shl(zeros) & 0x7fff_ffff).cast_signed();
        let reciprocal = reciprocal_of_one_plus(fraction);
        let headroom = if a < 0 { (!a).leading_zeros() } else { a.leading_zeros() } - 1;
        let quotient = high_multiply(a.wrapping_shl(headroom), reciprocal);
        let shift = p.shift - (31 - zeros.cast_signed()) - headroom.cast_signed();
        let scaled = rounding_shift_right(high_multiply(quotient, p.multiplier), shift.min(0).unsigned_abs().min(31));
        clamped(scaled.wrapping_shl(shift.max(0).unsigned_abs()).wrapping_add(p.zero_point), p.min, p.max)
    });
}

/// The largest integer not above `a / b`.
#[cfg(feature = "libm")]
pub fn floor_div_f32(p: &Broadcast, a: impl Elements<f32>, b: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
    #[allow(clippy::cast_possible_truncation, reason = "as TensorFlow Lite rounds")]
    pairwise(p, a, b, y, units, |a, b| libm::floor(f64::from(a) / f64::from(b)) as f32);
}

/// What `a` is above the largest multiple of `b` not above it: of the sign of `b`.
#[cfg(feature = "libm")]
pub fn floor_mod_f32(p: &Broadcast, a: impl Elements<f32>, b: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
    pairwise(p, a, b, y, units, |a, b| {
        let rest = libm::fmodf(a, b);
        if rest != 0.0 && (b < 0.0) != (rest < 0.0) { rest + b } else { rest }
    });
}

/// `a / b` towards zero; 0 where `b` is 0.
pub fn div_i32(p: &Broadcast, a: impl Elements<i32>, b: impl Elements<i32>, y: impl Sink<i32>, units: Units) {
    pairwise(p, a, b, y, units, |a: i32, b| if b == 0 { 0 } else { a.wrapping_div(b) });
}

/// Declares the kernels of a function of integers, one for each type of elements.
macro_rules! of_integers {
    ($($doc:literal $function:ident: $($kernel:ident $element:ident),+;)+) => {$($(
        #[doc = $doc]
        pub fn $kernel(
            p: &Broadcast,
            a: impl Elements<$element>,
            b: impl Elements<$element>,
            y: impl Sink<$element>,
            units: Units,
        ) {
            pairwise(p, a, b, y, units, |a: $element, b| $element::low($function(a.into(), b.into())));
        }
    )+)+};
}

of_integers! {
    "The largest integer not above `a / b`; 0 where `b` is 0." floor_div:
        floor_div_i8 i8, floor_div_i16 i16, floor_div_i32 i32;
    "What `a` is above the largest multiple of `b` not above it: of the sign of `b`; 0 where `b` is 0." floor_mod:
        floor_mod_i8 i8, floor_mod_i16 i16, floor_mod_i32 i32;
}

#[inline(always)]
fn floor_div(a: i32, b: i32) -> i32 {
    if b == 0 {
        return 0;
    }
    let down = a.wrapping_rem(b) != 0 && (a < 0) != (b < 0);
    a.wrapping_div(b).wrapping_sub(i32::from(down))
}

#[inline(always)]
fn floor_mod(a: i32, b: i32) -> i32 {
    if b == 0 {
        return 0;
    }
    let rest = a.wrapping_rem(b);
    if rest != 0 && (rest < 0) != (b < 0) { rest.wrapping_add(b) } else { rest }
}
