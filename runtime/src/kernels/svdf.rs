//! A layer that remembers the last results of its first half: a singular value decomposition filter.

use super::fixed_point::multiply;
use super::hybrid::Dynamic;
use super::{Clamp, Elements, Integer, Sink, Units};
use core::ops::Range;

/// The shape of the layer.
#[derive(Clone, Copy, Debug)]
pub struct Svdf {
    /// Elements of a row of the argument.
    pub inputs: usize,
    /// Results of a row.
    pub outputs: usize,
    /// Filters that make a result.
    pub rank: usize,
    /// Runs that a filter remembers, this one included.
    pub memory: usize,
}

/// Sums to integers: scaled, moved to the zero point, clamped.
#[derive(Clone, Copy, Debug)]
pub struct Scaled {
    /// Multiplier, not negative.
    pub multiplier: i32,
    /// Shift, positive to the left.
    pub shift: i32,
    /// Zero point of the result.
    pub zero_point: i32,
    /// Lower bound, within the type of the result.
    pub min: i32,
    /// Upper bound, within the type of the result.
    pub max: i32,
}

impl Scaled {
    /// The result for `sum`.
    #[inline(always)]
    #[must_use]
    pub fn of(&self, sum: i32) -> i32 {
        multiply(sum, self.multiplier, self.shift).wrapping_add(self.zero_point).max(self.min).min(self.max)
    }
}

/// Parameters of [`svdf_i8`], and of [`svdf_i16`] with `T` = i16.
#[derive(Clone, Copy, Debug)]
pub struct SvdfInt<'a, T> {
    /// The shape.
    pub shape: Svdf,
    /// `[filter, input]`, zero point 0.
    pub features: &'a [i8],
    /// For each filter, minus the argument's zero point times the sum of its features; empty for zeros.
    pub offsets: &'a [i32],
    /// `[filter, memory]`, zero point 0.
    pub time: &'a [T],
    /// For each result, its bias minus the memory's zero point times the sum of its times; empty for zeros.
    pub bias: &'a [i32],
    /// From sums of features to what is remembered.
    pub remembered: Scaled,
    /// From sums over time to results.
    pub result: Scaled,
}

/// Parameters of [`svdf_f32`].
#[derive(Clone, Copy, Debug)]
pub struct SvdfF32<'a> {
    /// The shape.
    pub shape: Svdf,
    /// `[filter, input]`
    pub features: &'a [f32],
    /// `[filter, memory]`
    pub time: &'a [f32],
    /// One a result; empty for zeros.
    pub bias: &'a [f32],
    /// Bounds of the result.
    pub result: Clamp,
}

/// Parameters of [`svdf_hybrid_f32`].
#[derive(Clone, Copy, Debug)]
pub struct SvdfHybrid<'a> {
    /// The shape.
    pub shape: Svdf,
    /// How its argument has been quantised, a row a batch.
    pub x: Dynamic,
    /// `[filter, input]`, zero point 0.
    pub features: &'a [i8],
    /// The scale of the features.
    pub scale: f32,
    /// For each filter, the sum of its features; empty where zero lies in the middle.
    pub sums: &'a [i32],
    /// `[filter, memory]`
    pub time: &'a [f32],
    /// One a result; empty for zeros.
    pub bias: &'a [f32],
    /// Bounds of the result.
    pub result: Clamp,
}

/// [`SvdfInt`] with a memory of i8.
pub type SvdfI8<'a> = SvdfInt<'a, i8>;
/// [`SvdfInt`] with a memory of i16.
pub type SvdfI16<'a> = SvdfInt<'a, i16>;

/// Results of i8 with a memory of i8. A unit is a result; of each filter, the memory `s` is read an
/// element ahead of where `n` is written, and its last element is written before the sum over time.
pub fn svdf_i8(
    p: &SvdfI8<'_>,
    x: impl Elements<i8>,
    s: impl Elements<i8>,
    y: impl Sink<i8>,
    n: impl Sink<i8>,
    units: Units,
) {
    integer(p, x, s, y, n, units);
}

/// As [`svdf_i8`] with a memory of i16.
pub fn svdf_i16(
    p: &SvdfI16<'_>,
    x: impl Elements<i8>,
    s: impl Elements<i16>,
    y: impl Sink<i8>,
    n: impl Sink<i16>,
    units: Units,
) {
    integer(p, x, s, y, n, units);
}

