//! How far the writes of a kernel run ahead of its reads, and so how far apart its windows must start.
//!
//! A kernel that writes its result in ascending order may write it over its argument, if whatever it has written lies
//! below all that it still reads. With `w` bytes written and `r` the first byte of the argument that it then reads,
//! the result must start at least `w - r` bytes below the argument. A *lead* is the most of that over all times. As
//! both places are sums over dimensions, so is the lead: each dimension adds its own most.
//!
//! In descending order all bytes of the result from `w` on are written, and `r` is behind the last byte that is then
//! read: the result must start at least `r - w` bytes above the argument. That does not hold for what is read first,
//! before anything is written.
//!
//! The elements of a cell, such as the channels of a pixel, go up in both directions.

use super::slide::Taps;
use super::strides::signed;
use super::{Lower, Lowered};
use crate::distances::{Direction, Distances};
use crate::model::TensorType;
use crate::steps::Sharing;

/// The lead of what reads nothing; sums of it stay far from overflow.
const NEVER: isize = isize::MIN / 64;

/// The most bytes that are written beyond what is still read, in each direction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lead {
    /// Bytes of an element of the argument and of the result.
    elements: [isize; 2],
    forward: isize,
    backward: isize,
    /// How much less `backward` is without what is read first.
    first: isize,
    /// A part of the first cell is written when its last element is read.
    partial: bool,
    /// Bytes of a cell of the argument and of the result, whose parts meet only their own kind in it.
    alike: Option<isize>,
    /// Bytes of a pixel of the argument and of the result, each of whose channels is taken for all pixels before the
    /// next.
    apart: Option<usize>,
}

impl Lead {
    /// Of a kernel that reads an element of argument `arg` just before it writes one of result 0.
    pub(super) fn new(lower: &Lower<'_>, arg: usize) -> Self {
        Self::cell(lower, arg, [1, 1], 0)
    }

    /// Of a kernel that reads a cell of `sizes[0]` elements of argument `arg` for one of `sizes[1]` of result 0, of
    /// which it has written `behind` when it reads the cell for the last time.
    pub(super) fn cell(lower: &Lower<'_>, arg: usize, sizes: [usize; 2], behind: usize) -> Self {
        let elements = [lower.arg(arg), lower.result(0)].map(|ty| signed(ty.dtype.bytes()));
        let [read, written] = [0, 1].map(|side| signed(sizes[side]) * elements[side]);
        let partial = behind > 0;
        Self {
            elements,
            forward: signed(behind) * elements[1],
            backward: read - if partial { 0 } else { written },
            first: -NEVER,
            partial,
            alike: None,
            apart: None,
        }
    }

    /// Of a kernel whose pixels have so many channels in its argument and its result, each read for itself alone, all
    /// together in one block or block by block.
    pub(super) fn channels(lower: &Lower<'_>, count: usize, one_block: bool) -> Self {
        let block = if one_block { count } else { 1 };
        Self::cell(lower, 0, [block; 2], 0).parts(count / block, [block; 2])
    }

    /// In each of `count` cells, of so many elements of the argument and of the result, that make a larger one.
    pub(super) fn parts(mut self, count: usize, sizes: [usize; 2]) -> Self {
        if count <= 1 {
            return self;
        }
        let [read, written] = [0, 1].map(|side| signed(count * sizes[side]) * self.elements[side]);
        self.alike = (read == written && !self.partial).then_some(read);
        let forward = self.along(count, sizes.map(signed)).forward;
        Self { forward, backward: read, partial: true, ..self }
    }

    /// Of a kernel that takes each of `count` channels alone, of all pixels, where this is the lead of one of them.
    pub(super) fn by_channels(self, count: usize) -> Self {
        let [argument, result] = self.elements.map(|size| count * size.unsigned_abs());
        if argument == result {
            return Self { apart: Some(argument), ..self };
        }
        // A channel meets others anywhere: nothing in common is safe alone.
        Self { forward: -NEVER, backward: -NEVER, partial: true, alike: None, ..self }
    }

    /// Of a kernel that writes so many results before and after those that it reads for.
    pub(super) fn between(mut self, [before, after]: [usize; 2]) -> Self {
        let before = signed(before) * self.elements[1];
        self.forward += before;
        self.backward -= before;
        if after > 0 {
            self.first = 0;
        }
        self
    }

    /// Of a kernel whose first read is that of element `from`.
    pub(super) fn starting(mut self, from: usize) -> Self {
        let from = signed(from) * self.elements[0];
        self.forward -= from;
        self.backward += from;
        self
    }

    /// Of a kernel that reads elements up to `count` further.
    pub(super) fn reaching(mut self, count: usize) -> Self {
        self.backward += signed(count) * self.elements[0];
        self
    }

