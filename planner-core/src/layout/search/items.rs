//! An instance as the searches see it: the buffers that need room, over sections instead of steps.

use super::instance::{Buffer, Instance};
use super::rows::Rows;
use super::sections::{Piece, sections};
use crate::distances::Distances;
use std::collections::BTreeMap;

/// The buffers of an instance that use any byte at any time.
#[derive(Debug)]
pub(super) struct Items {
    /// Each item's index in the instance.
    pub(super) buffer: Box<[usize]>,
    /// Bytes of each.
    pub(super) size: Box<[usize]>,
    /// Bytes of each up to where the next one could start: `size`, rounded up to `grain`.
    pub(super) spacing: Box<[usize]>,
    /// Alignment of each.
    pub(super) align: Box<[usize]>,
    /// The offset that an item must have.
    pub(super) pinned: Box<[Option<usize>]>,
    /// Steps for which each is in use.
    pub(super) duration: Box<[usize]>,
    /// The stretches of sections in which each is in use, in order of time.
    pub(super) pieces: Rows<Piece>,
    /// Number of sections.
    pub(super) sections: usize,
    /// Every offset is a multiple of this.
    pub(super) grain: usize,
    /// Every height is a multiple of this.
    pub(super) step: usize,
    /// All bytes of all items are in use all their lives.
    pub(super) all_whole: bool,
    /// For each item, the items that may overlap it from above, and the least safe distance.
    overlaps: Rows<(u32, usize)>,
    /// Bytes of each that may also be those of items before it.
    pub(super) shared: Box<[usize]>,
    /// No overlap is missed for want of offsets that are multiples.
    pub(super) all_multiples: bool,
    /// Starts that an item cannot have because of pinned ones: from, to, both included; in order.
    forbidden: Rows<(usize, usize)>,
}

impl Items {
    pub(super) fn new(instance: &Instance) -> Self {
        let used = |buffer: &Buffer| buffer.lives.iter().any(|life| life.low < life.high);
        let buffers = instance.buffers().iter().enumerate().filter(|(_, buffer)| used(buffer));
        let (buffer, kept): (Vec<usize>, Vec<&Buffer>) = buffers.unzip();
        let size: Box<[usize]> = kept.iter().map(|buffer| buffer.size).collect();
        let align: Box<[usize]> = kept.iter().map(|buffer| buffer.align).collect();
        let grain = align.iter().copied().fold(0, gcd).max(1);
        let pinned = kept.iter().map(|buffer| buffer.pinned).collect();
        let duration = |buffer: &&Buffer| buffer.lives.iter().map(|life| life.last - life.first + 1).sum();
        let (pieces, sections) = sections(&kept);
        let mut items = Self {
            buffer: buffer.into(),
            spacing: size.iter().map(|size| size.next_multiple_of(grain)).collect(),
            step: size.iter().copied().fold(grain, gcd),
            duration: kept.iter().map(duration).collect(),
            size,
            align,
            pinned,
            pieces,
            sections,
            grain,
            all_whole: true,
            overlaps: Rows::new(),
            all_multiples: true,
            shared: Box::default(),
            forbidden: Rows::new(),
        };
        (items.overlaps, items.shared) = items.overlaps(instance);
        items.all_whole = (0..items.len()).all(|item| items.whole(item));
        items.forbidden = items.forbidden();
        items
    }

    /// Number of items.
    pub(super) fn len(&self) -> usize {
        self.size.len()
    }

    /// The lowest offset of `item` that is at least `offset`, aligned, and clear of all pinned items.
    pub(super) fn rest(&self, item: usize, offset: usize) -> usize {
        let forbidden = self.forbidden.row(item);
        if forbidden.is_empty() {
            return if self.align[item] == self.grain { offset } else { offset.next_multiple_of(self.align[item]) };
        }
        let mut rest = offset.next_multiple_of(self.align[item]);
        for &(from, to) in forbidden {
            if from <= rest && rest <= to {
                rest = (to + 1).next_multiple_of(self.align[item]);
            }
        }
        rest
    }

    /// Whether all bytes of an item are in use all its life.
    pub(super) fn whole(&self, item: usize) -> bool {
        self.pieces.row(item).iter().all(|piece| piece.low == 0 && piece.high == self.size[item])
    }

    /// How far `above` must start above `below` if it is not the other way round; `None` if they never meet.
    ///
    /// It may be less than the size of `below` where only parts of the two are in use, but never less than 0.
    pub(super) fn distance(&self, below: usize, above: usize) -> Option<usize> {
        let above_item = above;
        let above = self.pieces.row(above);
        let distances = self.pieces.row(below).iter().flat_map(|piece| {
            let met = above.iter().filter(|other| piece.meets(other));
            met.map(|other| piece.high.saturating_sub(other.low))
        });
        let apart = distances.max().map(|distance| distance.next_multiple_of(self.grain))?;
        let overlaps = self.overlaps.row(below).iter();
        Some(
            overlaps
                .filter(|(upper, _)| *upper as usize == above_item)
                .fold(apart, |least, (_, from)| least.min(*from)),
        )
    }

