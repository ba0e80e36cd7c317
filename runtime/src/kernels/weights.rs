//! Weights of conv, depthwise and dense: how products are summed, and how sums become results.

use super::fixed_point::Requantize;
use super::{Clamp, Elements};
use bytemuck::Pod;

/// Weights and bias of a quantised layer.
#[derive(Clone, Copy, Debug)]
pub struct WeightsI8<'a> {
    /// The weights, zero point 0.
    pub weights: &'a [i8],
    /// For each channel of the result, its bias minus the argument's zero point
    /// times the sum of its weights; empty for zeros.
    pub bias: &'a [i32],
    /// The argument's zero point: what stands outside the image.
    pub zero_point: i32,
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
    /// Elements of argument, weights and result.
    type Element: Pod;
    /// Sums of products.
    type Sum: Copy;
    /// The sum of no products.
    const ZERO: Self::Sum;
    /// The weights.
    fn values(&self) -> &[Self::Element];
    /// `sum + x * w`.
    fn add(sum: Self::Sum, x: Self::Element, w: Self::Element) -> Self::Sum;
    /// `sum` and the products of weights whose taps lie outside the image.
    fn outside(&self, sum: Self::Sum, weights: &[Self::Element]) -> Self::Sum;
    /// The result of `channel`.
    fn finish(&self, channel: usize, sum: Self::Sum) -> Self::Element;
}

impl Weights for WeightsI8<'_> {
    type Element = i8;
    type Sum = i32;
    const ZERO: i32 = 0;

    #[inline(always)]
    fn values(&self) -> &[i8] {
        self.weights
    }

    #[inline(always)]
    fn add(sum: i32, x: i8, w: i8) -> i32 {
        sum.wrapping_add(i32::from(x) * i32::from(w))
    }

    #[inline(always)]
    fn outside(&self, sum: i32, weights: &[i8]) -> i32 {
        let total = weights.iter().fold(0i32, |total, w| total.wrapping_add(i32::from(*w)));
        sum.wrapping_add(total.wrapping_mul(self.zero_point))
    }

    #[inline(always)]
    fn finish(&self, channel: usize, sum: i32) -> i8 {
        let bias = self.bias.get(channel).copied().unwrap_or(0);
        self.result.apply(channel, sum.wrapping_add(bias))
    }
}

impl Weights for WeightsF32<'_> {
    type Element = f32;
    type Sum = f32;
    const ZERO: f32 = 0.0;

    #[inline(always)]
    fn values(&self) -> &[f32] {
        self.weights
    }

    #[inline(always)]
    fn add(sum: f32, x: f32, w: f32) -> f32 {
        sum + x * w
    }

    #[inline(always)]
    fn outside(&self, sum: f32, _: &[f32]) -> f32 {
        sum
    }

    #[inline(always)]
    fn finish(&self, channel: usize, sum: f32) -> f32 {
        self.result.apply(sum + self.bias.get(channel).copied().unwrap_or(0.0))
    }
}

/// The filters of `N` channels over the same elements.
pub(super) trait Filters<W: Weights, const N: usize> {
    /// `sums` and the products of `x` with each filter, element by element.
    fn dot(self, sums: [W::Sum; N], x: impl Elements<W::Element>) -> [W::Sum; N];
}

impl<W: Weights> Filters<W, 1> for [&[W::Element]; 1] {
    #[inline(always)]
    fn dot(self, [mut sum]: [W::Sum; 1], x: impl Elements<W::Element>) -> [W::Sum; 1] {
        let [w] = self;
        for (x, w) in x.values().zip(w) {
            sum = W::add(sum, x, *w);
        }
        [sum]
    }
}

/// Four channels at once: each element is loaded once for four products.
impl<W: Weights> Filters<W, 4> for [&[W::Element]; 4] {
    #[inline(always)]
    fn dot(self, [mut s0, mut s1, mut s2, mut s3]: [W::Sum; 4], x: impl Elements<W::Element>) -> [W::Sum; 4] {
        let [w0, w1, w2, w3] = self;
        for ((((x, w0), w1), w2), w3) in x.values().zip(w0).zip(w1).zip(w2).zip(w3) {
            s0 = W::add(s0, x, *w0);
            s1 = W::add(s1, x, *w1);
            s2 = W::add(s2, x, *w2);
            s3 = W::add(s3, x, *w3);
        }
        [s0, s1, s2, s3]
    }
}
