//! A search for the least height, and a proof of it where the effort suffices.

use super::search::{Effort, Instance, solve as search};
use super::{Problem, greedy_by_size};

pub(super) fn solve(problem: &Problem, effort: Effort) -> Vec<usize> {
    match Instance::try_from(problem) {
        Ok(instance) => search(&instance, effort.limits(&instance), None).offsets,
        // Too large to count in: no memory holds that, so any layout does.
        Err(_) => greedy_by_size::solve(problem),
    }
}
