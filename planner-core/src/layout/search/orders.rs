//! Which of several items at the same offset comes first.

use super::conflicts::Conflicts;
use super::items::Items;
use super::noise::Noise;

/// What an item is ranked by, the most first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// Steps for which it is in use.
    Duration,
    /// Sections in which it is in use.
    Sections,
    /// Steps times bytes.
    Area,
    /// Bytes.
    Size,
    /// Items that it meets.
    Conflicts,
}

impl Key {
    /// Each item's value.
    pub(super) fn values(self, items: &Items, conflicts: Option<&Conflicts>) -> Vec<u128> {
        let sections = |item| items.pieces.row(item).iter().map(|piece| u128::from(piece.to - piece.from)).sum();
        let value = |item: usize| match self {
            Self::Duration => items.duration[item] as u128,
            Self::Sections => sections(item),
            Self::Area => items.duration[item] as u128 * items.size[item] as u128,
            Self::Size => items.size[item] as u128,
            Self::Conflicts => conflicts
                .map_or(0, |conflicts| conflicts.others.row(item).len() + conflicts.pairs.row(item).len())
                as u128,
        };
        (0..items.len()).map(value).collect()
    }
}

/// Each item's place when they are ordered by `values`, each of which noise makes up to 1/12 larger.
pub(super) fn ranks(values: &[u128], noise: Option<&mut Noise>) -> Vec<u32> {
    let varied: Vec<u128> = match noise {
        Some(noise) => values.iter().map(|value| value * u128::from(64 + noise.below(6))).collect(),
        None => values.to_vec(),
    };
    // One number each, which unoptimised are sorted in a third of the time.
    let key = |(item, value): (u128, u128)| !(value.min(u128::MAX >> 32) << 32) & !u128::from(u32::MAX) | item;
    let mut order: Vec<u128> = (0..).zip(varied).map(key).collect();
    order.sort_unstable();
    let mut ranks = vec![0; values.len()];
    for (rank, key) in (0..).zip(order) {
        ranks[key as u32 as usize] = rank;
    }
    ranks
}
