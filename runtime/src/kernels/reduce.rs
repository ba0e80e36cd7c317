//! Sum, mean, maximum and minimum over axes.

use super::arch::{self, SUMS, Strip};
use super::strides::{Axis, OUTER, offsets};
use super::{Elements, Integer, Requantize, Sink, Units};

/// Which elements of the argument belong to an element of the result.
#[derive(Clone, Copy, Debug)]
pub struct Reduce {
    /// Dimensions that stay, strides in the argument and in the result.
    pub kept: [Axis; OUTER],
    /// Dimensions that go, around the innermost of them; strides in the argument.
    pub reduced: [Axis; OUTER],
    /// Number of positions in `reduced`.
    pub runs: usize,
    /// Elements of the innermost dimension that goes.
    pub run: usize,
    /// Elements of the argument between them.
    pub step: usize,
}

/// Parameters of [`sum_f32`].
#[derive(Clone, Copy, Debug)]
pub struct SumF32 {
    /// The elements.
    pub shape: Reduce,
    /// What a sum is divided by: 1, or the number of elements for a mean.
    pub divisor: f32,
}

/// Parameters of [`sum_i32`].
#[derive(Clone, Copy, Debug)]
pub struct SumI32 {
    /// The elements.
    pub shape: Reduce,
    /// What a sum is divided by, towards zero: 1, or the number of elements for a mean.
    pub divisor: i32,
}

/// Parameters of sums of integers that stand for reals.
#[derive(Clone, Copy, Debug)]
pub struct SumInt<'a> {
    /// The elements.
    pub shape: Reduce,
    /// The argument's zero point times the number of elements.
    pub zero_points: i32,
    /// From sums to results, one multiplier for all.
    pub result: Requantize<'a>,
}

/// Sum or mean, elements taken row-major. A unit is an element of the result,
/// written after all its elements have been read.
pub fn sum_f32(p: &SumF32, x: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
    reduce(&p.shape, x, y, units, 0.0, |sum, x| sum + x, |sum| sum / p.divisor);
}

/// Sum or mean. A unit as that of [`sum_f32`]; neighbours of the result may be written after the elements of all of
/// them have been read.
pub fn sum_i8(p: &SumInt<'_>, x: impl Elements<i8>, y: impl Sink<i8>, units: Units) {
    sum_byte(p, x, y, units, |strip, sums| arch::sum_i8(x, strip, sums));
}

/// As [`sum_i8`].
pub fn sum_u8(p: &SumInt<'_>, x: impl Elements<u8>, y: impl Sink<u8>, units: Units) {
    sum_byte(p, x, y, units, |strip, sums| arch::sum_u8(x, strip, sums));
}

/// Sum or mean. A unit as that of [`sum_f32`].
pub fn sum_i16(p: &SumInt<'_>, x: impl Elements<i16>, y: impl Sink<i16>, units: Units) {
    let add = |sum: i32, x: i16| sum.wrapping_add(x.into());
    reduce(&p.shape, x, y, units, 0, add, |sum| p.one(sum));
}

/// Maximum. A unit as that of [`sum_f32`].
pub fn max_f32(p: &Reduce, x: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
    let larger = |a: f32, b: f32| if b > a { b } else { a };
    reduce(p, x, y, units, f32::MIN, larger, |max| max);
}

/// Maximum. A unit as that of [`sum_f32`].
pub fn max_i8(p: &Reduce, x: impl Elements<i8>, y: impl Sink<i8>, units: Units) {
    reduce(p, x, y, units, i8::MIN, i8::max, |max| max);
}

/// Maximum. A unit as that of [`sum_f32`].
pub fn max_u8(p: &Reduce, x: impl Elements<u8>, y: impl Sink<u8>, units: Units) {
    reduce(p, x, y, units, u8::MIN, u8::max, |max| max);
}

/// Maximum. A unit as that of [`sum_f32`].
pub fn max_i16(p: &Reduce, x: impl Elements<i16>, y: impl Sink<i16>, units: Units) {
    reduce(p, x, y, units, i16::MIN, i16::max, |max| max);
}

/// Maximum. A unit as that of [`sum_f32`].
pub fn max_i32(p: &Reduce, x: impl Elements<i32>, y: impl Sink<i32>, units: Units) {
    reduce(p, x, y, units, i32::MIN, i32::max, |max| max);
}

/// Product. A unit as that of [`sum_f32`].
pub fn prod_f32(p: &Reduce, x: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
    reduce(p, x, y, units, 1.0, |a: f32, b: f32| a * b, |product| product);
}

