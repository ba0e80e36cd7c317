//! Comparisons of two tensors, and logic. Units and access as [`Broadcast`] says; truth is a byte, 0 or 1.

use super::broadcast::{Broadcast, pairwise};
use super::fixed_point::multiply;
use super::unary::{Pure, map};
use super::{Elements, Integer, Sink, Units};
use bytemuck::Pod;

/// One side of a comparison of quantised integers.
#[derive(Clone, Copy, Debug)]
pub struct Side {
    /// Its zero point.
    pub zero_point: i32,
    /// Multiplier that stands for its scale.
    pub multiplier: i32,
    /// Shift that stands for its scale.
    pub shift: i32,
}

/// A comparison of quantised integers: both sides as reals with eight fractional bits.
#[derive(Clone, Copy, Debug)]
pub struct CompareInt {
    /// Which elements meet.
    pub pairs: Broadcast,
    /// The first argument.
    pub a: Side,
    /// The second argument.
    pub b: Side,
}

impl Side {
    #[inline(always)]
    fn real<T: Integer>(&self, x: T) -> i32 {
        multiply(x.into().wrapping_sub(self.zero_point).wrapping_shl(8), self.multiplier, self.shift)
    }
}

#[inline(always)]
fn compare<T: Pod>(
    p: &Broadcast,
    a: impl Elements<T>,
    b: impl Elements<T>,
    y: impl Sink<u8>,
    units: Units,
    f: impl Fn(&T, &T) -> bool,
) {
    pairwise(p, a, b, y, units, |a, b| u8::from(f(&a, &b)));
}

#[inline(always)]
fn compare_int<T: Integer>(
    p: &CompareInt,
    a: impl Elements<T>,
    b: impl Elements<T>,
    y: impl Sink<u8>,
    units: Units,
    f: impl Fn(&i32, &i32) -> bool,
) {
    pairwise(&p.pairs, a, b, y, units, |a, b| u8::from(f(&p.a.real(a), &p.b.real(b))));
}

/// Declares the kernels of a comparison: one for each type of elements.
macro_rules! comparisons {
    ($($doc:literal $function:ident: $f32:ident $i32:ident $i8:ident $u8:ident $i16:ident;)+) => {$(
        comparisons!($doc, $f32, Broadcast, f32, compare, f32::$function);
        comparisons!($doc, $i32, Broadcast, i32, compare, i32::$function);
        comparisons!($doc, $i8, CompareInt, i8, compare_int, i32::$function);
        comparisons!($doc, $u8, CompareInt, u8, compare_int, i32::$function);
        comparisons!($doc, $i16, CompareInt, i16, compare_int, i32::$function);
    )+};
    ($doc:literal, $kernel:ident, $params:ident, $element:ident, $by:ident, $function:expr) => {
        #[doc = $doc]
        pub fn $kernel(
            p: &$params,
            a: impl Elements<$element>,
            b: impl Elements<$element>,
            y: impl Sink<u8>,
            units: Units,
        ) {
            $by(p, a, b, y, units, $function);
        }
    };
}

comparisons! {
    "`a == b`." eq: equal_f32 equal_i32 equal_i8 equal_u8 equal_i16;
    "`a != b`." ne: not_equal_f32 not_equal_i32 not_equal_i8 not_equal_u8 not_equal_i16;
    "`a < b`." lt: less_f32 less_i32 less_i8 less_u8 less_i16;
    "`a <= b`." le: less_equal_f32 less_equal_i32 less_equal_i8 less_equal_u8 less_equal_i16;
}

/// `a == b` of bytes as they are.
pub fn equal_1(p: &Broadcast, a: impl Elements<u8>, b: impl Elements<u8>, y: impl Sink<u8>, units: Units) {
    compare(p, a, b, y, units, u8::eq);
}

/// `a != b` of bytes as they are.
pub fn not_equal_1(p: &Broadcast, a: impl Elements<u8>, b: impl Elements<u8>, y: impl Sink<u8>, units: Units) {
    compare(p, a, b, y, units, u8::ne);
}

/// `a` and `b`.
pub fn logical_and_1(p: &Broadcast, a: impl Elements<u8>, b: impl Elements<u8>, y: impl Sink<u8>, units: Units) {
    compare(p, a, b, y, units, |a, b| *a != 0 && *b != 0);
}

/// `a` or `b`.
pub fn logical_or_1(p: &Broadcast, a: impl Elements<u8>, b: impl Elements<u8>, y: impl Sink<u8>, units: Units) {
    compare(p, a, b, y, units, |a, b| *a != 0 || *b != 0);
}

/// Not `x`. A unit is an element, read before it is written.
pub fn logical_not_1(_: &Pure, x: impl Elements<u8>, y: impl Sink<u8>, units: Units) {
    map(x, y, units, |x| u8::from(x == 0));
}
