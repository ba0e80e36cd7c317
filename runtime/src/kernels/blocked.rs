//! Layers of i8 whose weights lie in blocks for machines with vectors of 16 bytes.
//!
//! The windows of four pixels are copied into scratch first, each its *column*: its elements in the order of the
//! weights, whatever follows them up to a whole number of blocks. They are then multiplied with two channels at a time.

use super::arch::{Apart, Copies, Pixels};
use super::conv::{Conv, ConvLayer};
use super::dense::{Dense, DenseLayer};
use super::slide::{Inside, Slide};
use super::{Elements, Sink, Units, arch};
use core::hint::black_box;
use core::ops::Range;

/// Elements of a block.
pub(super) const BLOCK: usize = 16;
/// Channels that are computed together.
pub(super) const LANES: usize = 2;
/// Pixels that are computed together.
pub(super) const PIXELS: usize = 4;
/// Words of two channels besides their weights.
pub(super) const PAIR_WORDS: usize = 6;

/// Weights of a quantised layer in blocks of 16.
///
/// For each two channels of the result, the last two of an odd number the last two again: block by block 16 weights of
/// the one and 16 of the other, zeros after the last; then for each of the two the bias minus the argument's zero
/// point times the sum of its weights, the multiplier, and minus the bits that results are shifted to the right, at
/// least one.
#[derive(Clone, Copy, Debug)]
pub struct BlockedI8<'a> {
    /// The weights and what belongs to them.
    pub blocked: &'a [i32],
    /// Blocks of a column.
    pub blocks: usize,
    /// Channels of the result, at least two.
    pub channels: usize,
    /// The argument's zero point: what stands outside the image.
    pub from: i32,
    /// The result's zero point.
    pub to: i32,
    /// Lower bound of the result.
    pub min: i32,
    /// Upper bound of the result.
    pub max: i32,
}

/// Parameters of [`conv2d_blocked_i8`].
pub type ConvBlockedI8<'a> = ConvLayer<BlockedI8<'a>>;
/// Parameters of [`dense_blocked_i8`].
pub type DenseBlockedI8<'a> = DenseLayer<BlockedI8<'a>>;

impl BlockedI8<'_> {
    /// Bytes of a column.
    #[inline(always)]
    fn column(&self) -> usize {
        self.blocks * BLOCK
    }
}

/// Each row of `x` times the weights. A unit is a row; up to four rows are read before the results of any are written.
/// `columns` is scratch of as many columns. Rows of the argument and of the result lie in order.
pub fn dense_blocked_i8(
    p: &DenseBlockedI8<'_>,
    x: impl Elements<i8>,
    y: impl Sink<i8>,
    columns: impl Sink<i8>,
    units: Units,
) {
    let Dense { inputs, from, to, .. } = p.shape;
    let (all, mut left) = (units.range(), units.count());
    while left > 0 {
        let count = PIXELS.min(left);
        left -= count;
        let first = if units.is_backward() { all.start + left } else { all.end - left - count };
        let runs = Copies { from: from.start(first), step: from.stride, len: inputs, count };
        arch::copy(x, runs, columns, 0, p.layer.column(), Apart::ONE);
        arch::multiply_blocks(&p.layer, columns, y, Pixels { to: to.start(first), step: to.stride, count });
    }
}

/// A unit is a row of the result, pictures in order. The windows of up to four pixels in order are read before the
/// channels of any are written. `columns` is scratch of as many columns. One group.
pub fn conv2d_blocked_i8(
    p: &ConvBlockedI8<'_>,
    x: impl Elements<i8>,
    y: impl Sink<i8>,
    columns: impl Sink<i8>,
    units: Units,
) {
    // Columns and results go up in either direction.
    let slots = if units.is_backward() { PIXELS.min(columns.count() / p.layer.column().max(1)) } else { 0 };
    let mut pixels = Pixels { to: 0, step: p.shape.slide.pixel, count: 0 };
    for unit in units {
        let row = Row::new(&p.shape.slide, unit, slots > 0);
        // Rows that follow each other share fours.
        let next = if slots > 0 { pixels.to.wrapping_sub(pixels.step) } else { pixels.to + pixels.count * pixels.step };
        if row.start(0, 1) != next {
            finish(p, columns, y, slots, &mut pixels);
        }
        let mut done = 0;
        while done < p.shape.slide.x.output {
            // Read again for each run: held, the numbers would fill the stack.
            let (p, row) = (black_box(p), black_box(&row));
            if pixels.count == PIXELS {
                finish(p, columns, y, slots, &mut pixels);
            }
            let whole = row.whole.contains(&done);
            let count = if whole { (row.whole.end - done).min(PIXELS - pixels.count) } else { 1 };
            if slots > 0 || pixels.count == 0 {
                pixels.to = row.start(done, count);
            }
            let slot = if slots > 0 { slots.saturating_sub(pixels.count + count) } else { pixels.count };
            pixels.count += count;
            copy(p, row, x, columns, slot, Windows { first: row.first(done, count), count });
            done += count;
        }
    }
    finish(p, columns, y, slots, &mut pixels);
}

