//! Bytes that no solution can do without.

use super::items::Items;
use super::sections::Piece;
use std::collections::BTreeMap;

/// Bytes that each section needs, one item on the other.
///
/// Items are spaced by the grain of the alignment where all are whole, and the top one need not be.
pub(super) fn weights(items: &Items, weight: fn(&Items, &Piece) -> usize) -> Vec<usize> {
    let mut changes = vec![(0, 0); items.sections + 1];
    for piece in items.pieces.values() {
        let weight = weight(items, piece);
        changes[piece.from as usize].0 += weight;
        changes[piece.to as usize].1 += weight;
    }
    let mut live = 0;
    let mut total = |(born, dead): (usize, usize)| {
        live = live + born - dead;
        live
    };
    changes.into_iter().map(&mut total).take(items.sections).collect()
}

/// Bytes of a section that `piece` takes from the others whatever it overlaps.
pub(super) fn weight(items: &Items, piece: &Piece) -> usize {
    bytes(items, piece).saturating_sub(items.shared[piece.item as usize])
}

/// Bytes of a section that `piece` takes from the others if it overlaps nothing.
pub(super) fn bytes(items: &Items, piece: &Piece) -> usize {
    if items.all_whole { items.spacing[piece.item as usize] } else { piece.high - piece.low }
}

/// Bytes by which each section's top may stand over: the most that spacing adds to an item of it.
pub(super) fn overhangs(items: &Items) -> Vec<usize> {
    let over = |piece: &Piece| items.spacing[piece.item as usize] - items.size[piece.item as usize];
    let mut changes: Vec<(u32, bool, usize)> = Vec::new();
    for piece in items.pieces.values().iter().filter(|piece| items.all_whole && over(piece) > 0) {
        changes.extend([(piece.from, true, over(piece)), (piece.to, false, over(piece))]);
    }
    changes.sort_unstable();
    let mut changes = changes.into_iter().peekable();
    let mut live: BTreeMap<usize, usize> = BTreeMap::new();
    let mut overhang = |section| {
        while let Some((_, born, over)) = changes.next_if(|(at, ..)| *at <= section) {
            let count = live.entry(over).or_default();
            *count = if born { *count + 1 } else { *count - 1 };
            if *count == 0 {
                live.remove(&over);
            }
        }
        live.last_key_value().map_or(0, |(over, _)| *over)
    };
    (0..).map(&mut overhang).take(items.sections).collect()
}

/// The most bytes that any section, item or pin needs.
pub(super) fn live(items: &Items) -> usize {
    let sections =
        weights(items, weight).into_iter().zip(overhangs(items)).map(|(weight, over)| weight.saturating_sub(over));
    let ends = (0..items.len()).map(|item| items.rest(item, items.pinned[item].unwrap_or(0)) + items.size[item]);
    sections.chain(ends).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::super::instance::{Buffer, Instance, Life};
    use super::*;

    fn bound(buffers: Vec<Buffer>) -> usize {
        live(&Items::new(&Instance::new(buffers).unwrap()))
    }

    #[test]
    fn only_the_top_is_not_rounded_up() {
        let buffer = |size, first, last| Buffer { align: 8, ..Buffer::new(size, first, last) };
        assert_eq!(bound(vec![buffer(9, 0, 1), buffer(12, 1, 2), buffer(5, 0, 0)]), 16 + 9);
        // The roundest one lives elsewhere.
        assert_eq!(bound(vec![buffer(12, 0, 1), buffer(12, 1, 2), buffer(1, 3, 3)]), 16 + 12);
    }

    #[test]
    fn gaps_windows_and_pins_count() {
        let life = |first, last, low, high| Life { first, last, low, high };
        let gaps = Buffer { lives: vec![life(0, 1, 0, 10), life(3, 3, 2, 5)], ..Buffer::new(10, 0, 0) };
        assert_eq!(bound(vec![gaps.clone(), Buffer::new(9, 2, 2)]), 10);
        assert_eq!(bound(vec![gaps.clone(), Buffer::new(9, 3, 3)]), 12);
        let pin = Buffer { pinned: Some(5), ..Buffer::new(4, 1, 1) };
        // The ten bytes fit under no pin at 5.
        assert_eq!(bound(vec![gaps, pin]), 19);
    }
}
