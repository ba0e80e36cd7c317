//! Transposed convolution: a convolution's taps run the other way, from its result to its image.

use super::weights::{Weights, WeightsF32, WeightsI8, WeightsI16, WeightsU8};
use super::{Elements, Rows, Sink, Taps, Units};
use core::ops::Range;

/// The shape of a transposed convolution.
#[derive(Clone, Copy, Debug)]
pub struct TransposeConv {
    /// The rows of the convolution that is turned around: its `input` is this one's result.
    pub y: Taps,
    /// Its columns.
    pub x: Taps,
    /// Channels of the argument.
    pub inputs: usize,
    /// Channels of the result.
    pub outputs: usize,
    /// How the argument's rows lie, those of all pictures in order.
    pub from: Rows,
    /// How the result's rows lie.
    pub to: Rows,
}

/// Parameters of a transposed convolution. Weights lie `[output, tap row, tap column, input]`.
#[derive(Clone, Copy, Debug)]
pub struct TransposeConvLayer<W> {
    /// The shape.
    pub shape: TransposeConv,
    /// The weights.
    pub layer: W,
}

/// Parameters of [`transpose_conv2d_f32`].
pub type TransposeConvF32<'a> = TransposeConvLayer<WeightsF32<'a>>;
/// Parameters of [`transpose_conv2d_i8`].
pub type TransposeConvI8<'a> = TransposeConvLayer<WeightsI8<'a>>;
/// Parameters of [`transpose_conv2d_u8`].
pub type TransposeConvU8<'a> = TransposeConvLayer<WeightsU8<'a>>;
/// Parameters of [`transpose_conv2d_i16`].
pub type TransposeConvI16<'a> = TransposeConvLayer<WeightsI16<'a>>;

/// A unit is a row of the result, pictures in order. Each element is written after all it depends on is read.
pub fn transpose_conv2d_f32(p: &TransposeConvF32<'_>, x: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
    transpose_conv(&p.shape, &p.layer, x, y, units);
}

/// As [`transpose_conv2d_f32`].
pub fn transpose_conv2d_i8(p: &TransposeConvI8<'_>, x: impl Elements<i8>, y: impl Sink<i8>, units: Units) {
    transpose_conv(&p.shape, &p.layer, x, y, units);
}

/// As [`transpose_conv2d_f32`].
pub fn transpose_conv2d_u8(p: &TransposeConvU8<'_>, x: impl Elements<u8>, y: impl Sink<u8>, units: Units) {
    transpose_conv(&p.shape, &p.layer, x, y, units);
}

/// As [`transpose_conv2d_f32`].
pub fn transpose_conv2d_i16(p: &TransposeConvI16<'_>, x: impl Elements<i16>, y: impl Sink<i16>, units: Units) {
    transpose_conv(&p.shape, &p.layer, x, y, units);
}

/// The positions whose taps fall on a pixel.
struct Covering {
    positions: Range<usize>,
    /// The tap of the first; those of the others lie a stride lower each.
    tap: usize,
}

impl Taps {
    /// The positions whose taps fall on pixel `pixel`.
    #[inline(always)]
    fn covering(&self, pixel: usize) -> Covering {
        let (from, stride) = (pixel + self.before, self.stride.max(1));
        // The first is the least that is not more than all taps before.
        let first = (from + 1).saturating_sub(self.taps).div_ceil(stride);
        let end = (from / stride + 1).min(self.output);
        Covering { positions: first..end.max(first), tap: from.wrapping_sub(first * stride) }
    }
}

#[inline(always)]
pub(super) fn transpose_conv<W: Weights>(
    p: &TransposeConv,
    layer: &W,
    x: impl Elements<W::Element>,
    y: impl Sink<W::Result>,
    units: Units,
) {
    let filter = p.y.taps * p.x.taps * p.inputs;
    for unit in units {
        let picture = unit.checked_div(p.y.input).unwrap_or(0);
        let rows = p.y.covering(unit - picture * p.y.input);
        let row = p.to.start(unit);
        for column in units.along(0..p.x.input) {
            let columns = p.x.covering(column);
            let to = row + column * p.outputs;
            for output in 0..p.outputs {
                let weights = layer.values().part(output * filter..(output + 1) * filter);
                let mut sum = W::ZERO;
                // The reference adds pixel after pixel: taps backwards.
                let mut tap_y = rows.tap;
                for from_y in rows.positions.clone() {
                    let row = p.from.start(picture * p.y.output + from_y);
                    let mut tap_x = columns.tap;
                    for from_x in columns.positions.clone() {
                        let (from, at) = (row + from_x * p.inputs, (tap_y * p.x.taps + tap_x) * p.inputs);
                        for (x, w) in x.part(from..from + p.inputs).values().zip(weights.part(at..at + p.inputs)) {
                            sum = layer.add_real(sum, x, *w);
                        }
                        tap_x = tap_x.wrapping_sub(p.x.stride);
                    }
                    tap_y = tap_y.wrapping_sub(p.y.stride);
                }
                y.put(to + output, layer.finish_one(output, sum));
            }
        }
    }
}
