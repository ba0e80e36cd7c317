//! A search for the least height, and a proof of it where the effort suffices.

use super::search::{Effort, Instance, Progress, solve_observed as search};
use super::{Problem, greedy_by_size};
use std::ops::ControlFlow;

pub(super) fn solve(
    problem: &Problem,
    effort: Effort,
    observer: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Vec<usize> {
    match Instance::try_from(problem) {
        Ok(instance) => search(&instance, effort.limits(&instance), None, observer).offsets,
        // Too large to count in: no memory holds that, so any layout does.
        Err(_) => greedy_by_size::solve(problem),
    }
}
