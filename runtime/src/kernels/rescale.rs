//! Integers under another scale and zero point. A unit is an element, read before it is written.

use super::fixed_point::multiply;
use super::unary::map;
use super::{Elements, Integer, Sink, Units};

/// A factor on each side of zero: one changes the scale, two are a leaky relu.
#[derive(Clone, Copy, Debug)]
pub struct Rescale {
    /// The argument's zero point.
    pub from: i32,
    /// Multipliers of what is negative and of what is not.
    pub multipliers: [i32; 2],
    /// Their shifts.
    pub shifts: [i32; 2],
    /// The result's zero point.
    pub to: i32,
    /// Lower bound of the result.
    pub min: i32,
    /// Upper bound of the result.
    pub max: i32,
}

impl Rescale {
    /// What `x` becomes.
    #[inline(always)]
    #[must_use]
    pub fn value<X: Integer, Y: Integer>(&self, x: X) -> Y {
        let x = x.into().wrapping_sub(self.from);
        let ([below, above], [below_shift, above_shift]) = (self.multipliers, self.shifts);
        let scaled = if x < 0 { signed(x, below, below_shift) } else { signed(x, above, above_shift) };
        Y::low(scaled.saturating_add(self.to).max(self.min).min(self.max))
    }
}

/// As [`multiply`], by a multiplier that may be negative: that of a sign or of a slope.
#[inline(always)]
fn signed(x: i32, multiplier: i32, shift: i32) -> i32 {
    if multiplier < 0 {
        multiply(x.wrapping_neg(), multiplier.wrapping_neg(), shift)
    } else {
        multiply(x, multiplier, shift)
    }
}

/// From i16 to i16.
pub fn rescale_i16(p: &Rescale, x: impl Elements<i16>, y: impl Sink<i16>, units: Units) {
    map(x, y, units, |x: i16| p.value(x));
}

/// From i16 to i8.
pub fn rescale_i16_i8(p: &Rescale, x: impl Elements<i16>, y: impl Sink<i8>, units: Units) {
    map(x, y, units, |x: i16| p.value(x));
}

/// From i16 to u8.
pub fn rescale_i16_u8(p: &Rescale, x: impl Elements<i16>, y: impl Sink<u8>, units: Units) {
    map(x, y, units, |x: i16| p.value(x));
}

/// From i16 to i32.
pub fn rescale_i16_i32(p: &Rescale, x: impl Elements<i16>, y: impl Sink<i32>, units: Units) {
    map(x, y, units, |x: i16| p.value(x));
}

/// From i8 to i16.
pub fn rescale_i8_i16(p: &Rescale, x: impl Elements<i8>, y: impl Sink<i16>, units: Units) {
    map(x, y, units, |x: i8| p.value(x));
}

/// From i8 to i32.
pub fn rescale_i8_i32(p: &Rescale, x: impl Elements<i8>, y: impl Sink<i32>, units: Units) {
    map(x, y, units, |x: i8| p.value(x));
}

/// From u8 to i16.
pub fn rescale_u8_i16(p: &Rescale, x: impl Elements<u8>, y: impl Sink<i16>, units: Units) {
    map(x, y, units, |x: u8| p.value(x));
}

/// From u8 to i32.
pub fn rescale_u8_i32(p: &Rescale, x: impl Elements<u8>, y: impl Sink<i32>, units: Units) {
    map(x, y, units, |x: u8| p.value(x));
}

/// From i32 to i8.
pub fn rescale_i32_i8(p: &Rescale, x: impl Elements<i32>, y: impl Sink<i8>, units: Units) {
    map(x, y, units, |x: i32| p.value(x));
}

/// From i32 to u8.
pub fn rescale_i32_u8(p: &Rescale, x: impl Elements<i32>, y: impl Sink<u8>, units: Units) {
    map(x, y, units, |x: i32| p.value(x));
}

/// From i32 to i16.
pub fn rescale_i32_i16(p: &Rescale, x: impl Elements<i32>, y: impl Sink<i16>, units: Units) {
    map(x, y, units, |x: i32| p.value(x));
}

/// From i32 to i32.
pub fn rescale_i32(p: &Rescale, x: impl Elements<i32>, y: impl Sink<i32>, units: Units) {
    map(x, y, units, |x: i32| p.value(x));
}
