//! Weights of conv, depthwise and dense: how products are summed, and how sums become results.

use super::fixed_point::Requantize;
use super::{Clamp, Elements, Sink};
use bytemuck::Pod;

/// Weights and bias of a quantised layer.
#[derive(Clone, Copy, Debug)]
pub struct WeightsI8<'a> {
    /// The weights, zero point 0.
    pub weights: &'a [i8],
    /// For each channel of the result, its bias minus the argument's zero point
    /// times the sum of its weights, or, of a transposed convolution, its bias alone; empty for zeros.
    pub bias: &'a [i32],
    /// The argument's zero point: what stands outside the image.
    pub zero_point: i32,
    /// From sums to results.
    pub result: Requantize<'a>,
}

/// Weights and bias of a quantised layer of u8, as TensorFlow Lite had them before int8.
#[derive(Clone, Copy, Debug)]
pub struct WeightsU8<'a> {
    /// The weights.
    pub weights: &'a [u8],
    /// What is zero among them.
    pub weights_zero_point: i32,
    /// As that of [`WeightsI8`], of the weights without their zero point.
    pub bias: &'a [i32],
    /// The argument's zero point: what stands outside the image.
    pub zero_point: i32,
    /// Sums are rounded once, as those of TensorFlow Lite's dense layers of u8 are.
    pub once: bool,
    /// From sums to results.
    pub result: Requantize<'a>,
}

/// Weights and bias of a layer of i16, whose zero points are 0.
#[derive(Clone, Copy, Debug)]
pub struct WeightsI16<'a> {
    /// The weights, zero point 0.
    pub weights: &'a [i8],
    /// A bias for each channel of the result; empty for zeros.
    pub bias: &'a [i64],
    /// Sums may need more than 32 bits: they are rounded as [`Requantize::one_wide`] does.
    pub wide: bool,
    /// From sums to results.
    pub result: Requantize<'a>,
}

/// Weights and bias of an f32 layer.
#[derive(Clone, Copy, Debug)]
pub struct WeightsF32<'a> {
    /// The weights.
    pub weights: &'a [f32],
    /// A bias for each channel of the result; empty for zeros.
    pub bias: &'a [f32],
    /// Bounds of the result.
    pub result: Clamp,
}

/// The arithmetic of a layer, so that each kind of layer is one loop for all types.
pub(super) trait Weights {
    /// Elements of the argument.
    type Element: Pod;
    /// Elements of the result.
    type Result: Pod;
    /// Elements of the weights.
    type Weight: Pod;
    /// Sums of products.
    type Sum: Copy;
    /// The sum of no products.
    const ZERO: Self::Sum;
    /// The weights.
    fn values(&self) -> &[Self::Weight];
    /// `sum + x * w`.
    fn add(&self, sum: Self::Sum, x: Self::Element, w: Self::Weight) -> Self::Sum;
    /// `sum + (x - zero) * w`, for weights with the bias alone.
    #[inline(always)]
    fn add_real(&self, sum: Self::Sum, x: Self::Element, w: Self::Weight) -> Self::Sum {
        self.add(sum, x, w)
    }
    /// `sum` and the products of weights whose taps lie outside the image.
    fn outside(&self, sum: Self::Sum, weights: &[Self::Weight]) -> Self::Sum;
    /// The result of `channel`.
    fn finish_one(&self, channel: usize, sum: Self::Sum) -> Self::Result;
    /// The results of the four channels from `channel` on.
    #[inline(always)]
    fn finish_four(&self, channel: usize, [s0, s1, s2, s3]: [Self::Sum; 4]) -> [Self::Result; 4] {
        [
            self.finish_one(channel, s0),
            self.finish_one(channel + 1, s1),
            self.finish_one(channel + 2, s2),
            self.finish_one(channel + 3, s3),
        ]
    }
}

