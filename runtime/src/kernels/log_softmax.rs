//! The logarithms of softmax, row by row.

use super::fixed_point::{log, multiply, rounding_shift_right};
use super::integer::Byte;
use super::{Elements, Sink, Units};

/// Rows of f32.
#[derive(Clone, Copy, Debug)]
pub struct LogSoftmax {
    /// Elements in a row.
    pub width: usize,
}

/// Rows of i8 or u8.
#[derive(Clone, Copy, Debug)]
pub struct LogSoftmaxI8<'a> {
    /// Elements in a row.
    pub width: usize,
    /// `exp(-d)` with 31 fractional bits, for distances `d` from the largest element.
    pub exponentials: &'a [i32],
    /// Multiplier that brings distances to five integer bits.
    pub multiplier: i32,
    /// Its shift.
    pub shift: i32,
    /// Multiplier that brings five integer bits to distances.
    pub back_multiplier: i32,
    /// Its shift.
    pub back_shift: i32,
    /// The least distance, negative, that is still computed with.
    pub least: i32,
}

/// `x - max - log(sum(exp(x - max)))` of each row, which is a unit and may be computed in place.
#[cfg(feature = "libm")]
pub fn log_softmax_f32(p: &LogSoftmax, x: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
    for unit in units {
        let start = unit * p.width;
        let row = x.part(start..start + p.width);
        let max = row.values().fold(f32::MIN, |a, b| if b > a { b } else { a });
        let sum = row.values().map(|x| libm::expf(x - max)).fold(0.0, |sum, x| sum + x);
        let log = libm::logf(sum);
        for (i, x) in row.values().enumerate() {
            y.put(start + i, x - max - log);
        }
    }
}

/// The same of scale 1/16 and zero point 127 (`LogSoftmaxQuantized`). A unit as that of [`log_softmax_f32`].
pub fn log_softmax_i8(p: &LogSoftmaxI8<'_>, x: impl Elements<i8>, y: impl Sink<i8>, units: Units) {
    rows(p, x, y, units, 127);
}

/// The same of zero point 255.
pub fn log_softmax_u8(p: &LogSoftmaxI8<'_>, x: impl Elements<u8>, y: impl Sink<u8>, units: Units) {
    rows(p, x, y, units, 255);
}

#[inline(always)]
fn rows<T: Byte>(p: &LogSoftmaxI8<'_>, x: impl Elements<T>, y: impl Sink<T>, units: Units, zero_point: i32) {
    for unit in units {
        let start = unit * p.width;
        let row = x.part(start..start + p.width);
        let max: i32 = row.values().max().unwrap_or(T::MIN).into();
        let exponential = |x: T| p.exponentials.at((max - x.into()).unsigned_abs() as usize);
        // With 12 integer bits.
        let exponentials = row.values().map(|x| rounding_shift_right(exponential(x), 12));
        let log = log(exponentials.fold(0, i32::wrapping_add));
        let farthest = multiply(log.wrapping_add(i32::MIN), p.back_multiplier, p.back_shift);
        let least = farthest.max(p.least - 1);
        for (i, x) in row.values().enumerate() {
            let distance = x.into() - max;
            let result = if distance > least {
                let distance = multiply(distance, p.multiplier, p.shift);
                T::nearest(rounding_shift_right(distance.wrapping_sub(log), 22).wrapping_add(zero_point))
            } else {
                T::MIN
            };
            y.put(start + i, result);
        }
    }
}
