//! Layers of f32 whose weights are i8: the argument is quantised when it is known, picture by picture or row by row.
//!
//! The scratch of such a layer holds eight bytes for each batch, its scale and its zero point, then the integers.
//! Bit for bit the arithmetic of TensorFlow Lite's reference kernels.

use super::conv::{Conv, conv2d};
use super::dense::{Dense, dense};
use super::depthwise::{Depthwise, depthwise};
use super::transpose_conv::{TransposeConv, transpose_conv};
use super::weights::{Weights, outside_i8};
use super::{Clamp, Elements, Sink, Units};
use crate::quant::nearest;

/// Bytes before the integers, for each batch.
const HEADER: usize = 8;

/// How an argument is quantised.
#[derive(Clone, Copy, Debug)]
pub struct Dynamic {
    /// Number of batches, each with a scale of its own.
    pub batches: usize,
    /// Elements of a batch.
    pub size: usize,
    /// Zero need not lie in the middle.
    pub asymmetric: bool,
}

/// Weights and bias of a layer.
#[derive(Clone, Copy, Debug)]
pub struct WeightsHybrid<'a> {
    /// The weights, zero point 0.
    pub weights: &'a [i8],
    /// A scale for each channel of the result, or one for all.
    pub scales: &'a [f32],
    /// For each channel, the sum of its weights; empty where zero lies in the middle, and of a transposed convolution.
    pub sums: &'a [i32],
    /// A bias for each channel; empty for zeros.
    pub bias: &'a [f32],
    /// Bounds of the result.
    pub result: Clamp,
}

/// Parameters of a layer of this kind.
#[derive(Clone, Copy, Debug)]
pub struct HybridLayer<'a, S> {
    /// The shape.
    pub shape: S,
    /// How its argument has been quantised.
    pub x: Dynamic,
    /// The weights.
    pub layer: WeightsHybrid<'a>,
}

/// Parameters of [`conv2d_hybrid_f32`].
pub type ConvHybrid<'a> = HybridLayer<'a, Conv>;
/// Parameters of [`dense_hybrid_f32`].
pub type DenseHybrid<'a> = HybridLayer<'a, Dense>;
/// Parameters of [`depthwise_conv2d_hybrid_f32`].
pub type DepthwiseHybrid<'a> = HybridLayer<'a, Depthwise>;
/// Parameters of [`transpose_conv2d_hybrid_f32`].
pub type TransposeConvHybrid<'a> = HybridLayer<'a, TransposeConv>;

/// What the integers of a batch stand for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    scale: f32,
    zero_point: i32,
}

impl Grid {
    /// The sum of products of the batch's numbers with weights of `scale`, from that of the integers with `weights`,
    /// which is the sum of the weights, or 0 where the integers were without their zero point.
    #[inline(always)]
    #[allow(clippy::cast_precision_loss, reason = "as the reference rounds")]
    pub(super) fn real(self, sum: i32, scale: f32, weights: i32) -> f32 {
        sum.wrapping_sub(self.zero_point.wrapping_mul(weights)) as f32 * (scale * self.scale)
    }
}

/// Quantises `x` into scratch. A unit is a batch.
pub fn quantize_dynamic_f32(p: &Dynamic, x: impl Elements<f32>, y: impl Sink<i8>, units: Units) {
    for batch in units {
        let start = batch * p.size;
        let integers = y.after(p.batches * HEADER + start);
        let Grid { scale, zero_point } = quantized(x.part(start..start + p.size), p.asymmetric, integers);
        let header = scale.to_le_bytes().into_iter().chain(zero_point.to_le_bytes());
        for (i, byte) in header.enumerate() {
            y.put(batch * HEADER + i, byte.cast_signed());
        }
    }
}

/// Quantises all of `x`.
#[inline(always)]
pub(super) fn quantized(x: impl Elements<f32>, with_zero_point: bool, y: impl Sink<i8>) -> Grid {
    let (mut min, mut max) = (0f32, 0f32);
    for value in x.values() {
        min = if value < min { value } else { min };
        max = if value > max { value } else { max };
    }
    let (scale, inverse, zero_point) = if with_zero_point { asymmetric(min, max) } else { symmetric(min, max) };
    let least = if with_zero_point { -128 } else { -127 };
    #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "clamped; a small integer")]
    for (i, value) in x.values().enumerate() {
        y.put(i, nearest(zero_point as f32 + value * inverse).clamp(least, 127) as i8);
    }
    Grid { scale, zero_point }
}

/// Scale, its inverse and zero point of numbers about 0 (`SymmetricQuantizeFloats`).
fn symmetric(min: f32, max: f32) -> (f32, f32, i32) {
    let range = if -min > max { -min } else { max };
    if range > 0.0 { (range / 127.0, 127.0 / range, 0) } else { (1.0, 0.0, 0) }
}