impl Weights for WeightsI8<'_> {
    type Element = i8;
    type Result = i8;
    type Weight = i8;
    type Sum = i32;
    const ZERO: i32 = 0;

    #[inline(always)]
    fn values(&self) -> &[i8] {
        self.weights
    }

    #[inline(always)]
    fn add(&self, sum: i32, x: i8, w: i8) -> i32 {
        sum.wrapping_add(i32::from(x) * i32::from(w))
    }

    #[inline(always)]
    fn add_real(&self, sum: i32, x: i8, w: i8) -> i32 {
        sum.wrapping_add((i32::from(x) - self.zero_point) * i32::from(w))
    }

    #[inline(always)]
    fn outside(&self, sum: i32, weights: &[i8]) -> i32 {
        outside_i8(sum, weights, self.zero_point)
    }

    #[inline(always)]
    fn finish_one(&self, channel: usize, sum: i32) -> i8 {
        self.result.one(channel, sum.wrapping_add(self.bias.at(channel)))
    }

    #[inline(always)]
    fn finish_four(&self, channel: usize, [s0, s1, s2, s3]: [i32; 4]) -> [i8; 4] {
        let [b0, b1, b2, b3] = self.bias.four(channel);
        let sums = [s0.wrapping_add(b0), s1.wrapping_add(b1), s2.wrapping_add(b2), s3.wrapping_add(b3)];
        self.result.four(channel, sums)
    }
}

impl Weights for WeightsU8<'_> {
    type Element = u8;
    type Result = u8;
    type Weight = u8;
    type Sum = i32;
    const ZERO: i32 = 0;

    #[inline(always)]
    fn values(&self) -> &[u8] {
        self.weights
    }

    #[inline(always)]
    fn add(&self, sum: i32, x: u8, w: u8) -> i32 {
        sum.wrapping_add(i32::from(x) * (i32::from(w) - self.weights_zero_point))
    }

    #[inline(always)]
    fn add_real(&self, sum: i32, x: u8, w: u8) -> i32 {
        sum.wrapping_add((i32::from(x) - self.zero_point) * (i32::from(w) - self.weights_zero_point))
    }

    #[inline(always)]
    fn outside(&self, sum: i32, weights: &[u8]) -> i32 {
        let total = weights.iter().fold(0i32, |total, w| total.wrapping_add(i32::from(*w) - self.weights_zero_point));
        sum.wrapping_add(total.wrapping_mul(self.zero_point))
    }

    #[inline(always)]
    fn finish_one(&self, channel: usize, sum: i32) -> u8 {
        let sum = sum.wrapping_add(self.bias.at(channel));
        if self.once { self.result.one_rounded_once(channel, sum) } else { self.result.one(channel, sum) }
    }

    #[inline(always)]
    fn finish_four(&self, channel: usize, [s0, s1, s2, s3]: [i32; 4]) -> [u8; 4] {
        let [b0, b1, b2, b3] = self.bias.four(channel);
        let sums = [s0.wrapping_add(b0), s1.wrapping_add(b1), s2.wrapping_add(b2), s3.wrapping_add(b3)];
        if self.once {
            let mut channels = channel..;
            return sums.map(|sum| self.result.one_rounded_once(channels.next().unwrap_or(0), sum));
        }
        self.result.four(channel, sums)
    }
}

impl Weights for WeightsI16<'_> {
    type Element = i16;
    type Result = i16;
    type Weight = i8;
    type Sum = i64;
    const ZERO: i64 = 0;

    #[inline(always)]
    fn values(&self) -> &[i8] {
        self.weights
    }

    #[inline(always)]
    fn add(&self, sum: i64, x: i16, w: i8) -> i64 {
        sum.wrapping_add((i32::from(x) * i32::from(w)).into())
    }

    #[inline(always)]
    fn outside(&self, sum: i64, _: &[i8]) -> i64 {
        sum
    }

    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "sums that are not wide have 32 bits")]
    fn finish_one(&self, channel: usize, sum: i64) -> i16 {
        let sum = sum.wrapping_add(self.bias.at(channel));
        if self.wide { self.result.one_wide(channel, sum) } else { self.result.one(channel, sum as i32) }
    }
}

