//! Layers of i8 whose weights lie in blocks for machines with vectors of 16 bytes.
//!
//! The windows of four pixels are copied into scratch first, each its *column*: its elements in the order of the
//! weights, whatever follows them up to a whole number of blocks. They are then multiplied with two channels at a time.

use super::arch::{Copies, Pixels};
use super::conv::{Conv, ConvLayer};
use super::dense::{Dense, DenseLayer};
use super::slide::{Band, Inside};
use super::{Elements, Sink, Units, arch};

/// Elements of a block.
pub(super) const BLOCK: usize = 16;
/// Channels that are computed together.
pub(super) const LANES: usize = 2;
/// Pixels that are computed together.
pub(super) const PIXELS: usize = 4;
/// Words of two channels besides their weights.
pub(super) const PAIR_WORDS: usize = 7;

/// Weights of a quantised layer in blocks of 16.
///
/// For each two channels of the result, the last two of an odd number the last two again: block by block 16 weights of
/// the one and 16 of the other, zeros after the last; then for each of the two the bias minus the argument's zero
/// point times the sum of its weights, the multiplier, and minus the bits that results are shifted to the right, at
/// least one; then the place of the first in the pixel.
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
        arch::copy(x, runs, columns, 0, p.layer.column());
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
    let slide = &p.shape.slide;
    // Columns and results go up in either direction.
    let slots = if units.is_backward() { PIXELS.min(columns.count() / p.layer.column().max(1)) } else { 0 };
    let mut pixels = Pixels { to: 0, step: slide.pixel, count: 0 };
    for unit in units {
        let band = slide.band(unit);
        for column in units.along(0..slide.x.output) {
            let to = slide.row(unit) + column * slide.pixel;
            // Rows that follow each other share fours.
            let next =
                if slots > 0 { pixels.to.wrapping_sub(pixels.step) } else { pixels.to + pixels.count * pixels.step };
            let starts = pixels.count == PIXELS || to != next;
            if starts {
                finish(p, columns, y, slots, &mut pixels);
            }
            if starts || slots > 0 {
                pixels.to = to;
            }
            let slot = if slots > 0 { slots.saturating_sub(pixels.count + 1) } else { pixels.count };
            window(p, &band, &slide.x.inside(column), x, columns, slot * p.layer.column());
            pixels.count += 1;
        }
    }
    finish(p, columns, y, slots, &mut pixels);
}

/// Computes the pixels whose columns are complete: the first ones, or the last of so many `slots`.
fn finish(p: &ConvBlockedI8<'_>, columns: impl Sink<i8>, y: impl Sink<i8>, slots: usize, pixels: &mut Pixels) {
    if pixels.count > 0 {
        let first = slots.saturating_sub(pixels.count);
        arch::multiply_blocks(&p.layer, columns.after(first * p.layer.column()), y, *pixels);
        pixels.count = 0;
    }
}

/// Copies the window of a pixel to its column at `at`.
fn window(p: &ConvBlockedI8<'_>, band: &Band, inside: &Inside, x: impl Elements<i8>, to: impl Sink<i8>, at: usize) {
    let Conv { slide, inputs, .. } = &p.shape;
    let row = slide.x.taps * inputs;
    if inside.taps.len() < slide.x.taps || band.rows.taps.len() < slide.y.taps {
        fill(to, at, slide.y.taps * row, p.layer.from);
    }
    if inside.taps.is_empty() {
        return;
    }
    let mut tap = band.rows.taps.start;
    while tap < band.rows.taps.end {
        let from = slide.from.start(band.row(slide, tap)) + inside.first * inputs;
        let at = at + tap * row + inside.taps.start * inputs;
        // Neighbouring taps are neighbours in the image too.
        if slide.x.dilation == 1 {
            let count = band.stretch(slide, tap);
            arch::copy(x, Copies { from, step: slide.row_step(), len: inside.taps.len() * inputs, count }, to, at, row);
            tap += count;
        } else {
            let step = slide.x.dilation * inputs;
            arch::copy(x, Copies { from, step, len: *inputs, count: inside.taps.len() }, to, at, *inputs);
            tap += 1;
        }
    }
}

/// `len` elements from `at` on.
#[inline(always)]
#[allow(clippy::cast_possible_truncation, reason = "a zero point of i8")]
fn fill(to: impl Sink<i8>, at: usize, len: usize, value: i32) {
    arch::fill_bytes(to, at..at + len, value as i8);
}