/// A row of the result.
struct Row {
    unit: usize,
    /// Where it starts.
    to: usize,
    /// Elements from pixel to pixel.
    pixel: usize,
    /// Where the last pixel is, if that comes first; otherwise 0.
    last: usize,
    /// Those pixels in the order in which they are taken whose windows are whole along the row.
    whole: Range<usize>,
    /// The rows of taps in the image.
    taps: Range<usize>,
    /// Where the first of them starts there.
    top: usize,
    /// They lie evenly apart.
    even: bool,
    backward: bool,
}

impl Row {
    // As a call: what it needs would lie on the stack under all others.
    #[inline(never)]
    fn new(slide: &Slide, unit: usize, backward: bool) -> Self {
        let (band, output, Range { start, end }) = (slide.band(unit), slide.x.output, slide.x.whole());
        let taps = &band.rows.taps;
        Self {
            unit,
            to: slide.row(unit),
            pixel: slide.pixel,
            last: if backward { output.saturating_sub(1) } else { 0 },
            whole: if backward { output - end..output - start } else { start..end },
            taps: taps.clone(),
            top: slide.from.start(band.picture + band.rows.first),
            even: !taps.is_empty() && band.stretch(slide, taps.start) == taps.len(),
            backward,
        }
    }

    /// Which pixel is the first in the row of the `count` that are taken after `done` others.
    #[inline(always)]
    fn first(&self, done: usize, count: usize) -> usize {
        if self.backward { (self.last + 1).saturating_sub(done + count) } else { done }
    }

    /// Where its results start.
    #[inline(always)]
    fn start(&self, done: usize, count: usize) -> usize {
        self.to + self.first(done, count) * self.pixel
    }
}

/// Computes the pixels whose columns are complete: the first ones, or the last of so many `slots`.
#[inline(never)]
fn finish(p: &ConvBlockedI8<'_>, columns: impl Sink<i8>, y: impl Sink<i8>, slots: usize, pixels: &mut Pixels) {
    if pixels.count > 0 {
        let first = slots.saturating_sub(pixels.count);
        arch::multiply_blocks(&p.layer, columns.after(first * p.layer.column()), y, *pixels);
        pixels.count = 0;
    }
}

/// Neighbouring pixels of a row whose windows are all whole along it, or one.
#[derive(Clone, Copy)]
struct Windows {
    first: usize,
    count: usize,
}

/// Copies the windows to columns from that of `slot` on.
#[inline(never)]
fn copy(p: &ConvBlockedI8<'_>, row: &Row, x: impl Elements<i8>, to: impl Sink<i8>, slot: usize, windows: Windows) {
    let Conv { slide, inputs, .. } = &p.shape;
    let (rows, inside) = (&row.taps, slide.x.inside(windows.first));
    let (line, column) = (slide.x.taps * inputs, p.layer.column());
    let start = slot * column;
    let taps = inside.taps.len();
    if taps < slide.x.taps || rows.len() < slide.y.taps {
        fill(to, start, windows.count * column, p.layer.from);
    }
    let apart = Apart { count: windows.count, step: slide.x.stride * inputs, pitch: column };
    let at = start + inside.taps.start * inputs;
    // Neighbouring taps are neighbours in the image too.
    if slide.x.dilation == 1 && row.even && taps > 0 {
        let from = row.top + inside.first * inputs;
        let runs = Copies { from, step: slide.row_step(), len: taps * inputs, count: rows.len() };
        arch::copy(x, runs, to, at + rows.start * line, line, apart);
    } else if taps > 0 {
        uneven(p, row, x, to, at, &inside, apart);
    }
}

/// Copies windows row by row and tap by tap, the first to a column whose first row of taps is at `at`.
#[inline(never)]
fn uneven(
    p: &ConvBlockedI8<'_>,
    row: &Row,
    x: impl Elements<i8>,
    to: impl Sink<i8>,
    at: usize,
    inside: &Inside,
    apart: Apart,
) {
    let Conv { slide, inputs, .. } = &p.shape;
    let band = slide.band(row.unit);
    for tap in row.taps.clone() {
        let from = slide.from.start(band.row(slide, tap)) + inside.first * inputs;
        let at = at + tap * slide.x.taps * inputs;
        let runs = Copies { from, step: slide.x.dilation * inputs, len: *inputs, count: inside.taps.len() };
        arch::copy(x, runs, to, at, *inputs, apart);
    }
}

/// `len` elements from `at` on.
#[inline(always)]
#[allow(clippy::cast_possible_truncation, reason = "a zero point of i8")]
fn fill(to: impl Sink<i8>, at: usize, len: usize, value: i32) {
    arch::fill_bytes(to, at..at + len, value as i8);
}