impl Weights for WeightsF32<'_> {
    type Element = f32;
    type Result = f32;
    type Weight = f32;
    type Sum = f32;
    const ZERO: f32 = 0.0;

    #[inline(always)]
    fn values(&self) -> &[f32] {
        self.weights
    }

    #[inline(always)]
    fn add(&self, sum: f32, x: f32, w: f32) -> f32 {
        sum + x * w
    }

    #[inline(always)]
    fn outside(&self, sum: f32, _: &[f32]) -> f32 {
        sum
    }

    #[inline(always)]
    fn finish_one(&self, channel: usize, sum: f32) -> f32 {
        self.result.apply(sum + self.bias.at(channel))
    }

    #[inline(always)]
    fn finish_four(&self, channel: usize, [s0, s1, s2, s3]: [f32; 4]) -> [f32; 4] {
        let [b0, b1, b2, b3] = self.bias.four(channel);
        [s0 + b0, s1 + b1, s2 + b2, s3 + b3].map(|sum| self.result.apply(sum))
    }
}

/// `sum` and the products of `weights` with `zero_point`.
#[inline(always)]
pub(super) fn outside_i8(sum: i32, weights: &[i8], zero_point: i32) -> i32 {
    let total = weights.iter().fold(0i32, |total, w| total.wrapping_add(i32::from(*w)));
    sum.wrapping_add(total.wrapping_mul(zero_point))
}

/// `N` channels computed together. Spelled out, so that sums stay in registers at every level of optimisation.
pub(super) trait Lanes<const N: usize>: Weights {
    /// The weights from `first` on, and from each `step` further on.
    fn filters(&self, first: usize, step: usize) -> [&[Self::Weight]; N];
    /// The filters from `at` on.
    fn after(filters: [&[Self::Weight]; N], at: usize) -> [&[Self::Weight]; N];
    /// `sums` and the products of each element of `x` with those of all filters.
    fn dot(&self, sums: [Self::Sum; N], x: impl Elements<Self::Element>, w: [&[Self::Weight]; N]) -> [Self::Sum; N];
    /// Each sum and the product of its own element of `x` and of `w`, or as it was if one of the two is too short.
    fn add_each(&self, sums: [Self::Sum; N], x: impl Elements<Self::Element>, w: &[Self::Weight]) -> [Self::Sum; N];
    /// Each sum and the product of `x` and its own element of `w`, or as it was if that is too short.
    fn add_shared(&self, sums: [Self::Sum; N], x: Self::Element, w: &[Self::Weight]) -> [Self::Sum; N];
    /// Each sum and what its own element of `w` adds, whose tap lies outside the image.
    fn outside_each(&self, sums: [Self::Sum; N], w: &[Self::Weight]) -> [Self::Sum; N];
    /// Stores the results of the channels from `channel` on at `to`.
    fn store(&self, channel: usize, sums: [Self::Sum; N], y: impl Sink<Self::Result>, to: usize);
}

impl<W: Weights> Lanes<1> for W {
    #[inline(always)]
    fn filters(&self, first: usize, _: usize) -> [&[W::Weight]; 1] {
        [self.values().after(first)]
    }

    #[inline(always)]
    fn after([filter]: [&[W::Weight]; 1], at: usize) -> [&[W::Weight]; 1] {
        [Elements::after(filter, at)]
    }

    #[inline(always)]
    fn dot(&self, [mut sum]: [W::Sum; 1], x: impl Elements<W::Element>, [w]: [&[W::Weight]; 1]) -> [W::Sum; 1] {
        for (x, w) in x.values().zip(w) {
            sum = self.add(sum, x, *w);
        }
        [sum]
    }

