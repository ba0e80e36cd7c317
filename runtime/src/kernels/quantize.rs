//! From real numbers to i8 and back. A unit is an element, read before it is written.

use super::{Elements, Sink};
use core::ops::Range;

/// The quantisation of the i8 side.
#[derive(Clone, Copy, Debug)]
pub struct Affine {
    /// The real difference between neighbouring integers.
    pub scale: f32,
    /// The integer that stands for 0.
    pub zero_point: i32,
}

/// `round(x / scale) + zero_point`, halves away from zero; what is no number becomes 0.
pub fn quantize_i8(p: &Affine, x: impl Elements<f32>, y: impl Sink<i8>, units: Range<usize>) {
    for (i, x) in units.clone().zip(x.part(units).values()) {
        y.put(i, clamped(rounded(x / p.scale).saturating_add(p.zero_point)));
    }
}

/// `scale * (x - zero_point)`.
#[allow(clippy::cast_precision_loss, reason = "nine bits")]
pub fn dequantize_i8(p: &Affine, x: impl Elements<i8>, y: impl Sink<f32>, units: Range<usize>) {
    for (i, x) in units.clone().zip(x.part(units).values()) {
        y.put(i, p.scale * (i32::from(x) - p.zero_point) as f32);
    }
}

/// `x` to nearest, halves away from zero; `core` has no `round`.
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "saturates; exact below 2^23")]
fn rounded(x: f32) -> i32 {
    let whole = x as i32;
    let rest = x - whole as f32;
    whole.saturating_add(i32::from(rest >= 0.5)).saturating_sub(i32::from(rest <= -0.5))
}

#[allow(clippy::cast_possible_truncation, reason = "clamped")]
fn clamped(x: i32) -> i8 {
    x.clamp(-128, 127) as i8
}
