//! A search for the least height, and a proof of it where the effort suffices.

use super::search::{Effort, Instance, Progress, solve_observed as search};
use super::{Problem, greedy_by_size};
use std::ops::ControlFlow;

pub(super) fn solve(
    problem: &Problem,
    effort: Effort,
    observer: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Vec<usize> {
    let mut searched = |problem: &Problem| match Instance::try_from(problem) {
        Ok(instance) => search(&instance, effort.limits(&instance), None, observer).offsets,
        // Too large to count in: no memory holds that, so any layout does.
        Err(_) => greedy_by_size::solve(problem),
    };
    let offsets = searched(problem);
    let height = problem.height(&offsets);
    let coarser = if height > problem.least() { in_multiples(problem) } else { None };
    coarser.map(|coarser| searched(&coarser)).filter(|coarser| problem.height(coarser) < height).unwrap_or(offsets)
}

/// The problem with offsets that are multiples where overlaps are safe at multiples of a distance: the search counts
/// on such distances only if all offsets keep them.
fn in_multiples(problem: &Problem) -> Option<Problem> {
    let mut coarser = problem.clone();
    for overlap in &problem.overlaps {
        let distances = overlap.distances;
        if distances.least() < distances.any {
            for buffer in [overlap.lower, overlap.upper] {
                let align = &mut coarser.buffers[buffer].align;
                *align = lcm(*align, distances.multiple)?;
            }
        }
    }
    (coarser != *problem).then_some(coarser)
}

/// The least common multiple of two numbers above 0, if it is a number.
fn lcm(a: usize, b: usize) -> Option<usize> {
    let (mut divisor, mut rest) = (a, b);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    (a / divisor).checked_mul(b)
}

#[cfg(test)]
mod tests {
    use super::super::Buffer;
    use super::super::search::Overlap;
    use super::*;
    use crate::distances::Distances;

    #[test]
    fn multiples_are_used_whatever_the_alignment() {
        let buffer = |first| Buffer { size: 12, align: 2, first, last: first + 1 };
        let distances = Distances { from: 4, multiple: 3, any: 11 };
        let overlaps = vec![Overlap { lower: 1, upper: 0, distances }];
        let problem = Problem { buffers: vec![buffer(0), buffer(1)], overlaps };
        let offsets = solve(&problem, Effort::Default, &mut |_| ControlFlow::Continue(()));
        assert_eq!(offsets, [6, 0]);
    }
}