    #[inline(always)]
    fn add_each(&self, [sum]: [W::Sum; 1], x: impl Elements<W::Element>, w: &[W::Weight]) -> [W::Sum; 1] {
        [self.add(sum, x.at(0), w.at(0))]
    }

    #[inline(always)]
    fn add_shared(&self, [sum]: [W::Sum; 1], x: W::Element, w: &[W::Weight]) -> [W::Sum; 1] {
        [self.add(sum, x, w.at(0))]
    }

    #[inline(always)]
    fn outside_each(&self, [sum]: [W::Sum; 1], w: &[W::Weight]) -> [W::Sum; 1] {
        [self.outside(sum, &[w.at(0)])]
    }

    #[inline(always)]
    fn store(&self, channel: usize, [sum]: [W::Sum; 1], y: impl Sink<W::Result>, to: usize) {
        y.put(to, self.finish_one(channel, sum));
    }
}

/// Each element is loaded once for four products.
impl<W: Weights> Lanes<4> for W {
    #[inline(always)]
    fn filters(&self, first: usize, step: usize) -> [&[W::Weight]; 4] {
        let values = self.values();
        let [second, third] = [first + step, first + 2 * step];
        [values.after(first), values.after(second), values.after(third), values.after(third + step)]
    }

    #[inline(always)]
    fn after([f0, f1, f2, f3]: [&[W::Weight]; 4], at: usize) -> [&[W::Weight]; 4] {
        [Elements::after(f0, at), Elements::after(f1, at), Elements::after(f2, at), Elements::after(f3, at)]
    }

    #[inline(always)]
    fn dot(&self, sums: [W::Sum; 4], x: impl Elements<W::Element>, w: [&[W::Weight]; 4]) -> [W::Sum; 4] {
        let ([mut s0, mut s1, mut s2, mut s3], [w0, w1, w2, w3]) = (sums, w);
        for ((((x, w0), w1), w2), w3) in x.values().zip(w0).zip(w1).zip(w2).zip(w3) {
            s0 = self.add(s0, x, *w0);
            s1 = self.add(s1, x, *w1);
            s2 = self.add(s2, x, *w2);
            s3 = self.add(s3, x, *w3);
        }
        [s0, s1, s2, s3]
    }

    // Elements are loaded one by one: four that move as one value would be packed into a word and unpacked again.
    #[inline(always)]
    fn add_each(&self, sums: [W::Sum; 4], x: impl Elements<W::Element>, w: &[W::Weight]) -> [W::Sum; 4] {
        let (&[w0, w1, w2, w3, ..], true) = (w, x.count() >= 4) else { return sums };
        let [s0, s1, s2, s3] = sums;
        [self.add(s0, x.at(0), w0), self.add(s1, x.at(1), w1), self.add(s2, x.at(2), w2), self.add(s3, x.at(3), w3)]
    }

    #[inline(always)]
    fn add_shared(&self, sums: [W::Sum; 4], x: W::Element, w: &[W::Weight]) -> [W::Sum; 4] {
        let &[w0, w1, w2, w3, ..] = w else { return sums };
        let [s0, s1, s2, s3] = sums;
        [self.add(s0, x, w0), self.add(s1, x, w1), self.add(s2, x, w2), self.add(s3, x, w3)]
    }

    #[inline(always)]
    fn outside_each(&self, sums: [W::Sum; 4], w: &[W::Weight]) -> [W::Sum; 4] {
        let &[w0, w1, w2, w3, ..] = w else { return sums };
        let [s0, s1, s2, s3] = sums;
        [self.outside(s0, &[w0]), self.outside(s1, &[w1]), self.outside(s2, &[w2]), self.outside(s3, &[w3])]
    }

    #[inline(always)]
    fn store(&self, channel: usize, sums: [W::Sum; 4], y: impl Sink<W::Result>, to: usize) {
        y.put_four(to, self.finish_four(channel, sums));
    }
}
