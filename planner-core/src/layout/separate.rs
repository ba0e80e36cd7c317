//! One buffer after the other: nothing is ever reused.

use super::Problem;
use std::cmp::Reverse;

pub(super) fn solve(problem: &Problem) -> Vec<usize> {
    slots(problem.buffers.iter().map(|buffer| (buffer.size, buffer.align)))
}

/// Offsets of slots of these sizes and alignments, the most aligned first so that little is lost between them.
pub(super) fn slots(slots: impl Iterator<Item = (usize, usize)>) -> Vec<usize> {
    let slots: Vec<(usize, usize)> = slots.collect();
    let mut order: Vec<usize> = (0..slots.len()).collect();
    order.sort_by_key(|&index| Reverse(slots[index].1));
    let mut offsets = vec![0; slots.len()];
    let mut end: usize = 0;
    for index in order {
        let (size, align) = slots[index];
        offsets[index] = end.next_multiple_of(align);
        end = offsets[index] + size;
    }
    offsets
}
