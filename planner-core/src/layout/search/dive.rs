//! A solution without looking back, for any number of items.
//!
//! Again and again: of the section with most bytes unplaced, the lowest item, unless something it meets fits wholly
//! under it; then that.

use super::bounds;
use super::floors::{Floors, GONE};
use super::items::Items;
use super::sections::Piece;
use super::tallest::Tallest;

/// A solution in the making.
#[derive(Clone)]
pub(super) struct Dive<'a> {
    items: &'a Items,
    /// The index of each item's first piece among all pieces.
    first_piece: Vec<usize>,
    unplaced: Tallest,
    floors: Floors,
    offsets: Vec<usize>,
}

impl<'a> Dive<'a> {
    /// Nothing is placed but what is pinned.
    pub(super) fn new(items: &'a Items) -> Self {
        let mut unplaced = Tallest::new(&bounds::weights(items, bounds::bytes));
        let mut floors = Floors::new(items.pieces.values().iter().map(|piece| (piece.from, piece.to)));
        let mut first_piece = Vec::with_capacity(items.len());
        let mut pieces = 0;
        for item in 0..items.len() {
            first_piece.push(pieces);
            for piece in items.pieces.row(item) {
                if items.pinned[item].is_some() {
                    unplaced.subtract(piece.from as usize, piece.to as usize, bounds::bytes(items, piece));
                    floors.leave_out(pieces);
                }
                pieces += 1;
            }
        }
        let offsets = items.pinned.iter().map(|pinned| pinned.unwrap_or(0)).collect();
        Self { items, first_piece, unplaced, floors, offsets }
    }

    /// Offsets of all items if they end below `height`; of two at the same floor the one of lower rank is placed first.
    pub(super) fn run(mut self, ranks: &[u32], height: usize) -> Option<Vec<usize>> {
        let pieces = self.items.pieces.values();
        self.floors.rank(|piece| ranks[pieces[piece].item as usize]);
        while let Some(item) = self.next() {
            if self.place(item) >= height {
                return None;
            }
        }
        Some(self.offsets)
    }

    /// The item to place now; none if all are placed.
    fn next(&mut self) -> Option<usize> {
        if self.floors.is_empty() {
            return None;
        }
        let section = self.unplaced.first() as u32;
        let (_, mut item) = self.lowest(section, section + 1)?;
        loop {
            let offset = self.offset(item);
            let items = self.items;
            let met = items.pieces.row(item).iter();
            let under = met.filter_map(|piece| self.lowest(piece.from, piece.to)).min();
            match under
                .filter(|&(floor, other)| other != item && items.rest(other, floor) + items.size[other] <= offset)
            {
                Some((_, other)) => item = other,
                None => return Some(item),
            }
        }
    }

    /// The lowest item that is in use somewhere in the sections `from..to`, after its floor.
    fn lowest(&mut self, from: u32, to: u32) -> Option<(usize, usize)> {
        loop {
            let (floor, piece) = self.floors.lowest(from, to)?;
            let Piece { item, low, .. } = self.items.pieces.values()[piece as usize];
            // A piece cannot be lower than the other pieces of its item allow.
            let least = self.floor(item as usize) + low;
            if least <= floor {
                return Some((floor, item as usize));
            }
            self.floors.set(piece as usize, least);
        }
    }

    /// The lowest offset of `item` above what is placed.
    fn floor(&self, item: usize) -> usize {
        let pieces = self.items.pieces.row(item).iter().zip(self.first_piece[item]..);
        pieces.map(|(piece, index)| self.floors.floor(index).saturating_sub(piece.low)).max().unwrap_or(0)
    }

    /// The lowest offset that `item` can have.
    fn offset(&self, item: usize) -> usize {
        self.items.rest(item, self.floor(item).next_multiple_of(self.items.grain))
    }

    /// Puts `item` as low as it can be; where it ends.
    fn place(&mut self, item: usize) -> usize {
        let offset = self.offset(item);
        self.offsets[item] = offset;
        for (piece, index) in self.items.pieces.row(item).iter().zip(self.first_piece[item]..) {
            self.unplaced.subtract(piece.from as usize, piece.to as usize, bounds::bytes(self.items, piece));
            self.floors.set(index, GONE);
        }
        for piece in self.items.pieces.row(item) {
            self.floors.raise(piece.from, piece.to, offset + piece.high);
        }
        offset + self.items.size[item]
    }
}
