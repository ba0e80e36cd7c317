//! Depthwise convolution: a filter, or several, for each channel alone.

use super::slide::{Band, Inside, Slide};
use super::weights::{Weights, WeightsF32, WeightsI8};
use super::{Elements, Sink};
use core::ops::Range;

/// Channels computed together: their sums stay on the stack.
const BLOCK: usize = 8;

/// The shape of a depthwise convolution.
#[derive(Clone, Copy, Debug)]
pub struct Depthwise {
    /// How its filters slide.
    pub slide: Slide,
    /// Channels of the argument.
    pub channels: usize,
    /// Results for each channel, side by side.
    pub multiplier: usize,
}

/// Parameters of [`depthwise_conv2d_i8`]. Weights lie `[tap row, tap column, output]`.
#[derive(Clone, Copy, Debug)]
pub struct DepthwiseI8<'a> {
    /// The shape.
    pub shape: Depthwise,
    /// The weights.
    pub layer: WeightsI8<'a>,
}

/// Parameters of [`depthwise_conv2d_f32`]. Weights lie as those of [`DepthwiseI8`].
#[derive(Clone, Copy, Debug)]
pub struct DepthwiseF32<'a> {
    /// The shape.
    pub shape: Depthwise,
    /// The weights.
    pub layer: WeightsF32<'a>,
}

/// A unit is a row of the result, pictures in order. Up to eight channels of a
/// pixel are written after all their taps have been read.
pub fn depthwise_conv2d_i8(p: &DepthwiseI8<'_>, x: impl Elements<i8>, y: impl Sink<i8>, units: Range<usize>) {
    depthwise(&p.shape, &p.layer, x, y, units);
}

/// As [`depthwise_conv2d_i8`]; products are summed by tap row and tap column, then the bias is added.
pub fn depthwise_conv2d_f32(p: &DepthwiseF32<'_>, x: impl Elements<f32>, y: impl Sink<f32>, units: Range<usize>) {
    depthwise(&p.shape, &p.layer, x, y, units);
}

#[inline(always)]
fn depthwise<W: Weights>(
    p: &Depthwise,
    layer: &W,
    x: impl Elements<W::Element>,
    y: impl Sink<W::Element>,
    units: Range<usize>,
) {
    let outputs = p.channels * p.multiplier;
    // Runs of results that read neighbouring elements, or the same one.
    let run = if p.multiplier == 1 { p.channels } else { p.multiplier };
    for unit in units {
        let band = p.slide.band(unit);
        let mut to = p.slide.to.start(unit);
        for column in 0..p.slide.x.output {
            let pixel = Pixel { p, layer, band: &band, columns: p.slide.x.inside(column) };
            let (mut output, mut input) = (0, 0);
            while output < outputs {
                let end = output + run;
                while output < end {
                    let block = output..end.min(output + BLOCK);
                    pixel.block(block.clone(), if p.multiplier == 1 { output } else { input }, x, y, to);
                    output = block.end;
                }
                input += 1;
            }
            to += outputs;
        }
    }
}

/// A pixel of the result.
struct Pixel<'a, W> {
    p: &'a Depthwise,
    layer: &'a W,
    band: &'a Band,
    columns: Inside,
}

impl<W: Weights> Pixel<'_, W> {
    /// Computes and stores `channels`, at most [`BLOCK`], the first of which reads channel `input`.
    #[inline(always)]
    fn block(
        &self,
        channels: Range<usize>,
        input: usize,
        x: impl Elements<W::Element>,
        y: impl Sink<W::Element>,
        to: usize,
    ) {
        let (p, slide) = (self.p, &self.p.slide);
        let outputs = p.channels * p.multiplier;
        let weights = self.layer.values();
        let filter = |tap: usize| weights.part(tap * outputs + channels.start..tap * outputs + channels.end);
        let mut sums = [W::ZERO; BLOCK];
        for tap_y in self.band.rows.taps.clone() {
            let row = slide.from.start(self.band.row(slide, tap_y));
            let mut from = row + self.columns.first * p.channels + input;
            for tap_x in self.columns.taps.clone() {
                let filter = filter(tap_y * slide.x.taps + tap_x);
                if p.multiplier == 1 {
                    let x = x.part(from..from + channels.len());
                    for ((sum, x), w) in sums.iter_mut().zip(x.values()).zip(filter) {
                        *sum = W::add(*sum, x, *w);
                    }
                } else {
                    let x = x.at(from);
                    for (sum, w) in sums.iter_mut().zip(filter) {
                        *sum = W::add(*sum, x, *w);
                    }
                }
                from += slide.x.dilation * p.channels;
            }
        }
        if self.columns.taps.len() < slide.x.taps || self.band.rows.taps.len() < slide.y.taps {
            for tap_y in 0..slide.y.taps {
                for tap_x in 0..slide.x.taps {
                    if !(self.band.rows.taps.contains(&tap_y) && self.columns.taps.contains(&tap_x)) {
                        for (sum, w) in sums.iter_mut().zip(filter(tap_y * slide.x.taps + tap_x)) {
                            *sum = self.layer.outside(*sum, core::slice::from_ref(w));
                        }
                    }
                }
            }
        }
        for (channel, sum) in channels.zip(sums) {
            y.put(to + channel, self.layer.finish(channel, sum));
        }
    }
}
