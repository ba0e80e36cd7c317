//! The interval graph of lifetimes, coloured: buffers of one colour share one slot.
//!
//! Taken by end of life from the last to the first, so that no more colours are used than buffers
//! live at once; of the colours that are free, the one whose size suits best.

use super::{Problem, separate};
use std::cmp::Reverse;

struct Slot {
    size: usize,
    align: usize,
    /// Its earliest buffer so far.
    earliest: usize,
}

pub(super) fn solve(problem: &Problem) -> Vec<usize> {
    let buffers = &problem.buffers;
    let mut order: Vec<usize> = (0..buffers.len()).collect();
    order.sort_by_key(|&index| (Reverse(buffers[index].last), Reverse(buffers[index].size)));
    let mut slots: Vec<Slot> = Vec::new();
    let mut colors = vec![0; buffers.len()];
    for index in order {
        let buffer = &buffers[index];
        let free = slots.iter().enumerate().filter(|(_, slot)| problem.follow(index, slot.earliest));
        let best = free.min_by_key(|(_, slot)| (buffer.size.saturating_sub(slot.size), slot.size));
        let color = best.map(|(color, _)| color);
        colors[index] = color.unwrap_or_else(|| {
            slots.push(Slot { size: 0, align: 1, earliest: index });
            slots.len() - 1
        });
        let slot = &mut slots[colors[index]];
        slot.size = slot.size.max(buffer.size);
        slot.align = slot.align.max(buffer.align);
        slot.earliest = index;
    }
    let starts = separate::slots(slots.iter().map(|slot| (slot.size, slot.align)));
    colors.into_iter().map(|color| starts[color]).collect()
}
