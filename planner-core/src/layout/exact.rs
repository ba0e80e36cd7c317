//! A search for the least height, and a proof of it where the effort suffices.

use super::search::{Effort, Instance, Progress, gcd, solve_observed as search};
use super::{Problem, greedy_by_size};
use std::ops::ControlFlow;

pub(super) fn solve(
    problem: &Problem,
    effort: Effort,
    observer: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Vec<usize> {
    let Ok(instance) = Instance::try_from(problem) else {
        // Too large to count in: no memory holds that, so any layout does.
        return greedy_by_size::solve(problem);
    };
    let best = search(&instance, effort.limits(&instance), None, observer);
    if best.is_proved() {
        return best.offsets;
    }
    let Some(coarser) = in_multiples(problem).and_then(|problem| Instance::try_from(&problem).ok()) else {
        return best.offsets;
    };
    // What bounds the coarser problem does not bound this one.
    let found = best.progress();
    let other = search(&coarser, effort.limits(&coarser), None, &mut |progress| {
        let (bytes, nodes) = (progress.bytes.min(found.bytes), progress.nodes + found.nodes);
        observer(&Progress { bytes, nodes, ..found })
    });
    if other.bytes < best.bytes { other.offsets } else { best.offsets }
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
                *align = (*align / gcd(*align, distances.multiple)).checked_mul(distances.multiple)?;
            }
        }
    }
    (coarser != *problem).then_some(coarser)
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
