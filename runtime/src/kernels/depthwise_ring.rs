//! Depthwise layers in place: a few channels at a time, whose rows are copied into a ring before they are overwritten.

use super::depthwise::{Depthwise, DepthwiseF32, DepthwiseI8, DepthwiseI16, DepthwiseU8, Pixel, Row};
use super::slide::{Band, Slide};
use super::weights::Lanes;
use super::{Elements, Rows, Sink, Units};
use core::ops::Range;

/// Channels that are computed together, and lie together in a ring.
pub(super) const LANES: usize = 4;

/// A unit is four channels, or one of those that are left behind the last four, of all pixels. All rows of the image
/// that a row of the result depends on are read before that is written, and none of them again. One result a channel;
/// the result is whole, `to.held` rows. `ring` is scratch: as many rows of a unit's channels as a filter reaches over.
// Without this the portable kernel would stand beside a machine's own.
#[cfg_attr(any(waterline_arch = "thumb", waterline_arch = "riscv"), inline(always))]
pub fn depthwise_conv2d_ring_i8(
    p: &DepthwiseI8<'_>,
    x: impl Elements<i8>,
    y: impl Sink<i8>,
    ring: impl Sink<i8>,
    units: Units,
) {
    #[cfg(any(waterline_arch = "thumb", waterline_arch = "riscv"))]
    if super::arch::depthwise_conv2d_ring_i8(p, x, y, ring, units) {
        return;
    }
    depthwise(&p.shape, &p.layer, x, y, ring, units);
}

/// As [`depthwise_conv2d_ring_i8`]; products are summed by tap row and tap column, then the bias is added.
pub fn depthwise_conv2d_ring_f32(
    p: &DepthwiseF32<'_>,
    x: impl Elements<f32>,
    y: impl Sink<f32>,
    ring: impl Sink<f32>,
    units: Units,
) {
    depthwise(&p.shape, &p.layer, x, y, ring, units);
}

/// As [`depthwise_conv2d_ring_i8`].
pub fn depthwise_conv2d_ring_u8(
    p: &DepthwiseU8<'_>,
    x: impl Elements<u8>,
    y: impl Sink<u8>,
    ring: impl Sink<u8>,
    units: Units,
) {
    depthwise(&p.shape, &p.layer, x, y, ring, units);
}

/// As [`depthwise_conv2d_ring_i8`].
pub fn depthwise_conv2d_ring_i16(
    p: &DepthwiseI16<'_>,
    x: impl Elements<i16>,
    y: impl Sink<i16>,
    ring: impl Sink<i16>,
    units: Units,
) {
    depthwise(&p.shape, &p.layer, x, y, ring, units);
}

#[inline(always)]
fn depthwise<W: Lanes<1> + Lanes<4>>(
    p: &Depthwise,
    layer: &W,
    x: impl Elements<W::Element>,
    y: impl Sink<W::Result>,
    ring: impl Sink<W::Element>,
    units: Units,
) {
    // Held from pixel to pixel, the numbers would fill the stack.
    #[cfg(waterline_small)]
    let p = core::hint::black_box(p);
    let fours = p.channels / LANES;
    for unit in units {
        if unit < fours {
            channels::<LANES, W>(p, layer, LANES * unit, x, y, ring, units);
        } else {
            channels::<1, W>(p, layer, unit + (LANES - 1) * fours, x, y, ring, units);
        }
    }
}

/// All rows of `N` channels from `first` on.
#[inline(always)]
fn channels<const N: usize, W: Lanes<N>>(
    p: &Depthwise,
    layer: &W,
    first: usize,
    x: impl Elements<W::Element>,
    y: impl Sink<W::Result>,
    ring: impl Sink<W::Element>,
    direction: Units,
) {
    let slide = &p.slide;
    let (lie, mut unread) = (ring_rows(slide, N), Unread::new());
    for unit in direction.along(0..slide.to.held) {
        let band = slide.band(unit);
        for row in unread.lacking(slide, &band, direction) {
            bring(p, lie, row, first, x, ring);
        }
        let top = lie.start(band.picture + band.rows.first);
        let row = Row { p, layer, from: lie, step: N, rows: &band.rows.taps, top };
        let start = slide.row(unit);
        for column in 0..slide.x.output {
            let pixel = Pixel { row: &row, columns: slide.x.inside(column) };
            pixel.block::<N>(first, 0, ring, y, start + column * slide.pixel);
        }
    }
}

/// How the rows of a ring lie, which holds those of four channels, or of one.
#[inline(always)]
pub(super) fn ring_rows(slide: &Slide, channels: usize) -> Rows {
    let reach = slide.y.taps.saturating_sub(1) * slide.y.dilation + 1;
    Rows { stride: channels * slide.x.input, held: reach.min(slide.y.input) }
}

/// The rows of a picture that were not yet brought into a ring.
pub(super) struct Unread {
    rows: Range<usize>,
    /// Where the picture starts; at first none does.
    picture: usize,
}

impl Unread {
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self { rows: 0..0, picture: usize::MAX }
    }

    /// The rows that are lacking for those of `band`.
    #[cfg_attr(any(waterline_arch = "thumb", waterline_arch = "riscv"), inline(never))]
    #[cfg_attr(not(any(waterline_arch = "thumb", waterline_arch = "riscv")), inline(always))]
    pub(super) fn lacking(&mut self, slide: &Slide, band: &Band, direction: Units) -> Units {
        if self.picture != band.picture {
            self.picture = band.picture;
            self.rows = band.picture..band.picture + slide.y.input;
        }
        let top = band.picture + band.rows.first;
        let taps = &band.rows.taps;
        let Some(last) = taps.end.checked_sub(1).filter(|last| taps.contains(last)) else {
            return Units::forward(0..0);
        };
        // Rows between those of the taps may be those of later ones.
        let rows = if direction.is_backward() {
            let rows = top..self.rows.end;
            self.rows.end = self.rows.end.min(top);
            rows
        } else {
            let rows = self.rows.start..band.row(slide, last) + 1;
            self.rows.start = self.rows.start.max(rows.end);
            rows
        };
        direction.along(rows.start..rows.end.max(rows.start))
    }
}

/// Brings in a row, of the channels from `first` on.
#[inline(always)]
pub(super) fn bring<T: Copy>(
    p: &Depthwise,
    lie: Rows,
    row: usize,
    first: usize,
    x: impl Elements<T>,
    ring: impl Sink<T>,
) {
    let (from, to) = (p.slide.from.start(row) + first, lie.start(row));
    if lie.stride > p.slide.x.input {
        copy::<LANES, _>(x, from, p.channels, ring, to, p.slide.x.input);
    } else {
        copy::<1, _>(x, from, p.channels, ring, to, p.slide.x.input);
    }
}

/// `N` elements of each of `count` pixels that lie `step` apart from `from` on.
#[inline(always)]
fn copy<const N: usize, T: Copy>(
    x: impl Elements<T>,
    mut from: usize,
    step: usize,
    ring: impl Sink<T>,
    mut to: usize,
    count: usize,
) {
    for _ in 0..count {
        for lane in 0..N {
            ring.put(to + lane, x.at(from + lane));
        }
        from += step;
        to += N;
    }
}