/// Scale, its inverse and zero point of numbers between `min` and `max` (`AsymmetricQuantizeFloats`).
#[allow(clippy::cast_possible_truncation, reason = "rounded as the reference does, and clamped")]
fn asymmetric(min: f32, max: f32) -> (f32, f32, i32) {
    let (min, max) = (f64::from(min), f64::from(max));
    if min >= max {
        return (1.0, 0.0, 0);
    }
    let scale = (max - min) / 255.0;
    let (below, above) = (min / scale, max / scale);
    let zero = if 128.0 - below < 127.0 + above { -128.0 - below } else { 127.0 - above };
    let whole = zero as i32;
    let rest = zero - f64::from(whole);
    let rounded = whole + i32::from(rest >= 0.5) - i32::from(rest <= -0.5);
    (scale as f32, 1.0 / scale as f32, rounded.clamp(-128, 127))
}

/// A unit is a row of the result, pictures in order; `x` is the scratch. Access as [`conv2d_f32`](super::conv2d_f32).
pub fn conv2d_hybrid_f32(p: &ConvHybrid<'_>, x: impl Elements<i8>, y: impl Sink<f32>, units: Units) {
    for unit in units {
        let layer = p.layer.of(p.x, x, unit.checked_div(p.shape.slide.y.output).unwrap_or(0));
        conv2d(&p.shape, &layer, p.x.integers(x), y, units.along(unit..unit + 1));
    }
}

/// As [`conv2d_hybrid_f32`].
pub fn depthwise_conv2d_hybrid_f32(p: &DepthwiseHybrid<'_>, x: impl Elements<i8>, y: impl Sink<f32>, units: Units) {
    for unit in units {
        let layer = p.layer.of(p.x, x, unit.checked_div(p.shape.slide.y.output).unwrap_or(0));
        depthwise(&p.shape, &layer, p.x.integers(x), y, units.along(unit..unit + 1));
    }
}

/// A unit is a row; `x` is the scratch. Access as [`dense_f32`](super::dense_f32).
pub fn dense_hybrid_f32(p: &DenseHybrid<'_>, x: impl Elements<i8>, y: impl Sink<f32>, units: Units) {
    for unit in units {
        let layer = p.layer.of(p.x, x, (unit * p.shape.inputs).checked_div(p.x.size).unwrap_or(0));
        dense(&p.shape, &layer, p.x.integers(x), y, units.along(unit..unit + 1));
    }
}

/// As [`conv2d_hybrid_f32`]; access as [`transpose_conv2d_f32`](super::transpose_conv2d_f32).
pub fn transpose_conv2d_hybrid_f32(p: &TransposeConvHybrid<'_>, x: impl Elements<i8>, y: impl Sink<f32>, units: Units) {
    for unit in units {
        let layer = p.layer.of(p.x, x, unit.checked_div(p.shape.y.input).unwrap_or(0));
        transpose_conv(&p.shape, &layer, p.x.integers(x), y, units.along(unit..unit + 1));
    }
}

impl Dynamic {
    #[inline(always)]
    pub(super) fn integers<E: Elements<i8>>(self, scratch: E) -> E {
        scratch.after(self.batches * HEADER)
    }

    /// What the integers of `batch` stand for.
    #[inline(always)]
    pub(super) fn grid(self, scratch: impl Elements<i8>, batch: usize) -> Grid {
        let word = |at: usize| scratch.four(at).map(i8::cast_unsigned);
        let at = batch * HEADER;
        debug_assert!(batch < self.batches);
        Grid { scale: f32::from_le_bytes(word(at)), zero_point: i32::from_le_bytes(word(at + 4)) }
    }
}

impl<'a> WeightsHybrid<'a> {
    /// These weights, for a batch of the argument.
    #[inline(always)]
    fn of(&'a self, x: Dynamic, scratch: impl Elements<i8>, batch: usize) -> Batch<'a> {
        Batch { weights: self, grid: x.grid(scratch, batch) }
    }
}

/// The weights of a layer over a batch that is quantised.
struct Batch<'a> {
    weights: &'a WeightsHybrid<'a>,
    grid: Grid,
}

impl Weights for Batch<'_> {
    type Element = i8;
    type Weight = i8;
    type Sum = i32;
    type Result = f32;
    const ZERO: i32 = 0;

    #[inline(always)]
    fn values(&self) -> &[i8] {
        self.weights.weights
    }

    #[inline(always)]
    fn add(&self, sum: i32, x: i8, w: i8) -> i32 {
        sum.wrapping_add(i32::from(x) * i32::from(w))
    }

    #[inline(always)]
    fn outside(&self, sum: i32, weights: &[i8]) -> i32 {
        outside_i8(sum, weights, self.grid.zero_point)
    }

    #[inline(always)]
    fn add_real(&self, sum: i32, x: i8, w: i8) -> i32 {
        sum.wrapping_add((i32::from(x) - self.grid.zero_point) * i32::from(w))
    }

    #[inline(always)]
    fn finish_one(&self, channel: usize, sum: i32) -> f32 {
        let WeightsHybrid { scales, sums, bias, result, .. } = self.weights;
        let scale = if let [scale] = scales { *scale } else { scales.at(channel) };
        result.apply(self.grid.real(sum, scale, sums.at(channel)) + bias.at(channel))
    }
}