#[inline(always)]
fn integer<T: Integer>(
    p: &SvdfInt<'_, T>,
    x: impl Elements<i8>,
    s: impl Elements<T>,
    y: impl Sink<i8>,
    n: impl Sink<T>,
    units: Units,
) {
    for unit in units {
        let (row, result) = p.shape.place(unit);
        let x = x.part(row * p.shape.inputs..(row + 1) * p.shape.inputs);
        let mut sum = p.bias.at(result);
        for filter in p.shape.filters(result) {
            let features = p.features.after(filter * p.shape.inputs);
            let last = dot(x, features, p.offsets.at(filter));
            let memory = p.shape.moved(row, filter, s, n, T::low(p.remembered.of(last)));
            let times = p.time.after(filter * p.shape.memory).values();
            let products = memory.values().zip(times).map(|(s, w)| s.into().wrapping_mul(w.into()));
            sum = products.fold(sum, i32::wrapping_add);
        }
        y.put(unit, i8::low(p.result.of(sum)));
    }
}

/// As [`svdf_i8`] of f32: a filter's products are summed in order, and the filters' sums after the bias.
pub fn svdf_f32(
    p: &SvdfF32<'_>,
    x: impl Elements<f32>,
    s: impl Elements<f32>,
    y: impl Sink<f32>,
    n: impl Sink<f32>,
    units: Units,
) {
    float(&p.shape, (p.time, p.bias, p.result), s, y, n, units, |row, filter| {
        let x = x.part(row * p.shape.inputs..(row + 1) * p.shape.inputs);
        let features = p.features.after(filter * p.shape.inputs).values();
        x.values().zip(features).fold(0.0, |sum, (x, w)| sum + x * w)
    });
}

/// As [`svdf_f32`] with features of i8; `x` is the scratch.
pub fn svdf_hybrid_f32(
    p: &SvdfHybrid<'_>,
    x: impl Elements<i8>,
    s: impl Elements<f32>,
    y: impl Sink<f32>,
    n: impl Sink<f32>,
    units: Units,
) {
    float(&p.shape, (p.time, p.bias, p.result), s, y, n, units, |row, filter| {
        let integers = p.x.integers(x).part(row * p.shape.inputs..(row + 1) * p.shape.inputs);
        let sum = dot(integers, p.features.after(filter * p.shape.inputs), 0);
        p.x.grid(x, row).real(sum, p.scale, p.sums.at(filter))
    });
}

/// Results of f32; `last` is what a filter makes of a row.
#[inline(always)]
fn float(
    shape: &Svdf,
    (time, bias, result): (&[f32], &[f32], Clamp),
    s: impl Elements<f32>,
    y: impl Sink<f32>,
    n: impl Sink<f32>,
    units: Units,
    last: impl Fn(usize, usize) -> f32,
) {
    for unit in units {
        let (row, output) = shape.place(unit);
        let mut sum = bias.at(output);
        for filter in shape.filters(output) {
            let memory = shape.moved(row, filter, s, n, last(row, filter));
            let times = time.after(filter * shape.memory).values();
            sum += memory.values().zip(times).fold(0.0, |sum, (s, w)| sum + s * w);
        }
        y.put(unit, result.apply(sum));
    }
}

/// `start`, and the products of `x` with the weights.
#[inline(always)]
pub(super) fn dot(x: impl Elements<i8>, weights: &[i8], start: i32) -> i32 {
    let products = x.values().zip(weights).map(|(x, w)| i32::from(x) * i32::from(*w));
    products.fold(start, i32::wrapping_add)
}

impl Svdf {
    /// The row and the result in it of a unit.
    #[inline(always)]
    fn place(&self, unit: usize) -> (usize, usize) {
        (unit.checked_div(self.outputs).unwrap_or(0), unit.checked_rem(self.outputs).unwrap_or(0))
    }

    #[inline(always)]
    fn filters(&self, result: usize) -> Range<usize> {
        result * self.rank..(result + 1) * self.rank
    }

    /// The memory of `filter` in `n`, moved by a run, with `last` at its end.
    #[inline(always)]
    fn moved<T: Copy, N: Sink<T>>(&self, row: usize, filter: usize, s: impl Elements<T>, n: N, last: T) -> N {
        let start = (row * self.outputs * self.rank + filter) * self.memory;
        let (old, new) = (s.part(start..start + self.memory), n.part(start..start + self.memory));
        for (index, value) in (0..self.memory).zip(old.values().skip(1)) {
            new.put(index, value);
        }
        new.put(self.memory.saturating_sub(1), last);
        new
    }
}
