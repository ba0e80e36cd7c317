//! Depthwise layers of i8 for machines that sum the products of two vectors of 16 bytes at once.
//!
//! Of eight channels at a time, the rows of the image that a row of the result depends on go into scratch as *planes*,
//! one a channel: column by column, the elements of a column side by side. There a filter's window is a run of bytes.

use super::arch::{Apart, Copies, Filter, Plane};
use super::blocked::BLOCK;
use super::depthwise::{Depthwise, DepthwiseLayer};
use super::slide::Slide;
use super::{Elements, Sink, Taps, Units, arch};
use core::hint::black_box;
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
/// results are shifted to the right, at least one, in the lowest byte, and in the next the bits that sums are shifted to
/// the left before the bias is added, which is scaled likewise. These are zero where two pixels are computed together.
#[derive(Clone, Copy, Debug)]
pub struct PlanesI8<'a> {
    /// The weights and what belongs to them.
    pub blocked: &'a [i32],
    /// Blocks of a window, one to four.
    pub blocks: usize,
    /// Bytes from a column to the next in a plane, no fewer than a filter has rows.
    pub pitch: usize,
    /// Bytes of a plane: room for the windows of a part of the result's row.
    pub plane: usize,
    /// Pixels of a part, the last of a row may have fewer.
    pub part: usize,
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

/// A unit is a row of the result, pictures in order. Of a part of it, eight channels at a time, all that these depend
/// on is read before any of them is written; where their number is not a multiple of eight, the last eight overlap
/// those before. One result a channel, at least eight channels. `planes` is scratch of eight planes, and of what the
/// windows of the last reach further: in whole blocks, of eight pixels at a time, or of two where windows are one block
/// and 4 or 8 bytes apart.
#[inline(never)]
pub fn depthwise_conv2d_planes_i8(
    p: &DepthwisePlanesI8<'_>,
    x: impl Elements<i8>,
    y: impl Sink<i8>,
    planes: impl Sink<i8>,
    units: Units,
) {
    // Columns beside the image stay as they are where a row is one part.
    fill(planes, 0..planes.count(), p.layer.from);
    for index in 0..units.count() * p.parts() {
        // Read again for each part: held, the numbers would fill the stack.
        let p = black_box(p);
        let (slide, parts) = (&p.shape.slide, p.parts());
        let unit = units.at(index / parts);
        let start = units.along(0..parts).at(index % parts) * p.layer.part;
        let (rows, columns) = (Rows::new(slide, unit, 0), p.columns(start));
        if rows.taps.len() < slide.y.taps || parts > 1 && columns.cut {
            fill(planes, 0..planes.count(), p.layer.from);
        }
        if rows.even < rows.taps.len() {
            uneven(p, x, y, planes, unit, start);
        } else {
            filter(
                p,
                &rows,
                &columns,
                x,
                y,
                planes,
                Part { unit, start, channels: p.shape.channels, first: 0, group: 0 },
            );
        }
    }
}

/// As [`depthwise_conv2d_planes_i8`], in place: a unit is eight channels of all pixels, whose rows stay in the planes
/// as long as results depend on them. All rows of the image that a row of the result depends on are read before that is
/// written, and none of them again. The result is whole, `to.held` rows, and made from the first on whatever is asked.
/// A multiple of eight channels, rows of taps side by side, a row of pixels as the only part.
#[inline(never)]
pub fn depthwise_conv2d_planes_ring_i8(
    p: &DepthwisePlanesI8<'_>,
    x: impl Elements<i8>,
    y: impl Sink<i8>,
    planes: impl Sink<i8>,
    units: Units,
) {
    for unit in units {
        for row in 0..p.shape.slide.to.held {
            let p = black_box(p);
            let (slide, layer) = (&p.shape.slide, &p.layer);
            let columns = p.columns(0);
            let at = columns.at * layer.pitch;
            let first = row % slide.y.output.max(1) == 0;
            let kept = if first { 0 } else { slide.y.taps.saturating_sub(slide.y.stride) };
            let rows = Rows::new(slide, row, kept);
            if kept == 0 {
                fill(planes, 0..planes.count(), layer.from);
            } else {
                // Each row goes to the place of the tap that it meets next. What follows in a column is written again.
                let len = (columns.count * layer.pitch).saturating_sub(slide.y.stride);
                let runs = Copies { from: at + slide.y.stride, step: layer.plane, len, count: CHANNELS };
                arch::copy(planes, runs, planes, at, layer.plane, Apart::ONE);
                for tap in kept.max(rows.taps.end)..slide.y.taps {
                    blank(layer, planes, at + tap, columns.count);
                }
            }
            let part = Part { unit: row, start: 0, channels: CHANNELS, first: unit * CHANNELS, group: unit };
            filter(p, &rows, &columns, x, y, planes, part);
        }
    }
}

impl DepthwisePlanesI8<'_> {
    /// Into how many parts a row of the result is divided.
    #[inline(always)]
    fn parts(&self) -> usize {
        self.shape.slide.x.output.div_ceil(self.layer.part.max(1)).max(1)
    }

    /// How many pixels the part has that begins at `start`.
    #[inline(always)]
    fn pixels(&self, start: usize) -> usize {
        self.layer.part.min(self.shape.slide.x.output.saturating_sub(start))
    }

    /// The columns of the image that these depend on.
    #[inline(always)]
    fn columns(&self, start: usize) -> Columns {
        Columns::new(&self.shape.slide.x, start, self.pixels(start))
    }
}

