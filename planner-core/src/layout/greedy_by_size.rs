//! Largest first, each at the lowest offset that is free throughout its life.

use super::Problem;
use std::cmp::Reverse;

pub(super) fn solve(problem: &Problem) -> Vec<usize> {
    let buffers = &problem.buffers;
    let mut order: Vec<usize> = (0..buffers.len()).collect();
    order.sort_by_key(|&index| {
        let buffer = &buffers[index];
        (Reverse(buffer.size), Reverse(buffer.last - buffer.first), index)
    });
    let mut offsets = vec![0; buffers.len()];
    // Placed so far, by offset.
    let mut placed: Vec<usize> = Vec::with_capacity(buffers.len());
    for index in order {
        let buffer = &buffers[index];
        let mut offset = 0;
        for &other in &placed {
            if offsets[other] >= offset + buffer.size {
                break;
            }
            if buffer.meets(&buffers[other]) {
                offset = (offsets[other] + buffers[other].size).next_multiple_of(buffer.align).max(offset);
            }
        }
        offsets[index] = offset;
        let at = placed.partition_point(|&other| offsets[other] <= offset);
        placed.insert(at, index);
    }
    offsets
}
