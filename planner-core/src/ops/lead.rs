//! How far the writes of a kernel run ahead of its reads, and so how far apart its windows must start.
//!
//! A kernel that writes its result in ascending order may write it over its argument, if whatever it has written lies
//! below all that it still reads. With `w` bytes written and `r` the first byte of the argument that it then reads,
//! the result must start at least `w - r` bytes below the argument. A *lead* is the most of that over all times. As
//! both places are sums over dimensions, so is the lead: each dimension adds its own most.

use super::slide::Taps;
use super::strides::signed;
use super::{Lower, Lowered};
use crate::distances::{Direction, Distances};
use crate::steps::Sharing;

/// The lead of what reads nothing; sums of it stay far from overflow.
const NEVER: isize = isize::MIN / 64;

/// The most bytes that are written beyond what is still read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lead {
    /// Bytes of an element of the argument and of the result.
    elements: [isize; 2],
    bytes: isize,
}

impl Lead {
    /// Of a kernel that reads an element of argument `arg` just before it writes one of result 0.
    pub(super) fn new(lower: &Lower<'_>, arg: usize) -> Self {
        let elements = [lower.arg(arg), lower.result(0)].map(|ty| signed(ty.dtype.bytes()));
        Self { elements, bytes: 0 }
    }

    /// Of a kernel that has already written `count` more results when it reads those elements.
    pub(super) fn behind(mut self, count: usize) -> Self {
        self.bytes += signed(count) * self.elements[1];
        self
    }

    /// Of a kernel whose first read is that of element `from`.
    pub(super) fn starting(mut self, from: usize) -> Self {
        self.bytes -= signed(from) * self.elements[0];
        self
    }

    /// Along `size` positions, neighbours in the argument and in the result so many elements apart.
    pub(super) fn along(self, size: usize, strides: [isize; 2]) -> Self {
        let ends = [0, signed(size.saturating_sub(1))];
        self.most(ends.map(|end| (end, end)).into_iter(), strides)
    }

    /// Along the dimensions `dims` of a result that is whole, neighbours in the argument `strides` elements apart.
    pub(super) fn over(self, dims: &[usize], strides: &[isize]) -> Self {
        let mut inner = 1;
        let axes = dims.iter().zip(strides).rev();
        axes.fold(self, |lead, (&size, &stride)| {
            let to = inner;
            inner *= signed(size);
            lead.along(size, [stride, to])
        })
    }

    /// Along the positions of a filter.
    pub(super) fn slide(self, taps: &Taps, strides: [usize; 2]) -> Self {
        let first = (0..taps.output).filter_map(|position| Some((signed(taps.first(position)?), signed(position))));
        self.most(first, strides.map(signed))
    }

    /// Along the pixels that a filter slides over, where they are the result and its positions the argument.
    pub(super) fn turned(self, taps: &Taps, strides: [usize; 2]) -> Self {
        let first = (0..taps.input).filter_map(|pixel| Some((signed(taps.first_over(pixel)?), signed(pixel))));
        self.most(first, strides.map(signed))
    }

    /// Along positions of which each reads from the given place of the argument on.
    pub(super) fn at(self, reads: impl Iterator<Item = usize>, strides: [usize; 2]) -> Self {
        self.most(reads.map(signed).zip(0..), strides.map(signed))
    }

    /// Along places in the argument and in the result.
    fn most(mut self, places: impl Iterator<Item = (isize, isize)>, strides: [isize; 2]) -> Self {
        let [read, written] = [0, 1].map(|side| strides[side] * self.elements[side]);
        self.bytes += places.map(|(from, to)| to * written - from * read).max().unwrap_or(NEVER);
        self
    }

    /// The distances that are safe.
    pub(super) fn distances(self) -> Distances {
        Distances::at_least(self.bytes.max(0).unsigned_abs())
    }
}

impl Lowered {
    /// Read from `reads[arg]` under `lead`, which its one call keeps.
    pub(super) fn lead(self, arg: usize, lead: Lead) -> Self {
        self.sharing(Sharing::Overlap { arg, result: 0, direction: Direction::Forward, distances: lead.distances() })
    }
}

/// Results of `count` that are written before the last of them are computed, four at a time and then one at a time.
pub(super) fn before_last_block(count: usize) -> usize {
    count.saturating_sub(if count.is_multiple_of(4) { 4 } else { 1 })
}
