//! Which items must keep apart, written out: for instances small enough to search.

use super::items::Items;
use super::rows::Rows;
use super::sections::Piece;

/// Most pairs, and most memberships of sections, that are written out.
const MOST: usize = 2_000_000;

/// The pairs of items that meet.
#[derive(Debug)]
pub(super) struct Conflicts {
    /// Those from which an item is apart if the higher one starts above the lower one's end.
    pub(super) others: Rows<u32>,
    /// Those with distances of their own.
    pub(super) pairs: Rows<Pair>,
    /// The items of each section.
    pub(super) members: Rows<u32>,
    /// The items that differ from an item in nothing, itself among them.
    pub(super) twins: Rows<u32>,
    /// Distances are what the items need, not more: a search that finds nothing proves that there is nothing.
    pub(super) exact: bool,
}

/// An item that an item meets.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pair {
    /// The other item.
    pub(super) other: u32,
    /// How far the other one must start above this one, if it is not under it.
    pub(super) over: usize,
    /// How far this one must start above the other one, if it is not under it.
    pub(super) under: usize,
}

impl Conflicts {
    /// `None` if there are too many to write out.
    pub(super) fn new(items: &Items) -> Option<Self> {
        let mut pieces: Vec<Piece> = items.pieces.values().to_vec();
        pieces.sort_by_key(|piece| piece.from);
        let memberships: usize = pieces.iter().map(|piece| piece.sections().len()).sum();
        if memberships > MOST || meetings(&pieces) > MOST {
            return None;
        }
        let mut met = Vec::new();
        let mut live: Vec<Piece> = Vec::new();
        for piece in pieces {
            live.retain(|other| other.to > piece.from);
            for other in &live {
                if other.item != piece.item {
                    met.push((piece.item, other.item));
                    met.push((other.item, piece.item));
                }
            }
            live.push(piece);
        }
        let met = Rows::group(items.len(), &met);
        let whole: Vec<bool> = (0..items.len()).map(|item| items.whole(item)).collect();
        let overlapping = items.overlapping();
        let (mut others, mut pairs) = (Rows::new(), Rows::new());
        let mut seen = vec![u32::MAX; items.len()];
        for item in 0..items.len() {
            let (mut plain, mut special) = (Vec::new(), Vec::new());
            for &other in met.row(item) {
                // Those of several pieces meet several times.
                if std::mem::replace(&mut seen[other as usize], item as u32) == item as u32 {
                    continue;
                }
                let apart = |other: usize| !(overlapping[item] && overlapping[other] && items.may_overlap(item, other));
                if whole[item] && whole[other as usize] && apart(other as usize) {
                    plain.push(other);
                } else {
                    let distance = |below, above| items.distance(below, above).unwrap_or(0);
                    let (over, under) = (distance(item, other as usize), distance(other as usize, item));
                    special.push(Pair { other, over, under });
                }
            }
            others.push(plain);
            pairs.push(special);
        }
        let exact = items.all_multiples && pairs.values().iter().all(|pair| pair.over > 0 && pair.under > 0);
        let member = |piece: &Piece| piece.sections().map(|section| (section as u32, piece.item)).collect::<Vec<_>>();
        let members: Vec<(u32, u32)> = items.pieces.values().iter().flat_map(member).collect();
        Some(Self { others, twins: twins(items, &pairs), pairs, members: Rows::group(items.sections, &members), exact })
    }
}

/// How many pairs of pieces, in order of birth, meet.
fn meetings(pieces: &[Piece]) -> usize {
    let mut deaths: Vec<u32> = pieces.iter().map(|piece| piece.to).collect();
    deaths.sort_unstable();
    let mut dead = 0;
    let live = pieces.iter().enumerate().map(|(born, piece)| {
        while deaths[dead] <= piece.from {
            dead += 1;
        }
        born - dead
    });
    live.sum()
}

fn twins(items: &Items, pairs: &Rows<Pair>) -> Rows<u32> {
    let looks = |item: usize| {
        let pieces: Vec<(u32, u32)> = items.pieces.row(item).iter().map(|piece| (piece.from, piece.to)).collect();
        let alone = (items.pinned[item].is_some() || !pairs.row(item).is_empty()).then_some(item);
        (items.size[item], items.align[item], pieces, alone)
    };
    let mut order: Vec<(_, u32)> = (0..items.len()).map(looks).zip(0..).collect();
    order.sort_unstable();
    let mut twins: Vec<(u32, u32)> = Vec::new();
    for alike in order.chunk_by(|(a, _), (b, _)| a == b) {
        twins.extend(alike.iter().flat_map(|&(_, a)| alike.iter().map(move |&(_, b)| (a, b))));
    }
    Rows::group(items.len(), &twins)
}