/// Product, which wraps around. A unit as that of [`sum_f32`].
pub fn prod_i32(p: &Reduce, x: impl Elements<i32>, y: impl Sink<i32>, units: Units) {
    reduce(p, x, y, units, 1, i32::wrapping_mul, |product| product);
}

/// Minimum. A unit as that of [`sum_f32`].
pub fn min_i32(p: &Reduce, x: impl Elements<i32>, y: impl Sink<i32>, units: Units) {
    reduce(p, x, y, units, i32::MAX, i32::min, |min| min);
}

/// Sum, which wraps around, divided. A unit as that of [`sum_f32`].
pub fn sum_i32(p: &SumI32, x: impl Elements<i32>, y: impl Sink<i32>, units: Units) {
    reduce(&p.shape, x, y, units, 0, i32::wrapping_add, |sum: i32| sum.checked_div(p.divisor).unwrap_or(0));
}

/// Minimum. A unit as that of [`sum_f32`].
pub fn min_f32(p: &Reduce, x: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
    let smaller = |a: f32, b: f32| if b < a { b } else { a };
    reduce(p, x, y, units, f32::MAX, smaller, |min| min);
}

/// Minimum. A unit as that of [`sum_f32`].
pub fn min_u8(p: &Reduce, x: impl Elements<u8>, y: impl Sink<u8>, units: Units) {
    reduce(p, x, y, units, u8::MAX, u8::min, |min| min);
}

/// Minimum. A unit as that of [`sum_f32`].
pub fn min_i16(p: &Reduce, x: impl Elements<i16>, y: impl Sink<i16>, units: Units) {
    reduce(p, x, y, units, i16::MAX, i16::min, |min| min);
}

/// Minimum. A unit as that of [`sum_f32`].
pub fn min_i8(p: &Reduce, x: impl Elements<i8>, y: impl Sink<i8>, units: Units) {
    reduce(p, x, y, units, i8::MAX, i8::min, |min| min);
}

impl SumInt<'_> {
    /// The result of a sum.
    #[inline(always)]
    fn one<T: Integer>(&self, sum: i32) -> T {
        self.result.one(0, sum.wrapping_sub(self.zero_points))
    }
}

/// Elements of a sum from which on several sums at once are faster than one after the other.
const MANY: usize = 8;

/// Sums and means of bytes, several at once where they lie side by side in the argument and in the result, by what adds
/// a strip to them.
#[inline(always)]
fn sum_byte<T: Integer>(
    p: &SumInt<'_>,
    x: impl Elements<T>,
    y: impl Sink<T>,
    mut units: Units,
    strip: impl Fn(&Strip, &mut [i32; SUMS]),
) {
    let Reduce { kept, reduced, runs, run, step } = &p.shape;
    let [.., inner] = kept;
    if inner.strides != [1, 1] || runs * run < MANY {
        let add = |sum: i32, x: T| sum.wrapping_add(x.into());
        return reduce(&p.shape, x, y, units, 0, add, |sum| p.one(sum));
    }
    while units.count() > 0 {
        let (unit, backward) = (units.at(0), units.is_backward());
        let along = unit.checked_rem(inner.size).unwrap_or(0);
        let count = units.count().min(if backward { along + 1 } else { inner.size - along });
        let [base, to] = offsets(kept, if backward { unit + 1 - count } else { unit });
        let mut done = 0;
        while done < count {
            let channels = arch::summed(count - done);
            let at = if backward { count - done - channels } else { done };
            let mut sums = [0; SUMS];
            for index in 0..*runs {
                let [offset, _] = offsets(reduced, index);
                strip(&Strip { from: base + offset + at, step: *step, count: *run, channels }, &mut sums);
            }
            for (i, sum) in (to + at..to + at + channels).zip(sums) {
                y.put(i, p.one(sum));
            }
            done += channels;
        }
        units = units.after(count);
    }
}

#[inline(always)]
fn reduce<T: Copy, S: Copy>(
    p: &Reduce,
    x: impl Elements<T>,
    y: impl Sink<T>,
    units: Units,
    first: S,
    add: impl Fn(S, T) -> S,
    finish: impl Fn(S) -> T,
) {
    for unit in units {
        let [base, to] = offsets(&p.kept, unit);
        let mut state = first;
        for run in 0..p.runs {
            let [offset, _] = offsets(&p.reduced, run);
            let mut from = base + offset;
            for _ in 0..p.run {
                state = add(state, x.at(from));
                from += p.step;
            }
        }
        y.put(to, finish(state));
    }
}