    /// Along `size` positions, neighbours in the argument and in the result so many elements apart.
    pub(super) fn along(self, size: usize, strides: [isize; 2]) -> Self {
        let last = size.saturating_sub(1);
        let ends = [0, last.saturating_sub(1), last].map(|end| ([signed(end); 2], end));
        self.most(ends.into_iter(), size, strides)
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
        self.at((0..taps.output).map(|position| taps.pixels(position)), strides)
    }

    /// Along the pixels that a filter slides over, where they are the result and its positions the argument.
    pub(super) fn turned(self, taps: &Taps, strides: [usize; 2]) -> Self {
        self.at((0..taps.input).map(|pixel| taps.positions(pixel)), strides)
    }

    /// Along positions of which each reads from one given place of the argument to another, or nothing.
    pub(super) fn at(self, reads: impl ExactSizeIterator<Item = Option<[usize; 2]>>, strides: [usize; 2]) -> Self {
        let count = reads.len();
        let reads = reads.enumerate().filter_map(|(to, read)| Some((read?.map(signed), to)));
        self.most(reads, count, strides.map(signed))
    }

    /// Along `count` places in the result, each with the first and the last place in the argument that is read for it.
    fn most(mut self, places: impl Iterator<Item = ([isize; 2], usize)>, count: usize, strides: [isize; 2]) -> Self {
        let [read, written] = [0, 1].map(|side| strides[side] * self.elements[side]);
        let (mut forward, mut backward, mut later) = (NEVER, NEVER, NEVER);
        for ([first, last], to) in places {
            forward = forward.max(signed(to) * written - first * read);
            let ahead = last * read - signed(to) * written;
            backward = backward.max(ahead);
            if to + 1 < count {
                later = later.max(ahead);
            }
        }
        self.forward += forward;
        self.backward += backward;
        self.first = self.first.min(backward - later);
        self
    }

    /// The distances that are safe forward and backward.
    pub(super) fn both(self) -> [Distances; 2] {
        Direction::BOTH.map(|direction| self.distances(direction))
    }

    /// The distances that are safe.
    pub(super) fn distances(self, direction: Direction) -> Distances {
        let bytes = |lead: isize| lead.max(0).unsigned_abs();
        if let Some(pixel) = self.apart {
            // Other channels are met at every other distance at which the two overlap.
            let Distances { from, .. } = Self { apart: None, ..self }.distances(direction);
            return Distances { from, multiple: pixel, any: usize::MAX };
        }
        match (direction, self.alike) {
            (Direction::Forward, _) => Distances::at_least(bytes(self.forward)),
            (Direction::Backward, None) => {
                Distances::at_least(bytes(self.backward - if self.partial { 0 } else { self.first }))
            }
            (Direction::Backward, Some(cell)) => Distances {
                from: bytes(self.backward - cell - self.first),
                multiple: cell.unsigned_abs(),
                any: bytes(self.backward),
            },
        }
    }
}

impl Lowered {
    /// Read from `reads[arg]` under `lead`, which its one call keeps in either direction.
    pub(super) fn lead(self, lower: &Lower<'_>, arg: usize, lead: Lead) -> Self {
        self.overlaps(lower, arg, lead.both())
    }

    /// Read from `reads[arg]` under `lead`, which its one call keeps forward.
    pub(super) fn lead_forward(self, lower: &Lower<'_>, arg: usize, lead: Lead) -> Self {
        self.overlap(lower, arg, Direction::Forward, lead.distances(Direction::Forward))
    }

    /// With the rules of the distances forward and backward to `reads[arg]`.
    pub(super) fn overlaps(self, lower: &Lower<'_>, arg: usize, distances: [Distances; 2]) -> Self {
        let rules = Direction::BOTH.into_iter().zip(distances);
        rules.fold(self, |lowered, (direction, distances)| lowered.overlap(lower, arg, direction, distances))
    }

    /// With the rule of `distances` to `reads[arg]`, if the two can have anything in common.
    pub(super) fn overlap(self, lower: &Lower<'_>, arg: usize, direction: Direction, distances: Distances) -> Self {
        let sizes = [lower.result(0), lower.arg(self.reads[arg])].map(TensorType::bytes);
        if distances.most_common(direction.lower_first(sizes)) == 0 {
            return self;
        }
        self.sharing(Sharing::Overlap { arg, result: 0, direction, distances })
    }
}

/// Bytes that argument `arg` and result 0 take at least beyond the larger of them at these distances, forward and
/// backward.
pub(super) fn beside(lower: &Lower<'_>, arg: usize, distances: [Distances; 2]) -> usize {
    let sizes = [lower.result(0), lower.arg(arg)].map(TensorType::bytes);
    let rules = Direction::BOTH.into_iter().zip(distances);
    let common = rules.map(|(direction, distances)| distances.most_common(direction.lower_first(sizes)));
    sizes[0].min(sizes[1]) - common.max().unwrap_or(0)
}

/// Results of `count` that are written before the last of them are computed, four at a time and then one at a time.
pub(super) fn before_last_block(count: usize) -> usize {
    count.saturating_sub(if count.is_multiple_of(4) { 4 } else { 1 })
}
