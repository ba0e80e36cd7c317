//! Depthwise convolution: a filter, or several, for each channel alone.

use super::slide::{Inside, Slide};
use super::weights::{Lanes, Weights, WeightsF32, WeightsI8, WeightsI16, WeightsU8};
use super::{Elements, Rows, Sink, Units};
use core::ops::Range;

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

/// Parameters of a depthwise convolution. Weights lie `[tap row, tap column, output]`.
#[derive(Clone, Copy, Debug)]
pub struct DepthwiseLayer<W> {
    /// The shape.
    pub shape: Depthwise,
    /// The weights.
    pub layer: W,
}

/// Parameters of [`depthwise_conv2d_f32`].
pub type DepthwiseF32<'a> = DepthwiseLayer<WeightsF32<'a>>;
/// Parameters of [`depthwise_conv2d_i8`].
pub type DepthwiseI8<'a> = DepthwiseLayer<WeightsI8<'a>>;
/// Parameters of [`depthwise_conv2d_u8`].
pub type DepthwiseU8<'a> = DepthwiseLayer<WeightsU8<'a>>;
/// Parameters of [`depthwise_conv2d_i16`].
pub type DepthwiseI16<'a> = DepthwiseLayer<WeightsI16<'a>>;

/// A unit is a row of the result, pictures in order. Up to four channels of a
/// pixel are written after all their taps have been read.
// Beside a machine's own kernels it is seldom met: inlined, it would add to the stack of all that are.
#[cfg_attr(any(waterline_arch = "dsp", waterline_arch = "mve"), inline(never))]
// Here it is left out of all layers that they take.
#[cfg_attr(any(waterline_arch = "thumb", waterline_arch = "riscv"), inline(always))]
pub fn depthwise_conv2d_i8(p: &DepthwiseI8<'_>, x: impl Elements<i8>, y: impl Sink<i8>, units: Units) {
    #[cfg(any(waterline_arch = "thumb", waterline_arch = "riscv", waterline_arch = "x86"))]
    if super::arch::depthwise_conv2d_i8(p, x, y, units) {
        return;
    }
    depthwise(&p.shape, &p.layer, x, y, units);
}

/// As [`depthwise_conv2d_i8`]; products are summed by tap row and tap column, then the bias is added.
pub fn depthwise_conv2d_f32(p: &DepthwiseF32<'_>, x: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
    #[cfg(waterline_fpu)]
    if p.shape.multiplier == 1 && super::arch::depthwise_f32(p, x, y, units) {
        return;
    }
    portable_f32(p, x, y, units);
}

// Beside a machine's own kernel it is seldom met: inlined, it would add to the stack of that.
#[cfg_attr(waterline_fpu, inline(never))]
fn portable_f32(p: &DepthwiseF32<'_>, x: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
    depthwise(&p.shape, &p.layer, x, y, units);
}

/// As [`depthwise_conv2d_i8`].
pub fn depthwise_conv2d_u8(p: &DepthwiseU8<'_>, x: impl Elements<u8>, y: impl Sink<u8>, units: Units) {
    depthwise(&p.shape, &p.layer, x, y, units);
}

/// As [`depthwise_conv2d_i8`].
pub fn depthwise_conv2d_i16(p: &DepthwiseI16<'_>, x: impl Elements<i16>, y: impl Sink<i16>, units: Units) {
    depthwise(&p.shape, &p.layer, x, y, units);
}

#[inline(always)]
pub(super) fn depthwise<W: Lanes<1> + Lanes<4>>(
    p: &Depthwise,
    layer: &W,
    x: impl Elements<W::Element>,
    y: impl Sink<W::Result>,
    units: Units,
) {
    // Held from pixel to pixel, the numbers would fill the stack.
    #[cfg(waterline_small)]
    let p = core::hint::black_box(p);
    let outputs = p.channels * p.multiplier;
    // Runs of results that read neighbouring elements, or all the same one.
    let run = if p.multiplier == 1 { p.channels } else { p.multiplier };
    for unit in units {
        let band = p.slide.band(unit);
        let top = p.slide.from.start(band.picture + band.rows.first);
        let row = Row { p, layer, from: p.slide.from, step: p.channels, rows: &band.rows.taps, top };
        let start = p.slide.row(unit);
        for column in units.along(0..p.slide.x.output) {
            let to = start + column * p.slide.pixel;
            let pixel = Pixel { row: &row, columns: p.slide.x.inside(column) };
            let (mut output, mut input) = (0, 0);
            while output < outputs {
                let end = output + run;
                while output + 4 <= end {
                    pixel.block::<4>(output, if p.multiplier == 1 { output } else { input }, x, y, to);
                    output += 4;
                }
                while output < end {
                    pixel.block::<1>(output, if p.multiplier == 1 { output } else { input }, x, y, to);
                    output += 1;
                }
                input += 1;
            }
        }
    }
}

