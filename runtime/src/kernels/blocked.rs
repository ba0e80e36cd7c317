//! Layers of i8 whose weights lie in blocks for machines with vectors of 16 bytes.
//!
//! The windows of four pixels are copied into scratch first, each its *column*: its elements in the order of the
//! weights, whatever follows them up to a whole number of blocks. They are then multiplied with two channels at a time.

use super::arch::{Apart, Copies, Fours, Multiply, Pixels};
use super::conv::{Conv, ConvLayer};
use super::dense::{Dense, DenseLayer};
use super::slide::{Inside, Slide};
use super::{Elements, Sink, Units, arch};
use core::hint::black_box;
use core::mem::take;
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
    let (all, backward, left) = (units.range(), units.is_backward(), units.count() % PIXELS);
    let [first, rest] = if backward { [all.start + left, all.start] } else { [all.start, all.end - left] };
    let mut task = Multiply::new();
    if units.count() >= PIXELS {
        let fours = Fours {
            runs: Copies { from: from.start(first), step: 0, len: inputs, count: 1 },
            step: from.stride,
            at: 0,
            to: to.start(first),
            to_step: to.stride,
            count: units.count() / PIXELS,
            backward,
        };
        task.fours(&p.layer, x, columns, y, &fours);
        task.run();
    }
    if left > 0 {
        let runs = Copies { from: from.start(rest), step: from.stride, len: inputs, count: left };
        arch::copy(x, runs, columns, 0, p.layer.column(), Apart::ONE);
        task.blocks(&p.layer, columns, y, Pixels { to: to.start(rest), step: to.stride, count: left });
        task.run();
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
    let places = &Places { x, y, columns };
    let mut pixels = Columns { to: 0, count: 0 };
    let mut task = Multiply::new();
    let mut left = units;
    while left.count() > 0 {
        let row = Row::new(&p.shape.slide, left.at(0), slots > 0);
        left = left.after(1);
        // Rows that follow each other share fours.
        let step = p.shape.slide.pixel;
        let next = if slots > 0 { pixels.to.wrapping_sub(step) } else { pixels.to + pixels.count * step };
        if row.to + row.first(0, 1) * step != next {
            finish(&mut task, p, places, slots, &mut pixels);
            task.run();
        }
        let mut done = 0;
        while done < p.shape.slide.x.output {
            // Read again for each run: held, the numbers would fill the stack.
            let (p, row) = (black_box(p), black_box(&row));
            if pixels.count == PIXELS {
                finish(&mut task, p, places, slots, &mut pixels);
                task.run();
            }
            let alike = if row.whole.contains(&done) { row.whole.end - done } else { 1 };
            if pixels.count == 0 && alike >= PIXELS && row.even {
                let count = alike / PIXELS * PIXELS;
                fours(&mut task, p, row, places, Windows { first: row.first(done, count), count });
                task.run();
                done += count;
                continue;
            }
            let count = alike.min(PIXELS - pixels.count);
            if slots > 0 || pixels.count == 0 {
                pixels.to = row.to + row.first(done, count) * p.shape.slide.pixel;
            }
            let slot = if slots > 0 { slots.saturating_sub(pixels.count + count) } else { pixels.count };
            pixels.count += count;
            let windows = Windows { first: row.first(done, count), count };
            if row.even {
                copy(p, row, places, slot, windows);
            } else {
                copy_taps(p, row, places, slot, windows);
            }
            done += count;
        }
    }
    finish(&mut task, p, places, slots, &mut pixels);
    task.run();
}

/// Where it reads and writes. One reference, as the arguments of functions lie on the stack.
#[derive(Clone, Copy)]
struct Places<X, Y, C> {
    x: X,
    y: Y,
    columns: C,
}

/// A row of the result.
struct Row {
    unit: usize,
    /// Where it starts.
    to: usize,
    /// Where the last pixel is, if that comes first; otherwise 0.
    last: usize,
    /// Those pixels in the order in which they are taken whose windows are whole along the row.
    whole: Range<usize>,
    /// The rows of taps in the image.
    taps: Range<usize>,
    /// Where the first of them starts there.
    top: usize,
    /// They lie evenly apart, and their taps side by side.
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
            last: if backward { output.saturating_sub(1) } else { 0 },
            whole: if backward { output - end..output - start } else { start..end },
            taps: taps.clone(),
            top: slide.from.start(band.picture + band.rows.first),
            even: slide.x.dilation == 1 && !taps.is_empty() && band.stretch(slide, taps.start) == taps.len(),
            backward,
        }
    }

    /// Which pixel is the first in the row of the `count` that are taken after `done` others.
    #[inline(always)]
    fn first(&self, done: usize, count: usize) -> usize {
        if self.backward { (self.last + 1).saturating_sub(done + count) } else { done }
    }
}

/// Pixels in order whose columns are complete.
struct Columns {
    /// Where the results of the first start.
    to: usize,
    /// How many, up to four.
    count: usize,
}

