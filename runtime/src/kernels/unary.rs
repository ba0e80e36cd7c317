//! Functions of one element. A unit is an element, read before it is written: all may work in place.

use super::{Elements, Sink};
use bytemuck::Pod;
use core::ops::Range;

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

/// Bounds of i8.
#[derive(Clone, Copy, Debug)]
pub struct ClampI8 {
    /// Lower bound.
    pub min: i8,
    /// Upper bound.
    pub max: i8,
}

/// The slope of [`leaky_relu_f32`].
#[derive(Clone, Copy, Debug)]
pub struct LeakyRelu {
    /// Factor of numbers that are not positive.
    pub alpha: f32,
}

/// A function of i8.
#[derive(Clone, Copy, Debug)]
pub struct Lut<'a> {
    /// Its 256 values, from that of -128 on.
    pub table: &'a [i8],
}

impl Lut<'_> {
    /// The value of `x`.
    #[inline(always)]
    #[must_use]
    pub fn value(self, x: i8) -> i8 {
        self.table.at(usize::from(x.cast_unsigned() ^ 0x80))
    }
}

/// A function without parameters.
#[derive(Clone, Copy, Debug)]
pub struct Pure {}

#[inline(always)]
fn map<T: Pod>(x: impl Elements<T>, y: impl Sink<T>, units: Range<usize>, f: impl Fn(T) -> T) {
    for (i, value) in units.clone().zip(x.part(units).values()) {
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
pub fn clamp_f32(p: &Clamp, x: impl Elements<f32>, y: impl Sink<f32>, units: Range<usize>) {
    map(x, y, units, |x| p.apply(x));
}

/// `x` between `p.min` and `p.max`.
pub fn clamp_i8(p: &ClampI8, x: impl Elements<i8>, y: impl Sink<i8>, units: Range<usize>) {
    map(x, y, units, |x| x.max(p.min).min(p.max));
}

/// Any function of i8 under any quantisation of argument and result.
pub fn lut_i8(p: &Lut<'_>, x: impl Elements<i8>, y: impl Sink<i8>, units: Range<usize>) {
    map(x, y, units, |x| p.value(x));
}

/// `x` where positive, else `p.alpha * x`.
pub fn leaky_relu_f32(p: &LeakyRelu, x: impl Elements<f32>, y: impl Sink<f32>, units: Range<usize>) {
    map(x, y, units, |x| if x > 0.0 { x } else { x * p.alpha });
}

/// `1 / (1 + exp(-x))`, by the formulas of TFLite's reference kernel where that is near 0 or 1.
#[cfg(feature = "libm")]
pub fn sigmoid_f32(_: &Pure, x: impl Elements<f32>, y: impl Sink<f32>, units: Range<usize>) {
    map(x, y, units, |x| {
        if x > 16.619_047 {
            1.0
        } else if x < -9.0 {
            libm::expf(x)
        } else {
            1.0 / (1.0 + libm::expf(-x))
        }
    });
}

/// `tanh(x)`.
#[cfg(feature = "libm")]
pub fn tanh_f32(_: &Pure, x: impl Elements<f32>, y: impl Sink<f32>, units: Range<usize>) {
    map(x, y, units, libm::tanhf);
}
