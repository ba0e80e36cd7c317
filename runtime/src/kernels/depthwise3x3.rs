//! Depthwise layers of i8 with three by three taps, for machines that multiply two pairs of 16 bits at once.
//!
//! A channel of all rows is computed before the next: its weights stay in registers, and each column of the image is
//! read once for the three pixels that it belongs to.

use super::arch::{self, Lines};
use super::elements::divide;
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
/// the third row; the third with one byte `s` above it; the bias; the multiplier. Biases and weights are doubled, or
/// taken as often as makes the machine's rounding that of the definition, and so taken a sum stays below 2^31 in
/// magnitude. Results are such sums times `multiplier * 2^(-33 - s)`; `s` is 5 where results saturate at a zero point
/// of -128.
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

/// The first `units` whose rows of taps lie evenly apart: those of a picture, of which the first and the last alone may
/// lack taps, or one where a ring begins again among them.
#[inline(never)]
fn lines(slide: &Slide, units: Units) -> Lines {
    let Slide { y, from, to, .. } = slide;
    let (height, first, backward) = (y.output.max(1), units.at(0), units.is_backward());
    let (picture, row) = divide(first, height);
    let picture = picture * y.input;
    let more = if backward { row } else { height - row - 1 }.min(units.count() - 1);
    // The row of the first tap in the picture, wrapping outside, and which taps have theirs outside.
    let top = |row: usize| (row * y.stride).wrapping_sub(y.before);
    let lacks = |row: usize| {
        let outside = |tap: usize| usize::from(top(row).wrapping_add(tap * y.dilation) >= y.input) << tap;
        outside(0) | outside(1) | outside(2)
    };
    let [lowest, highest] = if backward { [row - more, row] } else { [row, row + more] };
    let bottom = (highest * y.stride + 2 * y.dilation).saturating_sub(y.before).min(y.input.saturating_sub(1));
    let straight = picture + bottom < from.held && first - row + highest < to.held;
    let even = straight && (more < 2 || lacks(lowest + 1) | lacks(highest - 1) == 0);
    let more = if even { more } else { 0 };
    let lacked = lacks(row);
    let apart = slide.row_step();
    let (start, offsets) = if straight {
        ((picture.wrapping_add(top(row))).wrapping_mul(from.stride), [apart, 2 * apart])
    } else {
        let start = |tap: usize| from.start((picture + tap * y.dilation).wrapping_add(top(row)));
        let skipped = (!lacked).trailing_zeros() as usize;
        let first = if skipped < 3 { start(skipped).wrapping_sub(skipped * apart) } else { 0 };
        let offset = |tap: usize| {
            if tap > skipped && lacked >> tap & 1 == 0 { start(tap).wrapping_sub(first) } else { tap * apart }
        };
        (first, [offset(1), offset(2)])
    };
    Lines {
        count: more + 1,
        from: start,
        offsets,
        lacks: [lacked, lacks(if backward { row - more } else { row + more })],
        step: units.step(y.stride * from.stride),
        to: to.start(first),
        to_step: units.step(to.stride),
        backward,
    }
}
