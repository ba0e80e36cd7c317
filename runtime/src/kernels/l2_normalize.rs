//! Rows divided by their length.

use super::fixed_point::{multiply, reciprocal_of_sqrt};
use super::{Elements, Integer, Sink, Units};

/// Rows of f32.
#[derive(Clone, Copy, Debug)]
pub struct L2Normalize {
    /// Elements in a row.
    pub width: usize,
}

/// Rows of i8 or u8.
#[derive(Clone, Copy, Debug)]
pub struct L2NormalizeInt {
    /// Elements in a row.
    pub width: usize,
    /// The argument's zero point.
    pub zero_point: i32,
}

/// `x / max(sqrt(sum(x * x)), 1e-6)` of each row, which is a unit and may be computed in place.
#[cfg(feature = "libm")]
pub fn l2_normalize_f32(p: &L2Normalize, x: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
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
pub fn l2_normalize_i8(p: &L2NormalizeInt, x: impl Elements<i8>, y: impl Sink<i8>, units: Units) {
    l2_normalize_int(p, x, y, units, |x, multiplier, shift| multiply(x, multiplier, shift + 7));
}

/// The same of scale 1/128 and zero point 128. A unit as that of [`l2_normalize_f32`].
pub fn l2_normalize_u8(p: &L2NormalizeInt, x: impl Elements<u8>, y: impl Sink<u8>, units: Units) {
    l2_normalize_int(p, x, y, units, |x, multiplier, shift| multiply(x << 7, multiplier, shift).saturating_add(128));
}

#[inline(always)]
fn l2_normalize_int<T: Integer>(
    p: &L2NormalizeInt,
    x: impl Elements<T>,
    y: impl Sink<T>,
    units: Units,
    f: impl Fn(i32, i32, i32) -> i32,
) {
    for unit in units {
        let start = unit * p.width;
        let row = x.part(start..start + p.width);
        let real = |x: T| x.into().wrapping_sub(p.zero_point);
        let square = |x: T| real(x).wrapping_mul(real(x));
        let (multiplier, shift) = reciprocal_of_sqrt(row.values().fold(0, |sum: i32, x| sum.wrapping_add(square(x))));
        for (i, x) in row.values().enumerate() {
            y.put(start + i, T::nearest(f(real(x), multiplier, shift)));
        }
    }
}