/// Computes the pixels whose columns are complete: the first ones, or the last of so many `slots`.
#[inline(never)]
fn finish<'w>(
    task: &mut Multiply<'w>,
    p: &'w ConvBlockedI8<'_>,
    places: &Places<impl Elements<i8>, impl Sink<i8> + 'w, impl Sink<i8> + 'w>,
    slots: usize,
    pixels: &mut Columns,
) {
    let complete = Pixels { to: pixels.to, step: p.shape.slide.pixel, count: take(&mut pixels.count) };
    let first = slots.saturating_sub(complete.count);
    task.blocks(&p.layer, places.columns.after(first * p.layer.column()), places.y, complete);
}

/// Neighbouring pixels of a row whose windows are all whole along it, or one.
#[derive(Clone, Copy)]
struct Windows {
    first: usize,
    count: usize,
}

/// Copies the windows to columns from that of `slot` on, all at once from a row that is even.
#[inline(never)]
fn copy(
    p: &ConvBlockedI8<'_>,
    row: &Row,
    places: &Places<impl Elements<i8>, impl Sink<i8>, impl Sink<i8>>,
    slot: usize,
    windows: Windows,
) {
    let Conv { slide, inputs, .. } = &p.shape;
    let (inside, at, apart) = columns(p, row, places.columns, slot, windows);
    let line = slide.x.taps * inputs;
    let from = row.top + inside.first * inputs;
    let runs = Copies { from, step: slide.row_step(), len: inside.taps.len() * inputs, count: row.taps.len() };
    arch::copy(places.x, runs, places.columns, at + row.taps.start * line, line, apart);
}

/// As [`copy`], row by row and tap by tap.
#[inline(never)]
fn copy_taps(
    p: &ConvBlockedI8<'_>,
    row: &Row,
    places: &Places<impl Elements<i8>, impl Sink<i8>, impl Sink<i8>>,
    slot: usize,
    windows: Windows,
) {
    let Conv { slide, inputs, .. } = &p.shape;
    let (inside, at, apart) = columns(p, row, places.columns, slot, windows);
    let band = slide.band(row.unit);
    for tap in row.taps.clone() {
        let from = slide.from.start(band.row(slide, tap)) + inside.first * inputs;
        let at = at + tap * slide.x.taps * inputs;
        let runs = Copies { from, step: slide.x.dilation * inputs, len: *inputs, count: inside.taps.len() };
        arch::copy(places.x, runs, places.columns, at, *inputs, apart);
    }
}

/// The taps of the windows that lie in the image, where those of the first row go in the column of `slot`, and how far
/// apart the windows and their columns are. What lies outside the image is there.
#[inline(always)]
fn columns(
    p: &ConvBlockedI8<'_>,
    row: &Row,
    to: impl Sink<i8>,
    slot: usize,
    windows: Windows,
) -> (Inside, usize, Apart) {
    let Conv { slide, inputs, .. } = &p.shape;
    let (inside, pitch) = (slide.x.inside(windows.first), p.layer.column());
    let start = slot * pitch;
    if inside.taps.len() < slide.x.taps || row.taps.len() < slide.y.taps {
        fill(to, start, windows.count * pitch, p.layer.from);
    }
    let at = start + inside.taps.start * inputs;
    (inside, at, Apart { count: windows.count, step: slide.x.stride * inputs, pitch })
}

/// Computes fours of pixels whose windows are all whole along the row, which is even.
#[inline(never)]
fn fours<'w>(
    task: &mut Multiply<'w>,
    p: &'w ConvBlockedI8<'_>,
    row: &Row,
    places: &Places<impl Elements<i8> + 'w, impl Sink<i8> + 'w, impl Sink<i8> + 'w>,
    windows: Windows,
) {
    let Places { x, y, columns } = *places;
    let Conv { slide, inputs, .. } = &p.shape;
    let (rows, line) = (&row.taps, slide.x.taps * inputs);
    if rows.len() < slide.y.taps {
        fill(columns, 0, PIXELS * p.layer.column(), p.layer.from);
    }
    let from = row.top + slide.x.inside(windows.first).first * inputs;
    let fours = Fours {
        runs: Copies { from, step: slide.row_step(), len: line, count: rows.len() },
        step: slide.x.stride * inputs,
        at: rows.start * line,
        to: row.to + windows.first * slide.pixel,
        to_step: slide.pixel,
        count: windows.count / PIXELS,
        backward: row.backward,
    };
    task.fours(&p.layer, x, columns, y, &fours);
}

/// `len` elements from `at` on.
#[inline(always)]
#[allow(clippy::cast_possible_truncation, reason = "a zero point of i8")]
fn fill(to: impl Sink<i8>, at: usize, len: usize, value: i32) {
    arch::fill_bytes(to, at..at + len, value as i8);
}
