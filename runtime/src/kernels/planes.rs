//! Depthwise layers of i8 for machines that sum the products of two vectors of 16 bytes at once.
//!
//! Of eight channels at a time, the rows of the image that a row of the result depends on go into scratch as *planes*,
//! one a channel: column by column, the elements of a column side by side. There a filter's window is a run of bytes.

use super::arch::{Filter, Plane};
use super::blocked::BLOCK;
use super::depthwise::{Depthwise, DepthwiseLayer};
use super::slide::Slide;
use super::{Elements, Sink, Units, arch};
use core::ops::Range;

/// Channels that are computed together.
pub(super) const CHANNELS: usize = 8;
/// Channels whose multipliers and the like lie side by side.
pub(super) const LANES: usize = 4;

/// Weights of a quantised depthwise layer for planes.
///
/// For each eight channels, the last eight of another number again in part, and each four of them: for each of the
/// four blocks of 16 weights, each where its element lies in a window's run, zeros between them; four times the bias
/// minus the argument's zero point times the sum of the weights; four multipliers; four times minus the bits that
/// results are shifted to the right, at least one.
#[derive(Clone, Copy, Debug)]
pub struct PlanesI8<'a> {
    /// The weights and what belongs to them.
    pub blocked: &'a [i32],
    /// Blocks of a window, one to four.
    pub blocks: usize,
    /// Bytes from a column to the next in a plane, no fewer than a filter has rows.
    pub pitch: usize,
    /// Bytes of a plane: room for the windows of the result's row, its length rounded up to eights.
    pub plane: usize,
    /// The argument's zero point: what stands outside the image.
    pub from: i32,
    /// The result's zero point.
    pub to: i32,
    /// Lower bound of the result.
    pub min: i32,
    /// Upper bound of the result.
    pub max: i32,
}

/// Parameters of [`depthwise_conv2d_planes_i8`].
pub type DepthwisePlanesI8<'a> = DepthwiseLayer<PlanesI8<'a>>;

/// A unit is a row of the result, pictures in order. Of eight channels at a time, all that the row depends on is read
/// before any of it is written; where their number is not a multiple of eight, the last eight overlap those before.
/// One result a channel, at least eight channels. `planes` is scratch of eight planes.
pub fn depthwise_conv2d_planes_i8(
    p: &DepthwisePlanesI8<'_>,
    x: impl Elements<i8>,
    y: impl Sink<i8>,
    planes: impl Sink<i8>,
    units: Units,
) {
    // Columns beside the image stay as they are.
    fill(planes, p.layer.from);
    for unit in units {
        let to = p.shape.slide.row(unit);
        let rows = Rows::new(&p.shape.slide, unit);
        for group in 0..p.shape.channels.div_ceil(CHANNELS) {
            let first = (group * CHANNELS).min(p.shape.channels.saturating_sub(CHANNELS));
            spread(p, &rows, x, planes, first);
            filter(p, planes, y, group, to + first);
        }
    }
}

/// The rows of the image that a row of the result depends on.
struct Rows {
    unit: usize,
    /// Where the first starts.
    top: usize,
    /// Which taps they are.
    taps: Range<usize>,
    /// How many lie evenly apart: all, or one.
    even: usize,
}

impl Rows {
    #[inline(always)]
    fn new(slide: &Slide, unit: usize) -> Self {
        let band = slide.band(unit);
        let taps = band.rows.taps.clone();
        let even = if taps.is_empty() { 0 } else { band.stretch(slide, taps.start) };
        Self { unit, top: slide.from.start(band.picture + band.rows.first), taps, even }
    }
}

/// Brings the eight channels from `first` on of the rows to their planes.
#[inline(always)]
fn spread(p: &DepthwisePlanesI8<'_>, rows: &Rows, x: impl Elements<i8>, planes: impl Sink<i8>, first: usize) {
    if rows.taps.len() < p.shape.slide.y.taps {
        fill(planes, p.layer.from);
    }
    arch::spread(x, planes, &plane(p, rows.top + first, rows.taps.start, rows.even));
    if rows.even < rows.taps.len() {
        uneven(p, rows, x, planes, first);
    }
}

/// As [`spread`], of the rows after the first, one by one.
#[inline(never)]
fn uneven(p: &DepthwisePlanesI8<'_>, rows: &Rows, x: impl Elements<i8>, planes: impl Sink<i8>, first: usize) {
    let slide = &p.shape.slide;
    let band = slide.band(rows.unit);
    for tap in rows.taps.clone().skip(1) {
        arch::spread(x, planes, &plane(p, slide.from.start(band.row(slide, tap)) + first, tap, 1));
    }
}

/// `rows` rows of the image from `from` on, the first of them that of `tap`.
#[inline(always)]
fn plane(p: &DepthwisePlanesI8<'_>, from: usize, tap: usize, rows: usize) -> Plane {
    let DepthwiseLayer { shape: Depthwise { slide, channels, .. }, layer } = p;
    let last = (slide.x.output - 1) * slide.x.stride + (slide.x.taps - 1) * slide.x.dilation + 1;
    Plane {
        from,
        step: *channels,
        count: slide.x.input.min(last.saturating_sub(slide.x.before)),
        rows,
        row_step: slide.row_step(),
        at: slide.x.before * layer.pitch + tap,
        pitch: layer.pitch,
        plane: layer.plane,
    }
}

/// Computes the eight channels of `group` of a row, the first pixel's at `to`.
#[inline(always)]
fn filter(p: &DepthwisePlanesI8<'_>, planes: impl Sink<i8>, y: impl Sink<i8>, group: usize, to: usize) {
    let (slide, layer) = (&p.shape.slide, &p.layer);
    let step = slide.x.stride * layer.pitch;
    arch::filter_planes(layer, planes, y, Filter { group, to, to_step: slide.pixel, pixels: slide.x.output, step });
}

/// Words of four channels with so many blocks.
pub(super) const fn words(blocks: usize) -> usize {
    LANES * (blocks * BLOCK / 4 + 3)
}

/// Every byte.
#[allow(clippy::cast_possible_truncation, reason = "a zero point of i8")]
fn fill(to: impl Sink<i8>, value: i32) {
    arch::fill_bytes(to, 0..to.count(), value as i8);
}
