//! Depthwise layers of i8 with three by three taps, for machines that multiply two pairs of 16 bits at once.
//!
//! A channel of all rows is computed before the next: its weights stay in registers, and each column of the image is
//! read once for the three pixels that it belongs to.

use super::arch::{self, Lines};
use super::packed::DepthwisePackedI8;
use super::slide::Slide;
use super::{Elements, Sink, Units};
use core::hint::black_box;

/// Words of a channel.
pub(super) const WORDS: usize = 7;

/// A unit is a row of the result, pictures in order. A channel of all units is written before the next channel is
/// read; a pixel of it is written after its taps have been read. One result a channel, three by three taps side by
/// side, by one column or two, with at most one column outside the image at either end.
///
/// A channel's words are pairs of weights of the upper two rows of taps, for each column one; the first two weights of
/// the third row; one byte `s` with the third above it; the bias; the multiplier. Biases and weights are
/// doubled, or taken as often as makes the machine's rounding that of the definition, and so taken a sum stays below
/// 2^31 in magnitude. Results are such sums times `multiplier * 2^(-33 - s)`.
#[inline(never)]
pub fn depthwise_conv2d_3x3_i8(p: &DepthwisePackedI8<'_>, x: impl Elements<i8>, y: impl Sink<i8>, units: Units) {
    let mut left = units;
    while left.count() > 0 {
        // Read again for each run: held from run to run, the numbers would fill the stack.
        let p = black_box(p);
        let slide = &p.shape.slide;
        let lines = lines(slide, left);
        left = left.after(arch::filter3x3(&p.layer, &slide.x, slide.pixel, x, y, &lines));
    }
}

/// How many of `units` from the first on have their rows of taps evenly apart, all those between the first and the last
/// in the image.
#[inline(always)]
fn even(slide: &Slide, units: Units) -> usize {
    let height = slide.y.output.max(1);
    let (first, whole) = (units.at(0), slide.y.whole());
    let row = first % height;
    let left = if units.is_backward() { row + 1 } else { height - row };
    let count = left.min(units.count());
    // One row that is not whole may come first, and one last.
    let ends = [row, units.at(count - 1) % height];
    let [least, most] = [ends[0].min(ends[1]), ends[0].max(ends[1])];
    let highest = first.max(units.at(count - 1));
    let taps = slide.band(highest);
    let Some(tap) = taps.rows.taps.end.checked_sub(1) else { return 1 };
    let fits = whole.start <= least + 1
        && most <= whole.end
        && taps.row(slide, tap) < slide.from.held
        && highest < slide.to.held;
    if fits { count } else { 1 }
}

/// The first `units` that have their rows of taps evenly apart.
#[inline(always)]
fn lines(slide: &Slide, units: Units) -> Lines {
    let band = slide.band(units.at(0));
    let taps = &band.rows.taps;
    let start = |tap: usize| slide.from.start(band.row(slide, tap));
    let row = slide.row_step();
    let from = if taps.is_empty() { 0 } else { start(taps.start).wrapping_sub(taps.start * row) };
    let offset = |tap: usize| if taps.contains(&tap) { start(tap).wrapping_sub(from) } else { tap * row };
    let count = even(slide, units);
    let inside = |index: usize| {
        let taps = slide.band(units.at(index)).rows.taps;
        [taps.contains(&0), taps.contains(&1), taps.contains(&2)]
    };
    let [first, last] = [inside(0), inside(count - 1)];
    Lines {
        count,
        from,
        offsets: [offset(1), offset(2)],
        inside: [first, last, if count > 2 { [true; 3] } else { first }],
        step: units.step(slide.y.stride * slide.from.stride),
        to: slide.row(units.at(0)),
        to_step: units.step(slide.to.stride),
        backward: units.is_backward(),
    }
}
