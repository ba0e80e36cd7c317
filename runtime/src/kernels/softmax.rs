//! Softmax over the innermost dimension. A unit is a row, which may be computed in place where the result has
//! elements of the same size: each element is read for the last time just before it is written.

use super::fixed_point::{high_multiply, multiply, reciprocal_of_one_plus, rounding_shift_right};
use super::samples::between;
use super::{Elements, Integer, Sink, Units};

/// Rows of f32.
#[derive(Clone, Copy, Debug)]
pub struct Softmax {
    /// Elements in a row.
    pub width: usize,
    /// Factor of the exponents.
    pub beta: f32,
}

/// Rows of i8 or u8.
#[derive(Clone, Copy, Debug)]
pub struct SoftmaxI8<'a> {
    /// Elements in a row, at most 4095.
    pub width: usize,
    /// `exp(-beta * scale * d)` with 31 fractional bits for `d` = 0, 1, ..; zero beyond its end.
    pub exponentials: &'a [i32],
}

/// Rows of i16.
#[derive(Clone, Copy, Debug)]
pub struct SoftmaxI16<'a> {
    /// Elements in a row.
    pub width: usize,
    /// Multiplier of differences, to steps of 10 / 65535.
    pub multiplier: i32,
    /// Its shift.
    pub shift: i32,
    /// `exp(x)` for `x` in -10..=0, 15 fractional bits.
    pub exponentials: &'a [i16],
    /// `1 / (1 + x)` for `x` in 0..=1, 15 fractional bits.
    pub reciprocals: &'a [i16],
}

/// `exp(beta * x) / sum(exp(beta * x))` of each row.
#[cfg(feature = "libm")]
pub fn softmax_f32(p: &Softmax, x: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
    for unit in units {
        let start = unit * p.width;
        let row = start..start + p.width;
        let max = x.part(row.clone()).values().fold(f32::MIN, |max, x| if x > max { x } else { max });
        let mut sum = 0.0;
        for (i, x) in row.clone().zip(x.part(row.clone()).values()) {
            let exponential = libm::expf((x - max) * p.beta);
            y.put(i, exponential);
            sum += exponential;
        }
        for (i, exponential) in row.clone().zip(y.part(row.clone()).values()) {
            y.put(i, exponential / sum);
        }
    }
}

/// The same with a result of scale 1/256 and zero point -128, bit for bit as TFLite Micro.
#[inline(never)]
pub fn softmax_i8(p: &SoftmaxI8<'_>, x: impl Elements<i8>, y: impl Sink<i8>, units: Units) {
    softmax_byte(p, x, y, units);
}

/// The same of i8, with a result of i16, scale 1/65536 and zero point -32768.
pub fn softmax_i8_i16(p: &SoftmaxI8<'_>, x: impl Elements<i8>, y: impl Sink<i16>, units: Units) {
    softmax_byte(p, x, y, units);
}

/// The same of u8, with a result of scale 1/256 and zero point 0.
pub fn softmax_u8(p: &SoftmaxI8<'_>, x: impl Elements<u8>, y: impl Sink<u8>, units: Units) {
    softmax_byte(p, x, y, units);
}

/// The result has as many fractional bits as its type has bits, and counts from its least number.
#[inline(always)]
#[allow(clippy::cast_possible_truncation, reason = "elements of a few bytes")]
fn softmax_byte<X: Integer, Y: Integer>(p: &SoftmaxI8<'_>, x: impl Elements<X>, y: impl Sink<Y>, units: Units) {
    for unit in units {
        let start = unit * p.width;
        let row = start..start + p.width;
        let max: i32 = x.part(row.clone()).values().max().unwrap_or(X::MIN).into();
        let exponential = |x: X| p.exponentials.at((max - x.into()).unsigned_abs() as usize);
        // With 12 integer bits.
        let exponentials = x.part(row.clone()).values().map(|x| rounding_shift_right(exponential(x), 12));
        let sum = exponentials.fold(0, i32::wrapping_add);
        let zeros = sum.leading_zeros();
        // From 31 fractional bits and those of the reciprocal, which is of the sum without its 12 integer bits.
        let shift = (12 + 31 - 8 * size_of::<Y>() as u32).saturating_sub(zeros);
        let reciprocal = reciprocal_of_one_plus((sum.cast_unsigned().wrapping_shl(zeros) & 0x7fff_ffff).cast_signed());
        for (i, x) in row.clone().zip(x.part(row.clone()).values()) {
            let share = high_multiply(exponential(x), reciprocal);
            // From a sum of 512 on every share of 8 bits rounds to zero.
            let share = if shift > 31 { 0 } else { rounding_shift_right(share, shift) };
            y.put(i, Y::nearest(share.wrapping_add(Y::MIN.into())));
        }
    }
}

/// Softmax of i16 with a result of scale 1/32768, by tables, bit for bit as TFLite Micro.
pub fn softmax_i16(p: &SoftmaxI16<'_>, x: impl Elements<i16>, y: impl Sink<i16>, units: Units) {
    for unit in units {
        let start = unit * p.width;
        let row = start..start + p.width;
        let max = i32::from(x.part(row.clone()).values().max().unwrap_or(0));
        let mut sum = 0i32;
        for (i, x) in row.clone().zip(x.part(row.clone()).values()) {
            let below = multiply(i32::from(x) - max, p.multiplier, p.shift);
            let exponential = between(p.exponentials, i16::nearest(below.saturating_add(32767)));
            sum = sum.wrapping_add(exponential.into());
            y.put(i, exponential);
        }
        let zeros = sum.leading_zeros();
        // In 1..2 with 16 fractional bits.
        let shifted = ((i64::from(sum).wrapping_shl(zeros.saturating_sub(1))) + (1 << 13)) >> 14;
        let place = i32::try_from(shifted - (1 << 15) - (1 << 16)).unwrap_or(0);
        let reciprocal = i64::from(between(p.reciprocals, i16::nearest(place)));
        let shift = 31u32.saturating_sub(zeros);
        let half = 1i64.wrapping_shl(shift) >> 1;
        for (i, exponential) in row.clone().zip(y.part(row.clone()).values()) {
            let share = (i64::from(exponential) * reciprocal + half) >> shift;
            y.put(i, i16::nearest(i32::try_from(share).unwrap_or(0).max(0)));
        }
    }
}
