//! Functions of one element. A unit is an element, read before it is written: all may work in place.

use super::integer::Byte;
use super::{Elements, Integer, Sink, Units};
use bytemuck::Pod;

/// Bounds of f32.
#[derive(Clone, Copy, Debug)]
pub struct Clamp {
    /// Lower bound.
    pub min: f32,
    /// Upper bound.
    pub max: f32,
}

impl Clamp {
    /// `x` between the bounds; not a number stays that.
    #[inline(always)]
    #[must_use]
    pub fn apply(&self, x: f32) -> f32 {
        bounded(x, self.min, self.max)
    }
}

/// Bounds of integers.
#[derive(Clone, Copy, Debug)]
pub struct ClampInt {
    /// Lower bound.
    pub min: i32,
    /// Upper bound.
    pub max: i32,
}

/// The slope of [`leaky_relu_f32`].
#[derive(Clone, Copy, Debug)]
pub struct LeakyRelu {
    /// Factor of numbers that are not positive.
    pub alpha: f32,
}

/// A function of integers of a byte.
#[derive(Clone, Copy, Debug)]
pub struct Lut<'a> {
    /// The bits of its 256 values, from that of the smallest integer on.
    pub table: &'a [i8],
}

impl Lut<'_> {
    /// The value of `x`.
    #[inline(always)]
    #[must_use]
    pub fn value<X: Byte, Y: Byte>(self, x: X) -> Y {
        Y::of_bits(self.table.at(x.rank()))
    }
}

/// A function without parameters.
#[derive(Clone, Copy, Debug)]
pub struct Pure {}

/// `f` of each element.
#[inline(always)]
pub(super) fn map<X: Pod, Y: Pod>(x: impl Elements<X>, y: impl Sink<Y>, units: Units, f: impl Fn(X) -> Y) {
    if units.is_backward() {
        for i in units {
            y.put(i, f(x.at(i)));
        }
        return;
    }
    for (i, value) in units.range().zip(x.part(units.range()).values()) {
        y.put(i, f(value));
    }
}

/// `x` between two bounds; what is no number stays so.
#[inline(always)]
#[must_use]
pub(super) fn bounded(x: f32, min: f32, max: f32) -> f32 {
    if x < min {
        min
    } else if x > max {
        max
    } else {
        x
    }
}

/// `x` between `p.min` and `p.max`.
pub fn clamp_f32(p: &Clamp, x: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
    map(x, y, units, |x| p.apply(x));
}

/// `x` between `p.min` and `p.max`.
pub fn clamp_i8(p: &ClampInt, x: impl Elements<i8>, y: impl Sink<i8>, units: Units) {
    clamp_int(p, x, y, units);
}

/// `x` between `p.min` and `p.max`.
pub fn clamp_u8(p: &ClampInt, x: impl Elements<u8>, y: impl Sink<u8>, units: Units) {
    clamp_int(p, x, y, units);
}

/// `x` between `p.min` and `p.max`.
pub fn clamp_i16(p: &ClampInt, x: impl Elements<i16>, y: impl Sink<i16>, units: Units) {
    clamp_int(p, x, y, units);
}

#[inline(always)]
fn clamp_int<T: Integer>(p: &ClampInt, x: impl Elements<T>, y: impl Sink<T>, units: Units) {
    map(x, y, units, |x: T| T::low(x.into().max(p.min).min(p.max)));
}

/// Any function of i8 under any quantisation of argument and result. Four elements are read before their values are
/// written.
pub fn lut_i8(p: &Lut<'_>, x: impl Elements<i8>, y: impl Sink<i8>, units: Units) {
    lookup(p, x, y, units);
}

/// As [`lut_i8`], from u8 to u8.
pub fn lut_u8(p: &Lut<'_>, x: impl Elements<u8>, y: impl Sink<u8>, units: Units) {
    lookup(p, x, y, units);
}

/// As [`lut_i8`], from i8 to u8.
pub fn lut_i8_u8(p: &Lut<'_>, x: impl Elements<i8>, y: impl Sink<u8>, units: Units) {
    lookup(p, x, y, units);
}

/// As [`lut_i8`], from u8 to i8.
pub fn lut_u8_i8(p: &Lut<'_>, x: impl Elements<u8>, y: impl Sink<i8>, units: Units) {
    lookup(p, x, y, units);
}

#[inline(always)]
fn lookup<X: Byte, Y: Byte>(p: &Lut<'_>, x: impl Elements<X>, y: impl Sink<Y>, mut units: Units) {
    // All ranks are less than 256: nothing is checked.
    let Some(table) = p.table.first_chunk::<256>() else { return };
    while units.count() >= 4 {
        let at = units.at(0).min(units.at(3));
        // Spelled out: `map` is a loop over memory where code is kept small.
        let [a, b, c, d] = x.four(at);
        let value = |x| Lut { table }.value(x);
        y.put_four(at, [value(a), value(b), value(c), value(d)]);
        units = units.after(4);
    }
    map(x, y, units, |x: X| p.value(x));
}

/// `x` where positive, else `p.alpha * x`.
pub fn leaky_relu_f32(p: &LeakyRelu, x: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
    map(x, y, units, |x| if x > 0.0 { x } else { x * p.alpha });
}

/// `1 / (1 + exp(-x))`, by the formulas of TFLite's reference kernel where that is near 0 or 1.
#[cfg(feature = "libm")]
pub fn sigmoid_f32(_: &Pure, x: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
    map(x, y, units, sigmoid);
}

#[cfg(feature = "libm")]
#[inline(always)]
pub(super) fn sigmoid(x: f32) -> f32 {
    if x > 16.619_047 {
        1.0
    } else if x < -9.0 {
        libm::expf(x)
    } else {
        1.0 / (1.0 + libm::expf(-x))
    }
}

/// `tanh(x)`.
#[cfg(feature = "libm")]
pub fn tanh_f32(_: &Pure, x: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
    map(x, y, units, libm::tanhf);
}
