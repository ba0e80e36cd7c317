//! Which steps wait for which.

use super::values::writers;
use crate::steps::Program;

/// The steps that each step waits for.
pub(super) fn predecessors(program: &Program) -> Vec<Vec<usize>> {
    let writers = writers(program);
    let before = program.steps.iter().zip(program.waits()).map(|(step, mut before)| {
        before.extend(step.reads.iter().filter_map(|read| writers[read.0]));
        before.sort_unstable();
        before.dedup();
        before
    });
    before.collect()
}

/// The steps that wait for each step, where each waits for those in `before`.
pub(super) fn successors(before: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut after = vec![Vec::new(); before.len()];
    for (step, before) in before.iter().enumerate() {
        for &earlier in before {
            after[earlier].push(step);
        }
    }
    after
}
