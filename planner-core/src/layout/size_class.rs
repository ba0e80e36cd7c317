//! Slots of set sizes, lent for a buffer's life and returned.

use super::{Problem, separate};

struct Slot {
    size: usize,
    align: usize,
    /// The buffer to which it was last lent.
    latest: usize,
}

/// The largest class of any use: sums of slots stay far from overflow.
const MAX_CLASS: usize = 1 << 40;

/// `classes` are the sizes; powers of two when there are none. A larger buffer has a slot of its own size.
pub(super) fn solve(problem: &Problem, classes: &[usize]) -> Vec<usize> {
    let buffers = &problem.buffers;
    let class = |size: usize| {
        let fitting = classes.iter().copied().filter(|class| (size..=MAX_CLASS).contains(class)).min();
        fitting.unwrap_or(if classes.is_empty() { size.next_power_of_two() } else { size })
    };
    let mut order: Vec<usize> = (0..buffers.len()).collect();
    order.sort_by_key(|&index| buffers[index].first);
    let mut slots: Vec<Slot> = Vec::new();
    let mut lent = vec![0; buffers.len()];
    for index in order {
        let buffer = &buffers[index];
        let size = class(buffer.size);
        let free = slots.iter().enumerate().filter(|(_, slot)| problem.follow(slot.latest, index) && slot.size >= size);
        let smallest = free.min_by_key(|(_, slot)| slot.size).map(|(slot, _)| slot);
        lent[index] = smallest.unwrap_or_else(|| {
            slots.push(Slot { size, align: 1, latest: index });
            slots.len() - 1
        });
        let slot = &mut slots[lent[index]];
        slot.latest = index;
        slot.align = slot.align.max(buffer.align);
    }
    let starts = separate::slots(slots.iter().map(|slot| (slot.size, slot.align)));
    lent.into_iter().map(|slot| starts[slot]).collect()
}
