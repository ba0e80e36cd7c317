//! Arithmetic of i32, which wraps around. Units and access of pairs as [`Broadcast`] says; a unit of one tensor is an
//! element, read before it is written.

use super::broadcast::{Broadcast, pairwise};
use super::unary::{Pure, map};
use super::{Elements, Sink, Units};

/// Declares the kernels, each with its function.
macro_rules! functions {
    ($($(#[$doc:meta])* $kernel:ident = $function:expr;)+) => {$(
        $(#[$doc])*
        pub fn $kernel(
            p: &Broadcast,
            a: impl Elements<i32>,
            b: impl Elements<i32>,
            y: impl Sink<i32>,
            units: Units,
        ) {
            pairwise(p, a, b, y, units, $function);
        }
    )+};
}

functions! {
    /// `a + b`.
    add_i32 = i32::wrapping_add;
    /// `a - b`.
    sub_i32 = i32::wrapping_sub;
    /// `a * b`.
    mul_i32 = i32::wrapping_mul;
    /// The smaller of `a` and `b`.
    minimum_i32 = i32::min;
    /// The larger of `a` and `b`.
    maximum_i32 = i32::max;
    /// `a` to the power of `b`; 0 where that is negative.
    pow_i32 = |a: i32, b| u32::try_from(b).map_or(0, |b| a.wrapping_pow(b));
    /// The square of `a - b`.
    squared_difference_i32 = |a: i32, b| a.wrapping_sub(b).wrapping_mul(a.wrapping_sub(b));
}

/// `x` without its sign.
pub fn abs_i32(_: &Pure, x: impl Elements<i32>, y: impl Sink<i32>, units: Units) {
    map(x, y, units, i32::wrapping_abs);
}

/// `-x`.
pub fn neg_i32(_: &Pure, x: impl Elements<i32>, y: impl Sink<i32>, units: Units) {
    map(x, y, units, i32::wrapping_neg);
}