/// A row of the result.
pub(super) struct Row<'a, W> {
    pub(super) p: &'a Depthwise,
    pub(super) layer: &'a W,
    /// How the image's rows lie.
    pub(super) from: Rows,
    /// Elements of the image from pixel to pixel.
    pub(super) step: usize,
    /// The tap rows inside the image.
    pub(super) rows: &'a Range<usize>,
    /// Where the row of the first of them starts.
    pub(super) top: usize,
}

/// A pixel of the result.
pub(super) struct Pixel<'a, W> {
    pub(super) row: &'a Row<'a, W>,
    pub(super) columns: Inside,
}

impl<W: Weights> Pixel<'_, W> {
    /// Computes and stores its `N` results from `output` on, which read the elements of pixels from `first` on, or that
    /// alone if there are several for each.
    #[inline(always)]
    pub(super) fn block<const N: usize>(
        &self,
        output: usize,
        first: usize,
        x: impl Elements<W::Element>,
        y: impl Sink<W::Result>,
        to: usize,
    ) where
        W: Lanes<N>,
    {
        let (p, slide) = (self.row.p, &self.row.p.slide);
        let outputs = p.channels * p.multiplier;
        let mut sums = [W::ZERO; N];
        let mut row = self.row.top;
        let whole = self.columns.taps.len() == slide.x.taps && self.row.rows.len() == slide.y.taps;
        if whole {
            // All taps, as many as a constant says.
            for tap in 0..slide.y.taps {
                let from = row + self.columns.first * self.row.step + first;
                sums = self.run(sums, x, from, tap * slide.x.taps * outputs + output, slide.x.taps);
                row = self.row.from.below(row, slide.y.dilation);
            }
        } else {
            for tap in self.row.rows.clone() {
                let from = row + self.columns.first * self.row.step + first;
                let at = (tap * slide.x.taps + self.columns.taps.start) * outputs + output;
                sums = self.run(sums, x, from, at, self.columns.taps.len());
                row = self.row.from.below(row, slide.y.dilation);
            }
            sums = self.outside(sums, output);
        }
        self.row.layer.store(output, sums, y, to + output);
    }

    /// `sums` and what `taps` neighbours in a row add, from elements at `from` and weights at `at` on.
    #[inline(always)]
    fn run<const N: usize>(
        &self,
        mut sums: [W::Sum; N],
        x: impl Elements<W::Element>,
        from: usize,
        at: usize,
        taps: usize,
    ) -> [W::Sum; N]
    where
        W: Lanes<N>,
    {
        let Depthwise { slide, channels, multiplier } = self.row.p;
        let (step, outputs) = (slide.x.dilation * self.row.step, channels * multiplier);
        let last = taps.saturating_sub(1);
        let (lanes, shared) = if *multiplier == 1 { (N, false) } else { (1, true) };
        let x = x.part(from..from + last * step + lanes);
        let w = self.row.layer.values().part(at..at + last * outputs + N);
        for tap in 0..taps {
            let (x, w) = (x.after(tap * step), w.after(tap * outputs));
            sums =
                if shared { self.row.layer.add_shared(sums, x.at(0), w) } else { self.row.layer.add_each(sums, x, w) };
        }
        sums
    }

    /// `sums` and what the taps outside the image add.
    #[inline(always)]
    fn outside<const N: usize>(&self, mut sums: [W::Sum; N], output: usize) -> [W::Sum; N]
    where
        W: Lanes<N>,
    {
        let outputs = self.row.p.channels * self.row.p.multiplier;
        let mut at = output;
        for row in 0..self.row.p.slide.y.taps {
            for column in 0..self.row.p.slide.x.taps {
                if !(self.row.rows.contains(&row) && self.columns.taps.contains(&column)) {
                    sums = self.row.layer.outside_each(sums, self.row.layer.values().after(at));
                }
                at += outputs;
            }
        }
        sums
    }
}
