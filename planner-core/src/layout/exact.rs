//! A search for the least height, and a proof of it where the effort suffices.

use super::search::{Instance, Limits, Progress, Solution, gcd, solve_below};
use super::{Problem, greedy_by_size};
use crate::options::Effort;
use std::ops::ControlFlow;

/// Offsets that end below `below`, after at most `nodes` for each form of the problem.
pub(super) fn solve(
    problem: &Problem,
    effort: Effort,
    below: usize,
    nodes: u64,
    observer: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Option<Vec<usize>> {
    let Ok(own) = Instance::try_from(problem) else {
        // Too large to count in: no memory holds that, so any layout does.
        return Some(greedy_by_size::solve(problem)).filter(|offsets| problem.height(offsets) < below);
    };
    let coarser = in_multiples(problem).and_then(|problem| Instance::try_from(&problem).ok());
    // A long search of the one does not keep a short one of the other waiting.
    let short = (coarser.is_some() && effort > Effort::Default).then_some(Effort::Default);
    let mut best = Solution { offsets: Vec::new(), bytes: below, bound: 0, nodes: 0 };
    for effort in short.into_iter().chain([effort]) {
        for instance in [coarser.as_ref(), Some(&own)].into_iter().flatten() {
            if best.bytes <= best.bound {
                break;
            }
            let before = best.progress();
            // What bounds the coarser problem does not bound this one.
            let is_own = std::ptr::eq(instance, &raw const own);
            let bound = |found: usize| if is_own { before.bound.max(found) } else { before.bound };
            let limits = Limits { nodes: effort.limits(instance).nodes.min(nodes) };
            let found = solve_below(instance, before.bytes, limits, None, &mut |progress| {
                let (bytes, nodes) = (progress.bytes.min(before.bytes), progress.nodes + before.nodes);
                observer(&Progress { bytes, bound: bound(progress.bound), nodes })
            });
            let nodes = before.nodes + found.nodes;
            best = Solution { bound: bound(found.bound), nodes, ..if found.bytes < best.bytes { found } else { best } };
        }
    }
    (best.bytes < below).then_some(best.offsets)
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
        let offsets = solve(&problem, Effort::Default, usize::MAX, u64::MAX, &mut |_| ControlFlow::Continue(()));
        assert_eq!(offsets.unwrap(), [6, 0]);
    }

    #[test]
    fn a_long_search_begins_with_short_ones() {
        const STEPS: usize = 12;
        let buffer = |size, align, first, last| Buffer { size, align, first, last };
        let both = |step| [(step - 1, step), (step, step - 1)].map(|pair| (pair, step));
        let distances = |step| match step % 2 {
            0 => Distances::at_least(0),
            _ => Distances { from: 38, multiple: 8, any: 60 },
        };
        let overlap = |((lower, upper), step)| Overlap { lower, upper, distances: distances(step) };
        let chain = (0..STEPS).map(|step| buffer(800, 1, step, step + 1));
        let scratch = (0..STEPS).map(|step| buffer(25, 4, step, step));
        let problem = Problem {
            buffers: chain.chain(scratch).collect(),
            overlaps: (1..STEPS).flat_map(both).map(overlap).collect(),
        };
        let best = |effort| {
            let mut nodes = 0;
            let offsets = solve(&problem, effort, usize::MAX, u64::MAX, &mut |progress| {
                nodes = progress.nodes;
                if nodes > 300_000 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            (problem.height(&offsets.unwrap()), nodes <= 300_000)
        };
        assert_eq!(best(Effort::Default), (865, true));
        assert_eq!(best(Effort::Max), (865, true));
    }
}
