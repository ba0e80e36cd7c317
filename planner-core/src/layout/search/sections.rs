//! Time, compressed: only the largest sets of buffers that are live together matter.
//!
//! A *section* is such a set. It ends with the first death after a run of births.

use super::instance::Buffer;
use super::rows::Rows;
use std::ops::Range;

/// A stretch of sections in which an item uses the same bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Piece {
    /// The item.
    pub(super) item: u32,
    /// First section.
    pub(super) from: u32,
    /// One more than the last section.
    pub(super) to: u32,
    /// First byte of the item in use.
    pub(super) low: usize,
    /// One more than the last byte of the item in use.
    pub(super) high: usize,
}

impl Piece {
    /// The sections.
    pub(super) fn sections(&self) -> Range<usize> {
        self.from as usize..self.to as usize
    }

    /// Both are in use in some section.
    pub(super) fn meets(&self, other: &Self) -> bool {
        self.from < other.to && other.from < self.to
    }
}

/// Where each buffer is in use, in order of time; and the number of sections.
pub(super) fn sections(buffers: &[&Buffer]) -> (Rows<Piece>, usize) {
    let mut pieces: Vec<(u32, Piece)> = Vec::new();
    let mut events = Vec::new();
    for (item, buffer) in (0..).zip(buffers) {
        for life in buffer.lives.iter().filter(|life| life.low < life.high) {
            // What dies at a step is gone before what is born.
            events.push((life.first, true, pieces.len()));
            events.push((life.last + 1, false, pieces.len()));
            pieces.push((item, Piece { item, low: life.low, high: life.high, ..Piece::default() }));
        }
    }
    events.sort_unstable();
    let (mut section, mut born) = (0, false);
    for (_, birth, piece) in events {
        let piece = &mut pieces[piece].1;
        if birth {
            piece.from = section;
        } else {
            section += u32::from(born);
            piece.to = section;
        }
        born = birth;
    }
    (join(&Rows::group(buffers.len(), &pieces)), section as usize)
}

/// Makes one piece of those between which nothing else happens.
fn join(pieces: &Rows<Piece>) -> Rows<Piece> {
    let mut joined = Rows::new();
    for item in 0..pieces.len() {
        let mut row: Vec<Piece> = Vec::new();
        for piece in pieces.row(item) {
            match row.last_mut() {
                Some(last) if (last.to, last.low, last.high) == (piece.from, piece.low, piece.high) => {
                    last.to = piece.to;
                }
                _ => row.push(*piece),
            }
        }
        joined.push(row);
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::super::instance::Life;
    use super::*;

    #[test]
    fn a_section_is_a_largest_set() {
        let lives = [(0, 9), (1, 2), (2, 3), (4, 4), (6, 9), (7, 7)];
        let buffers: Vec<Buffer> = lives.iter().map(|&(first, last)| Buffer::new(1, first, last)).collect();
        let (pieces, count) = sections(&buffers.iter().collect::<Vec<_>>());
        let found: Vec<(u32, u32)> = pieces.values().iter().map(|piece| (piece.from, piece.to)).collect();
        // {0, 1, 2}, {0, 3}, {0, 4, 5}
        assert_eq!((found, count), (vec![(0, 3), (0, 1), (0, 1), (1, 2), (2, 3), (2, 3)], 3));
    }

    #[test]
    fn a_gap_in_which_nothing_happens_is_none() {
        let life = |first, last| Life { first, last, low: 0, high: 8 };
        let gaps = Buffer { lives: vec![life(0, 1), life(3, 4), life(7, 8)], ..Buffer::new(8, 0, 0) };
        let other = Buffer::new(8, 5, 6);
        let (pieces, count) = sections(&[&gaps, &other]);
        let found: Vec<(u32, u32)> = pieces.values().iter().map(|piece| (piece.from, piece.to)).collect();
        assert_eq!((found, count), (vec![(0, 2), (3, 4), (2, 3)], 4));
    }
}
