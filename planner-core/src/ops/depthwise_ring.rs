//! Depthwise layers in place: a few channels at a time, whose rows are copied into a ring before they are overwritten.

use super::kernel::by_type;
use super::lead::{Lead, beside};
use super::packed::PORTABLE_DEPTHWISE_COST;
use super::slide::{Slide, Taps};
use super::strides::signed;
use super::{Lower, Lowered};
use crate::distances::{Direction, Distances};
use crate::emit::Struct;
use crate::steps::Scratch;
use crate::variants::Variant;

/// What steps call it.
pub(super) const RING: &str = "ring";
/// Channels that are computed together.
const LANES: usize = 4;
/// Instructions that copying an element takes.
const COPY_COST: usize = 6;
const KERNELS: [&str; 4] =
    ["depthwise_conv2d_ring_f32", "depthwise_conv2d_ring_i8", "depthwise_conv2d_ring_u8", "depthwise_conv2d_ring_i16"];

/// A depthwise layer of one result a channel, in place.
pub(super) struct Ring {
    scratch: Scratch,
    distances: [Distances; 2],
    units: usize,
    /// It as a kernel that the step could have.
    pub(super) variant: Variant,
}

impl Ring {
    /// That of `lower` over `batch` images of `channels` channels.
    pub(super) fn new(lower: &Lower<'_>, slide: Slide, batch: usize, channels: usize) -> Self {
        let dtype = lower.arg(0).dtype;
        let rows = ((slide.y.taps - 1) * slide.y.dilation + 1).min(slide.y.input);
        let lanes = if channels < LANES { 1 } else { LANES };
        let scratch = Scratch { bytes: rows * slide.x.input * lanes * dtype.bytes(), dtype };
        let distances = Direction::BOTH.map(|direction| distances(lower, slide, batch, channels, direction));
        let copies = COPY_COST * lower.arg(0).shape.elements();
        let variant = lower.variant(RING, scratch.bytes, PORTABLE_DEPTHWISE_COST, copies);
        let variant = Variant { beside: beside(lower, 0, distances), ..variant };
        Self { scratch, distances, units: channels / LANES + channels % LANES, variant }
    }

    /// Its call with the parameters of the portable kernel.
    pub(super) fn call(&self, lower: &Lower<'_>, params: Struct) -> Lowered {
        let kernel = by_type(lower.arg(0).dtype, KERNELS);
        let call = Lowered::one(kernel, params, vec![0], self.units).in_scratch(self.scratch);
        call.overlaps(lower, 0, self.distances)
    }
}

/// The safe distances: a row of the result is written when all rows of the image that it depends on have been read.
pub(super) fn distances(
    lower: &Lower<'_>,
    slide: Slide,
    batch: usize,
    channels: usize,
    direction: Direction,
) -> Distances {
    let rows = [slide.x.input * channels, slide.x.output * channels];
    let images = [slide.y.input * rows[0], slide.y.output * rows[1]].map(signed);
    let row = Lead::cell(lower, 0, rows, 0).at(first_reads(&slide.y, direction).into_iter(), rows);
    row.along(batch, images).by_channels(channels).distances(direction)
}

/// For each row of the result, the first and the last row of the image that are read for it and were not before. Rows
/// between those of its taps are read too: they may be those of later ones.
fn first_reads(taps: &Taps, direction: Direction) -> Vec<Option<[usize; 2]>> {
    let mut reads = vec![None; taps.output];
    let mut unread = 0..taps.input;
    for index in 0..taps.output {
        let row = if direction == Direction::Forward { index } else { taps.output - 1 - index };
        let Some([first, last]) = taps.pixels(row) else { continue };
        let read = if direction == Direction::Forward { unread.start..last + 1 } else { first..unread.end };
        if !read.is_empty() {
            reads[row] = Some([read.start, read.end - 1]);
            unread = if direction == Direction::Forward { read.end..unread.end } else { unread.start..read.start };
        }
    }
    reads
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_is_read_once() {
        let taps = Taps { input: 5, output: 5, taps: 3, stride: 1, dilation: 1, before: 1 };
        let forward = [Some([0, 1]), Some([2, 2]), Some([3, 3]), Some([4, 4]), None];
        assert_eq!(first_reads(&taps, Direction::Forward), forward);
        let backward = [None, Some([0, 0]), Some([1, 1]), Some([2, 2]), Some([3, 4])];
        assert_eq!(first_reads(&taps, Direction::Backward), backward);
        let apart = Taps { output: 2, taps: 2, stride: 3, before: 0, ..taps };
        assert_eq!(first_reads(&apart, Direction::Forward), [Some([0, 1]), Some([2, 4])]);
    }
}
