//! Rows divided by their length.

use super::fixed_point::{multiply, reciprocal_of_sqrt};
use super::{Elements, Sink};
use core::ops::Range;

/// Rows of f32.
#[derive(Clone, Copy, Debug)]
pub struct L2Normalize {
    /// Elements in a row.
    pub width: usize,
}

/// Rows of i8.
#[derive(Clone, Copy, Debug)]
pub struct L2NormalizeI8 {
    /// Elements in a row.
    pub width: usize,
    /// The argument's zero point.
    pub zero_point: i32,
}

/// `x / max(sqrt(sum(x * x)), 1e-6)` of each row, which is a unit and may be computed in place.
#[cfg(feature = "libm")]
pub fn l2_normalize_f32(p: &L2Normalize, x: impl Elements<f32>, y: impl Sink<f32>, units: Range<usize>) {
    for unit in units {
        let start = unit * p.width;
        let row = x.part(start..start + p.width);
        let length = libm::sqrtf(row.values().fold(0.0, |sum, x| sum + x * x));
        let length = if length < 1e-6 { 1e-6 } else { length };
        for (i, x) in row.values().enumerate() {
            y.put(start + i, x / length);
        }
    }
}

/// The same of scale 1/128 and zero point 0. A unit as that of [`l2_normalize_f32`].
#[allow(clippy::cast_possible_truncation, reason = "clamped")]
pub fn l2_normalize_i8(p: &L2NormalizeI8, x: impl Elements<i8>, y: impl Sink<i8>, units: Range<usize>) {
    for unit in units {
        let start = unit * p.width;
        let row = x.part(start..start + p.width);
        let real = |x: i8| i32::from(x) - p.zero_point;
        let (multiplier, shift) =
            reciprocal_of_sqrt(row.values().fold(0, |sum: i32, x| sum.wrapping_add(real(x) * real(x))));
        for (i, x) in row.values().enumerate() {
            y.put(start + i, multiply(real(x), multiplier, shift + 7).clamp(-128, 127) as i8);
        }
    }
}
