//! Along one dimension: running sums, and where the largest or smallest element is.

use super::arithmetic::{Term, clamped};
use super::fixed_point::multiply;
use super::{Elements, Sink, Units};

/// The lines of a tensor along one dimension.
#[derive(Clone, Copy, Debug)]
pub struct Lines {
    /// Elements of a line.
    pub size: usize,
    /// Elements of the tensor from one to the next.
    pub stride: usize,
}

/// Running sums along lines.
#[derive(Clone, Copy, Debug)]
pub struct Cumsum {
    /// The lines.
    pub lines: Lines,
    /// An element's own value is not part of its sum.
    pub exclusive: bool,
    /// From the end to the start.
    pub reverse: bool,
}

/// Running sums of i8, with twice the argument's scale in 2^-20 steps on the way.
#[derive(Clone, Copy, Debug)]
pub struct CumsumI8 {
    /// The sums.
    pub sums: Cumsum,
    /// The argument.
    pub x: Term,
    /// Multiplier to the result's scale.
    pub multiplier: i32,
    /// Shift to the result's scale.
    pub shift: i32,
    /// The result's zero point.
    pub zero_point: i32,
}

impl Lines {
    /// The first element of line `unit`.
    #[inline(always)]
    fn start(&self, unit: usize) -> usize {
        let row = unit.checked_div(self.stride).unwrap_or(0);
        row * self.size * self.stride + (unit - row * self.stride)
    }
}

#[inline(always)]
fn cumsum<T: Copy, S: Copy>(
    p: &Cumsum,
    x: impl Elements<T>,
    y: impl Sink<T>,
    units: Units,
    zero: S,
    add: impl Fn(S, T) -> S,
    finish: impl Fn(S) -> T,
) {
    for unit in units {
        let start = p.lines.start(unit);
        let mut sum = zero;
        for i in 0..p.lines.size {
            let place = if p.reverse { p.lines.size - 1 - i } else { i };
            let at = start + place * p.lines.stride;
            let next = add(sum, x.at(at));
            y.put(at, finish(if p.exclusive { sum } else { next }));
            sum = next;
        }
    }
}

/// Running sums. A unit is a line; each element is read before its sum is written, so `y` may lie over `x`.
pub fn cumsum_f32(p: &Cumsum, x: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
    cumsum(p, x, y, units, 0.0, |sum, x| sum + x, |sum| sum);
}

/// Running sums, which wrap around. As [`cumsum_f32`].
pub fn cumsum_i32(p: &Cumsum, x: impl Elements<i32>, y: impl Sink<i32>, units: Units) {
    cumsum(p, x, y, units, 0, i32::wrapping_add, |sum| sum);
}

/// Running sums. As [`cumsum_f32`]. They start from the argument's zero point negated,
/// as those of TensorFlow Lite Micro do.
pub fn cumsum_i8(p: &CumsumI8, x: impl Elements<i8>, y: impl Sink<i8>, units: Units) {
    /// Fractional bits of the sums.
    const BITS: u32 = 20;
    let zero = p.x.scaled(0, BITS);
    let add = |sum: i32, x: i8| sum.wrapping_add(p.x.scaled(i32::from(x), BITS));
    let finish = |sum| clamped(multiply(sum, p.multiplier, p.shift).wrapping_add(p.zero_point), -128, 127);
    cumsum(&p.sums, x, y, units, zero, add, finish);
}

#[inline(always)]
#[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "lines are shorter than 2^31")]
fn first<T: Copy>(p: &Lines, x: impl Elements<T>, y: impl Sink<i32>, units: Units, beats: impl Fn(&T, &T) -> bool) {
    for unit in units {
        let start = p.start(unit);
        let (mut best, mut found) = (x.at(start), 0);
        for i in 1..p.size {
            let value = x.at(start + i * p.stride);
            if beats(&value, &best) {
                (best, found) = (value, i);
            }
        }
        y.put(unit, found as i32);
    }
}

/// Declares a search for each type of elements.
macro_rules! searches {
    ($($(#[$doc:meta])* $kernel:ident: $element:ident = $beats:ident;)+) => {$(
        $(#[$doc])*
        pub fn $kernel(p: &Lines, x: impl Elements<$element>, y: impl Sink<i32>, units: Units) {
            first(p, x, y, units, $element::$beats);
        }
    )+};
}

searches! {
    /// The index of the largest element, the first of several. A unit is a line.
    arg_max_f32: f32 = gt;
    /// As [`arg_max_f32`].
    arg_max_i32: i32 = gt;
    /// As [`arg_max_f32`].
    arg_max_i8: i8 = gt;
    /// As [`arg_max_f32`].
    arg_max_u8: u8 = gt;
    /// As [`arg_max_f32`].
    arg_max_i16: i16 = gt;
    /// The index of the smallest element, the first of several. A unit is a line.
    arg_min_f32: f32 = lt;
    /// As [`arg_min_f32`].
    arg_min_i32: i32 = lt;
    /// As [`arg_min_f32`].
    arg_min_i8: i8 = lt;
    /// As [`arg_min_f32`].
    arg_min_u8: u8 = lt;
    /// As [`arg_min_f32`].
    arg_min_i16: i16 = lt;
}
