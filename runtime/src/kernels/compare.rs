//! Comparisons of two tensors, and logic. Units and access as [`Broadcast`] says; truth is a byte, 0 or 1.

use super::broadcast::{Broadcast, pairwise};
use super::fixed_point::multiply;
use super::unary::{Pure, map};
use super::{Elements, Sink};
use bytemuck::Pod;
use core::ops::Range;

/// One side of a comparison of i8.
#[derive(Clone, Copy, Debug)]
pub struct Side {
    /// Its zero point.
    pub zero_point: i32,
    /// Multiplier that stands for its scale.
    pub multiplier: i32,
    /// Shift that stands for its scale.
    pub shift: i32,
}

/// A comparison of i8: both sides as reals with eight fractional bits.
#[derive(Clone, Copy, Debug)]
pub struct CompareI8 {
    /// Which elements meet.
    pub pairs: Broadcast,
    /// The first argument.
    pub a: Side,
    /// The second argument.
    pub b: Side,
}

impl Side {
    #[inline(always)]
    fn real(&self, x: i8) -> i32 {
        multiply((i32::from(x) - self.zero_point) << 8, self.multiplier, self.shift)
    }
}

#[inline(always)]
fn compare<T: Pod>(
    p: &Broadcast,
    a: impl Elements<T>,
    b: impl Elements<T>,
    y: impl Sink<u8>,
    units: Range<usize>,
    f: impl Fn(&T, &T) -> bool,
) {
    pairwise(p, a, b, y, units, |a, b| u8::from(f(&a, &b)));
}

#[inline(always)]
fn compare_i8(
    p: &CompareI8,
    a: impl Elements<i8>,
    b: impl Elements<i8>,
    y: impl Sink<u8>,
    units: Range<usize>,
    f: impl Fn(&i32, &i32) -> bool,
) {
    pairwise(&p.pairs, a, b, y, units, |a, b| u8::from(f(&p.a.real(a), &p.b.real(b))));
}

/// Declares a comparison for each type of elements.
macro_rules! comparisons {
    ($($(#[$doc:meta])* $f32:ident $i32:ident $i8:ident = $function:ident;)+) => {$(
        $(#[$doc])*
        pub fn $f32(p: &Broadcast, a: impl Elements<f32>, b: impl Elements<f32>, y: impl Sink<u8>, units: Range<usize>) {
            compare(p, a, b, y, units, f32::$function);
        }
        $(#[$doc])*
        pub fn $i32(p: &Broadcast, a: impl Elements<i32>, b: impl Elements<i32>, y: impl Sink<u8>, units: Range<usize>) {
            compare(p, a, b, y, units, i32::$function);
        }
        $(#[$doc])*
        pub fn $i8(p: &CompareI8, a: impl Elements<i8>, b: impl Elements<i8>, y: impl Sink<u8>, units: Range<usize>) {
            compare_i8(p, a, b, y, units, i32::$function);
        }
    )+};
}

comparisons! {
    /// `a == b`.
    equal_f32 equal_i32 equal_i8 = eq;
    /// `a != b`.
    not_equal_f32 not_equal_i32 not_equal_i8 = ne;
    /// `a < b`.
    less_f32 less_i32 less_i8 = lt;
    /// `a <= b`.
    less_equal_f32 less_equal_i32 less_equal_i8 = le;
}

/// `a == b` of bytes as they are.
pub fn equal_1(p: &Broadcast, a: impl Elements<u8>, b: impl Elements<u8>, y: impl Sink<u8>, units: Range<usize>) {
    compare(p, a, b, y, units, u8::eq);
}

/// `a != b` of bytes as they are.
pub fn not_equal_1(p: &Broadcast, a: impl Elements<u8>, b: impl Elements<u8>, y: impl Sink<u8>, units: Range<usize>) {
    compare(p, a, b, y, units, u8::ne);
}

/// `a` and `b`.
pub fn logical_and_1(p: &Broadcast, a: impl Elements<u8>, b: impl Elements<u8>, y: impl Sink<u8>, units: Range<usize>) {
    compare(p, a, b, y, units, |a, b| *a != 0 && *b != 0);
}

/// `a` or `b`.
pub fn logical_or_1(p: &Broadcast, a: impl Elements<u8>, b: impl Elements<u8>, y: impl Sink<u8>, units: Range<usize>) {
    compare(p, a, b, y, units, |a, b| *a != 0 || *b != 0);
}

/// Not `x`. A unit is an element, read before it is written.
pub fn logical_not_1(_: &Pure, x: impl Elements<u8>, y: impl Sink<u8>, units: Range<usize>) {
    map(x, y, units, |x| u8::from(x == 0));
}
