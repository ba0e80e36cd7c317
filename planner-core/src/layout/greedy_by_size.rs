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
        let mut offset = 0;
        while let Some(raised) = raised(problem, &placed, &offsets, index, offset) {
            offset = raised;
        }
        offsets[index] = offset;
        let at = placed.partition_point(|&other| offsets[other] <= offset);
        placed.insert(at, index);
    }
    offsets
}

/// The lowest offset above those `placed` that buffer `index` meets when it is at `offset`; `None` if it meets none.
fn raised(problem: &Problem, placed: &[usize], offsets: &[usize], index: usize, offset: usize) -> Option<usize> {
    let buffers = problem.buffers.as_slice();
    let buffer = &buffers[index];
    let mut free = offset;
    for &other in placed {
        if offsets[other] >= free + buffer.size {
            break;
        }
        if buffer.meets(&buffers[other])
            && offsets[other] < free + problem.distance(index, other)
            && free < offsets[other] + problem.distance(other, index)
        {
            free = (offsets[other] + problem.distance(other, index)).next_multiple_of(buffer.align);
        }
    }
    (free > offset).then_some(free)
}