    /// Whether each item may overlap any other.
    pub(super) fn overlapping(&self) -> Vec<bool> {
        let mut overlapping = vec![false; self.len()];
        for lower in 0..self.len() {
            for (upper, _) in self.overlaps.row(lower) {
                overlapping[lower] = true;
                overlapping[*upper as usize] = true;
            }
        }
        overlapping
    }

    /// Whether an item may overlap another.
    pub(super) fn may_overlap(&self, item: usize, other: usize) -> bool {
        let has =
            |lower: usize, upper: usize| self.overlaps.row(lower).iter().any(|(above, _)| *above as usize == upper);
        has(item, other) || has(other, item)
    }

    /// The overlaps as distances that any aligned offsets keep, and how many bytes each item has in common with items
    /// of lower index at most.
    fn overlaps(&mut self, instance: &Instance) -> (Rows<(u32, usize)>, Box<[usize]>) {
        let mut overlaps = Vec::new();
        let mut shared = vec![0; self.len()];
        let mut pairs: BTreeMap<[usize; 2], usize> = BTreeMap::new();
        for overlap in instance.overlaps() {
            let item = |buffer: usize| self.buffer.binary_search(&buffer).ok();
            let (Some(lower), Some(upper)) = (item(overlap.lower), item(overlap.upper)) else { continue };
            let Distances { multiple, any, .. } = overlap.distances;
            let from = overlap.distances.least().next_multiple_of(self.grain);
            let common = self.spacing[lower].saturating_sub(from).min(self.spacing[upper]);
            // Only offsets that are all multiples differ by multiples whatever they are.
            let multiples = [lower, upper].iter().all(|&item| self.align[item].is_multiple_of(multiple));
            let any = any.next_multiple_of(self.grain);
            self.all_multiples &= multiples || from == any;
            overlaps.push((lower as u32, (upper as u32, if multiples { from } else { any })));
            // A pair may have several, of which one holds.
            let most = pairs.entry([lower.max(upper), lower.min(upper)]).or_default();
            *most = common.max(*most);
        }
        for ([later, _], common) in pairs {
            shared[later] = self.spacing[later].min(shared[later] + common);
        }
        (Rows::group(self.len(), &overlaps), shared.into())
    }

    fn forbidden(&self) -> Rows<(usize, usize)> {
        let pins: Vec<(usize, usize)> = (0..self.len()).filter_map(|item| Some((item, self.pinned[item]?))).collect();
        let mut rows = Rows::new();
        for item in 0..self.len() {
            let starts = |&(pin, at): &(usize, usize)| {
                let (under, over) = (self.distance(item, pin)?, self.distance(pin, item)?);
                let (from, to) = ((at + 1).saturating_sub(under), (at + over).checked_sub(1)?);
                (from <= to).then_some((from, to))
            };
            let pins = if self.pinned[item].is_some() { &[] } else { pins.as_slice() };
            let mut starts: Vec<(usize, usize)> = pins.iter().filter_map(starts).collect();
            starts.sort_unstable();
            rows.push(starts);
        }
        rows
    }
}

/// The greatest common divisor.
pub(in crate::layout) fn gcd(mut a: usize, mut b: usize) -> usize {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::super::instance::Life;
    use super::*;

    fn items(buffers: Vec<Buffer>) -> Items {
        Items::new(&Instance::new(buffers).unwrap())
    }

    #[test]
    fn rest_is_aligned_and_clear_of_pins() {
        let pin = |at| Buffer { pinned: Some(at), ..Buffer::new(4, 0, 9) };
        let free = |size| Buffer { align: 4, ..Buffer::new(size, 5, 5) };
        let later = Buffer { pinned: Some(0), ..Buffer::new(100, 10, 10) };
        let apart = items(vec![free(6), pin(6), pin(20), later.clone()]);
        // 0..6 is free, 8 begins in the first pin, 12..18 is free, and so is all above 24.
        let rests: Vec<usize> = [0, 1, 12, 13, 30].map(|offset| apart.rest(0, offset)).to_vec();
        assert_eq!(rests, [0, 12, 12, 24, 32]);
        assert_eq!(items(vec![free(7), pin(6), pin(20), later]).rest(0, 0), 12);
    }

    #[test]
    fn distance_follows_the_bytes_in_use() {
        let life = |first, last, low, high| Life { first, last, low, high };
        let with = |lives| Buffer { lives, ..Buffer::new(10, 0, 0) };
        let a = with(vec![life(0, 1, 0, 10), life(2, 3, 0, 4)]);
        let b = with(vec![life(2, 2, 0, 10), life(5, 5, 0, 10)]);
        let c = with(vec![life(3, 3, 6, 10)]);
        let items = items(vec![a, b, c]);
        assert_eq!((items.distance(0, 1), items.distance(1, 0)), (Some(4), Some(10)));
        assert_eq!((items.distance(0, 2), items.distance(2, 0)), (Some(0), Some(10)));
        assert_eq!(items.distance(1, 2), None);
    }
}
