//! Functions of i16 by 513 samples over all of its range, bit for bit TensorFlow Lite's `LUTLookup` of int16.
//! A unit is an element, read before it is written: all may work in place.

use super::fixed_point::{multiply, reciprocal_of_sqrt};
use super::unary::map;
use super::{Elements, Integer, Sink, Units};

/// A function of i16.
#[derive(Clone, Copy, Debug)]
pub struct Samples<'a> {
    /// Its value at every 128th integer, from the smallest on, and at the end.
    pub table: &'a [i16],
}

/// The reciprocal root of i16.
#[derive(Clone, Copy, Debug)]
pub struct Rsqrt {
    /// The argument's zero point.
    pub from: i32,
    /// Multiplier from 20 fractional bits to the result's scale.
    pub multiplier: i32,
    /// Its shift.
    pub shift: i32,
    /// The result's zero point.
    pub to: i32,
}

/// The root of i16.
#[derive(Clone, Copy, Debug)]
pub struct Sqrt {
    /// The argument's scale.
    pub from: f32,
    /// The result's scale.
    pub to: f32,
}

/// A smooth function, between its samples on the line that joins them.
pub fn samples_i16(p: &Samples<'_>, x: impl Elements<i16>, y: impl Sink<i16>, units: Units) {
    map(x, y, units, |x| between(p.table, x));
}

/// `1 / sqrt(x)`; the largest number where `x` is not positive (`RsqrtEvalQuantized`).
pub fn rsqrt_i16(p: &Rsqrt, x: impl Elements<i16>, y: impl Sink<i16>, units: Units) {
    map(x, y, units, |x: i16| {
        let x = i32::from(x).wrapping_sub(p.from);
        if x <= 0 {
            return i16::MAX;
        }
        let (multiplier, shift) = reciprocal_of_sqrt(x);
        let root = multiply(1, multiplier, shift + 20);
        i16::nearest(multiply(root, p.multiplier, p.shift).saturating_add(p.to))
    });
}

/// `sqrt(x)` rounded to zero, zero points 0 (`SqrtEvalQuantized`); nothing negative has one.
#[cfg(feature = "libm")]
#[allow(clippy::cast_possible_truncation, reason = "saturates")]
pub fn sqrt_i16(p: &Sqrt, x: impl Elements<i16>, y: impl Sink<i16>, units: Units) {
    map(x, y, units, |x: i16| (libm::sqrtf(p.from * f32::from(x)) / p.to) as i16);
}

/// A table of 513 entries over all of i16 at `x`, between its entries too.
#[inline(always)]
pub(super) fn between(table: &[i16], x: i16) -> i16 {
    let index = usize::from((x >> 7).wrapping_add(256).cast_unsigned());
    let (base, next) = (i32::from(table.at(index)), i32::from(table.at(index + 1)));
    i16::low(base + (((next - base) * i32::from(x & 0x7f) + 64) >> 7))
}
