//! One buffer after the other: nothing is ever reused.

use super::Problem;

pub(super) fn solve(problem: &Problem) -> Vec<usize> {
    let mut end = 0;
    let place = |buffer: &super::Buffer| {
        let offset = usize::next_multiple_of(end, buffer.align);
        end = offset + buffer.size;
        offset
    };
    problem.buffers.iter().map(place).collect()
}
