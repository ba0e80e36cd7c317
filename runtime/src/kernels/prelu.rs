//! `x`, or a multiple of it where negative, each with its own factor. Units and access as [`Broadcast`] says.

use super::arithmetic::clamped;
use super::broadcast::{Broadcast, pairwise};
use super::fixed_point::multiply;
use super::{Elements, Sink};
use core::ops::Range;

/// Parameters of [`prelu_i8`].
#[derive(Clone, Copy, Debug)]
pub struct PreluI8 {
    /// Which elements meet.
    pub pairs: Broadcast,
    /// The zero points of both arguments.
    pub arg_zero_points: [i32; 2],
    /// Multipliers of `x` where it is not negative, and of the product where it is.
    pub multipliers: [i32; 2],
    /// As many shifts.
    pub shifts: [i32; 2],
    /// The result's zero point.
    pub zero_point: i32,
}

/// `x` where not negative, else `x * alpha`.
pub fn prelu_f32(
    p: &Broadcast,
    x: impl Elements<f32>,
    alpha: impl Elements<f32>,
    y: impl Sink<f32>,
    units: Range<usize>,
) {
    pairwise(p, x, alpha, y, units, |x, alpha| if x >= 0.0 { x } else { x * alpha });
}

/// `x` where not negative, else `x * alpha`.
pub fn prelu_i8(p: &PreluI8, x: impl Elements<i8>, alpha: impl Elements<i8>, y: impl Sink<i8>, units: Range<usize>) {
    let ([x_zero, alpha_zero], [positive, negative], [right, left]) = (p.arg_zero_points, p.multipliers, p.shifts);
    pairwise(&p.pairs, x, alpha, y, units, |x, alpha| {
        let x = i32::from(x) - x_zero;
        let scaled = if x >= 0 {
            multiply(x, positive, right)
        } else {
            multiply(x * (i32::from(alpha) - alpha_zero), negative, left)
        };
        clamped(scaled.wrapping_add(p.zero_point), -128, 127)
    });
}
