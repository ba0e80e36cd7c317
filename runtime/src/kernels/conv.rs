//! Two-dimensional convolution.

use super::slide::{Band, Inside, Slide};
use super::weights::{Lanes, Weights, WeightsF32, WeightsI8, WeightsI16, WeightsU8};
use super::{Elements, Sink, Units};
use core::hint::black_box;

/// The shape of a convolution.
#[derive(Clone, Copy, Debug)]
pub struct Conv {
    /// How its filters slide.
    pub slide: Slide,
    /// Groups of channels that do not mix.
    pub groups: usize,
    /// Channels of the argument in a group.
    pub inputs: usize,
    /// Channels of the result in a group.
    pub outputs: usize,
}

/// Parameters of a convolution. Weights lie `[output, tap row, tap column, input of its group]`.
#[derive(Clone, Copy, Debug)]
pub struct ConvLayer<W> {
    /// The shape.
    pub shape: Conv,
    /// The weights.
    pub layer: W,
}

/// Parameters of [`conv2d_f32`].
pub type ConvF32<'a> = ConvLayer<WeightsF32<'a>>;
/// Parameters of [`conv2d_i8`].
pub type ConvI8<'a> = ConvLayer<WeightsI8<'a>>;
/// Parameters of [`conv2d_u8`].
pub type ConvU8<'a> = ConvLayer<WeightsU8<'a>>;
/// Parameters of [`conv2d_i16`].
pub type ConvI16<'a> = ConvLayer<WeightsI16<'a>>;

/// A unit is a row of the result, pictures in order. Up to four channels of a
/// pixel are written after all their taps have been read.
// Beside a machine's own kernels it is seldom met: inlined, it would add to the stack of all that are.
#[cfg_attr(any(waterline_arch = "dsp", waterline_arch = "mve"), inline(never))]
pub fn conv2d_i8(p: &ConvI8<'_>, x: impl Elements<i8>, y: impl Sink<i8>, units: Units) {
    #[cfg(any(waterline_arch = "thumb", waterline_arch = "riscv", waterline_arch = "x86"))]
    if super::arch::conv2d_i8(p, x, y, units) {
        return;
    }
    conv2d(&p.shape, &p.layer, x, y, units);
}

/// As [`conv2d_i8`]; products are summed by tap row, tap column and channel, then the bias is added.
pub fn conv2d_f32(p: &ConvF32<'_>, x: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
    #[cfg(waterline_fpu)]
    if super::arch::conv2d_f32(p, x, y, units) {
        return;
    }
    portable_f32(p, x, y, units);
}

// Beside a machine's own kernel it is seldom met: inlined, it would add to the stack of that.
#[cfg_attr(waterline_fpu, cold, inline(never))]
fn portable_f32(p: &ConvF32<'_>, x: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
    // Held from pixel to pixel, the numbers would fill the stack: no register outlives products that are calls.
    #[cfg(waterline_small)]
    let p = black_box(p);
    conv2d(&p.shape, &p.layer, x, y, units);
}

/// As [`conv2d_i8`].
pub fn conv2d_u8(p: &ConvU8<'_>, x: impl Elements<u8>, y: impl Sink<u8>, units: Units) {
    conv2d(&p.shape, &p.layer, x, y, units);
}

/// As [`conv2d_i8`].
pub fn conv2d_i16(p: &ConvI16<'_>, x: impl Elements<i16>, y: impl Sink<i16>, units: Units) {
    conv2d(&p.shape, &p.layer, x, y, units);
}

#[inline(always)]
pub(super) fn conv2d<W: Lanes<1> + Lanes<4>>(
    p: &Conv,
    layer: &W,
    x: impl Elements<W::Element>,
    y: impl Sink<W::Result>,
    units: Units,
) {
    for unit in units {
        let band = p.slide.band(unit);
        let row = p.slide.row(unit);
        for column in units.along(0..p.slide.x.output) {
            let to = row + column * p.slide.pixel;
            let pixel = Pixel { p, layer, band: &band, columns: p.slide.x.inside(column) };
            for group in 0..p.groups {
                let end = (group + 1) * p.outputs;
                let mut channel = group * p.outputs;
                while channel + 4 <= end {
                    pixel.block::<4>(group, channel, x, y, to);
                    channel += 4;
                }
                while channel < end {
                    pixel.block::<1>(group, channel, x, y, to);
                    channel += 1;
                }
            }
        }
    }
}

/// Values of a window from which on it is too long to be unrolled.
const LONG: usize = 72;

/// A pixel of the result.
struct Pixel<'a, W> {
    p: &'a Conv,
    layer: &'a W,
    band: &'a Band,
    columns: Inside,
}

impl<W: Weights> Pixel<'_, W> {
    /// Computes and stores its `N` channels from `channel` of `group` on.
    #[inline(always)]
    fn block<const N: usize>(
        &self,
        group: usize,
        channel: usize,
        x: impl Elements<W::Element>,
        y: impl Sink<W::Result>,
        to: usize,
    ) where
        W: Lanes<N>,
    {
        let (p, slide) = (self.p, &self.p.slide);
        let filter_row = slide.x.taps * p.inputs;
        let filter = slide.y.taps * filter_row;
        let filters: [&[W::Weight]; N] = self.layer.filters(channel * filter, filter);

        // Neighbouring taps are neighbours in the image too unless something lies between them.
        let taps = self.columns.taps.len();
        let side_by_side = slide.x.dilation == 1 && p.groups == 1;
        let (runs, run) = if side_by_side { (1, taps * p.inputs) } else { (taps, p.inputs) };
        let pixel = p.groups * p.inputs;
        // Specialised to constant parameters, a long window would be unrolled and all its values kept on the stack.
        let run = if slide.y.taps * run > LONG { black_box(run) } else { run };

        let mut sums = [W::ZERO; N];
        for tap in self.band.rows.taps.clone() {
            let row = slide.from.start(self.band.row(slide, tap));
            let mut from = row + self.columns.first * pixel + group * p.inputs;
            let mut at = tap * filter_row + self.columns.taps.start * p.inputs;
            for _ in 0..runs {
                sums = self.layer.dot(sums, x.part(from..from + run), W::after(filters, at));
                from += slide.x.dilation * pixel;
                at += run;
            }
        }
        if taps < slide.x.taps || self.band.rows.taps.len() < slide.y.taps {
            for (sum, filter) in sums.iter_mut().zip(filters) {
                *sum = self.outside(*sum, filter);
            }
        }
        self.layer.store(channel, sums, y, to + channel);
    }

    /// `sum` and what the taps of `filter` outside the image add.
    #[inline(always)]
    fn outside(&self, mut sum: W::Sum, filter: &[W::Weight]) -> W::Sum {
        let (columns, depth) = (&self.columns.taps, self.p.inputs);
        let filter_row = self.p.slide.x.taps * depth;
        for tap in 0..self.p.slide.y.taps {
            let row = filter.part(tap * filter_row..(tap + 1) * filter_row);
            if self.band.rows.taps.contains(&tap) {
                sum = self.layer.outside(sum, row.part(0..columns.start * depth));
                sum = self.layer.outside(sum, row.part(columns.end * depth..filter_row));
            } else {
                sum = self.layer.outside(sum, row);
            }
        }
        sum
    }
}
