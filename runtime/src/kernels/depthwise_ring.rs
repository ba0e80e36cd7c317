//! Depthwise layers in place: a few channels at a time, whose rows are copied into a ring before they are overwritten.

use super::depthwise::{Depthwise, DepthwiseF32, DepthwiseI8, DepthwiseI16, DepthwiseU8, Pixel};
use super::weights::Lanes;
use super::{Elements, Rows, Sink, Units};

/// Channels that are computed together.
const LANES: usize = 4;

/// A unit is four channels, or one of those that are left behind the last four, of all pixels. All rows of the image
/// that a row of the result depends on are read before that is written, and none of them again. One result a channel;
/// the result is whole, `to.held` rows. `ring` is scratch: as many rows of a unit's channels as a filter reaches over.
pub fn depthwise_conv2d_ring_i8(
    p: &DepthwiseI8<'_>,
    x: impl Elements<i8>,
    y: impl Sink<i8>,
    ring: impl Sink<i8>,
    units: Units,
) {
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
    let fours = p.channels / LANES;
    for unit in units {
        if unit < fours {
            channels::<4, W>(p, layer, LANES * unit, x, y, ring, units);
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
    let reach = slide.y.taps.saturating_sub(1) * slide.y.dilation + 1;
    let from = Rows { stride: N * slide.x.input, held: reach.min(slide.y.input) };
    // The rows of the picture that were not yet brought into the ring.
    let mut unread = 0..0;
    let mut picture = None;
    for row in direction.along(0..slide.to.held) {
        let band = slide.band(row);
        if picture != Some(band.picture) {
            picture = Some(band.picture);
            unread = band.picture..band.picture + slide.y.input;
        }
        let top = band.picture + band.rows.first;
        if let Some(last) = band.rows.taps.end.checked_sub(1).filter(|last| band.rows.taps.contains(last)) {
            // Rows between those of the taps may be those of later ones.
            let rows = if direction.is_backward() {
                let rows = top..unread.end;
                unread.end = unread.end.min(top);
                rows
            } else {
                let rows = unread.start..band.row(slide, last) + 1;
                unread.start = unread.start.max(rows.end);
                rows
            };
            for row in direction.along(rows.start..rows.end.max(rows.start)) {
                copy::<N, _>(x, slide.from.start(row) + first, p.channels, ring, from.start(row), slide.x.input);
            }
        }
        let to = slide.row(row);
        for column in 0..slide.x.output {
            let (rows, top, columns) = (&band.rows.taps, from.start(top), slide.x.inside(column));
            let pixel = Pixel { p, layer, from, step: N, rows, top, columns };
            pixel.block::<N>(first, 0, ring, y, to + column * slide.pixel);
        }
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
