//! `x`, or a multiple of it where negative, each with its own factor. Units and access as [`Broadcast`] says.

use super::broadcast::{Broadcast, pairwise};
use super::fixed_point::multiply;
use super::{Elements, Integer, Sink, Units};

/// Parameters for quantised integers.
#[derive(Clone, Copy, Debug)]
pub struct PreluInt {
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
pub fn prelu_f32(p: &Broadcast, x: impl Elements<f32>, alpha: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
    pairwise(p, x, alpha, y, units, |x, alpha| if x >= 0.0 { x } else { x * alpha });
}

/// `x` where not negative, else `x * alpha`.
pub fn prelu_i8(p: &PreluInt, x: impl Elements<i8>, alpha: impl Elements<i8>, y: impl Sink<i8>, units: Units) {
    prelu_int(p, x, alpha, y, units);
}

/// `x` where not negative, else `x * alpha`.
pub fn prelu_u8(p: &PreluInt, x: impl Elements<u8>, alpha: impl Elements<u8>, y: impl Sink<u8>, units: Units) {
    prelu_int(p, x, alpha, y, units);
}

/// `x` where not negative, else `x * alpha`.
pub fn prelu_i16(p: &PreluInt, x: impl Elements<i16>, alpha: impl Elements<i16>, y: impl Sink<i16>, units: Units) {
    prelu_int(p, x, alpha, y, units);
}

#[inline(always)]
fn prelu_int<T: Integer>(p: &PreluInt, x: impl Elements<T>, alpha: impl Elements<T>, y: impl Sink<T>, units: Units) {
    let ([x_zero, alpha_zero], [positive, negative], [right, left]) = (p.arg_zero_points, p.multipliers, p.shifts);
    pairwise(&p.pairs, x, alpha, y, units, |x: T, alpha: T| {
        let x = x.into().wrapping_sub(x_zero);
        let scaled = if x >= 0 {
            multiply(x, positive, right)
        } else {
            multiply(x.wrapping_mul(alpha.into().wrapping_sub(alpha_zero)), negative, left)
        };
        T::nearest(scaled.wrapping_add(p.zero_point))
    });
}