/// The rows of the image that a row of the result depends on.
struct Rows {
    /// Which taps they are.
    taps: Range<usize>,
    /// Where the first starts.
    top: usize,
    /// How many lie evenly apart: all, or one.
    even: usize,
}

impl Rows {
    /// Those of row `unit` whose taps are `from` or more.
    #[inline(always)]
    fn new(slide: &Slide, unit: usize, from: usize) -> Self {
        let band = slide.band(unit);
        let taps = from.max(band.rows.taps.start)..band.rows.taps.end;
        if taps.is_empty() {
            return Self { taps, top: 0, even: 0 };
        }
        let (top, even) = (slide.from.start(band.row(slide, taps.start)), band.stretch(slide, taps.start));
        Self { taps, top, even }
    }
}

/// Neighbouring pixels of a row of the result.
#[derive(Clone, Copy)]
struct Part {
    /// The row.
    unit: usize,
    /// The first pixel.
    start: usize,
    /// How many channels, eight at a time.
    channels: usize,
    /// The first channel.
    first: usize,
    /// Which eight of the layer's are the first.
    group: usize,
}

/// Computes them by `rows`, which lie evenly apart, and `columns`.
#[inline(always)]
fn filter(
    p: &DepthwisePlanesI8<'_>,
    rows: &Rows,
    columns: &Columns,
    x: impl Elements<i8>,
    y: impl Sink<i8>,
    planes: impl Sink<i8>,
    part: Part,
) {
    let Part { unit, start, channels, first, group } = part;
    let (slide, pixels) = (&p.shape.slide, p.pixels(start));
    let plane = plane(p, columns, rows.top + first, rows.taps.start, rows.even);
    let (to, step) = (slide.row(unit) + start * slide.pixel + first, slide.x.stride * p.layer.pitch);
    arch::filter_planes(
        &p.layer,
        x,
        planes,
        y,
        plane,
        Filter { group, channels, to, to_step: slide.pixel, pixels, step },
    );
}

/// The part of row `unit` that begins at `start`, with rows that go to the planes one by one.
#[cold]
#[inline(never)]
fn uneven(
    p: &DepthwisePlanesI8<'_>,
    x: impl Elements<i8>,
    y: impl Sink<i8>,
    planes: impl Sink<i8>,
    unit: usize,
    start: usize,
) {
    for group in 0..p.shape.channels.div_ceil(CHANNELS) {
        let p = black_box(p);
        let slide = &p.shape.slide;
        let first = (group * CHANNELS).min(p.shape.channels.saturating_sub(CHANNELS));
        let (rows, columns, band) = (Rows::new(slide, unit, 0), p.columns(start), slide.band(unit));
        for tap in rows.taps.clone().skip(1) {
            let from = slide.from.start(band.row(slide, tap)) + first;
            arch::spread(x, planes, &plane(p, &columns, from, tap, 1));
        }
        filter(p, &rows, &columns, x, y, planes, Part { unit, start, channels: CHANNELS, first, group });
    }
}

/// `rows` rows of the image from `from` on, the first of them that of `tap`.
#[inline(always)]
fn plane(p: &DepthwisePlanesI8<'_>, columns: &Columns, from: usize, tap: usize, rows: usize) -> Plane {
    let DepthwiseLayer { shape: Depthwise { slide, channels, .. }, layer } = p;
    Plane {
        from: from + columns.first * channels,
        step: *channels,
        count: columns.count,
        rows,
        row_step: slide.row_step(),
        at: columns.at * layer.pitch + tap,
        pitch: layer.pitch,
        plane: layer.plane,
    }
}

/// A row outside the image from `at` on in all planes.
fn blank(layer: &PlanesI8<'_>, planes: impl Sink<i8>, at: usize, columns: usize) {
    for (plane, column) in (0..CHANNELS).flat_map(|plane| (0..columns).map(move |column| (plane, column))) {
        let at = plane * layer.plane + at + column * layer.pitch;
        fill(planes, at..at + 1, layer.from);
    }
}

/// The columns of the image that neighbouring pixels of a row depend on.
struct Columns {
    /// The first in the image.
    first: usize,
    /// How many there are in the image.
    count: usize,
    /// How many lie beside the image before them.
    at: usize,
    /// Some lie beside the image.
    cut: bool,
}

impl Columns {
    /// Those of `pixels` pixels from `start` on.
    #[inline(always)]
    fn new(taps: &Taps, start: usize, pixels: usize) -> Self {
        let from = start * taps.stride;
        let reach = (pixels - 1) * taps.stride + (taps.taps - 1) * taps.dilation + 1;
        let at = taps.before.saturating_sub(from).min(reach);
        let first = (from + at).saturating_sub(taps.before);
        let count = (reach - at).min(taps.input.saturating_sub(first));
        Self { first, count, at, cut: count < reach }
    }
}

/// Words of four channels with so many blocks.
pub(super) const fn words(blocks: usize) -> usize {
    LANES * (blocks * BLOCK / 4 + 3)
}

/// The bytes of `range`.
#[allow(clippy::cast_possible_truncation, reason = "a zero point of i8")]
fn fill(to: impl Sink<i8>, range: Range<usize>, value: i32) {
    arch::fill_bytes(to, range, value as i8);
}
