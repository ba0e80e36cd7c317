//! From a ready list, what frees most memory for its time and is most urgent first.
//!
//! score = alpha * (bytes freed / time) + beta * (time from here to the end / longest such time),
//! where bytes freed are net of those allocated and both are relative to the mean step. With a
//! budget, only steps whose results fit are ready, unless none fits. Ties go by source order.

use super::values::{Change, Finished, Values};
use super::waits::{predecessors, successors};
use crate::options::Options;
use crate::steps::{Program, Step};

pub(super) fn schedule(program: &Program, options: &Options) -> Vec<usize> {
    let source: Vec<usize> = (0..program.steps.len()).collect();
    let values = Values::new(program, options);
    let times: Vec<f64> = program.steps.iter().map(|step| time(program, step)).collect();
    let before = predecessors(program);
    let successors = successors(&before);
    let urgency = urgency(&successors, &times);
    let longest = urgency.iter().copied().fold(1.0, f64::max);
    let count = program.steps.len().max(1);
    #[expect(clippy::cast_precision_loss, reason = "a score needs no more than 53 bits")]
    let (mean_time, mean_bytes) = {
        let allocated: usize = values.allocated.iter().sum();
        (times.iter().sum::<f64>() / count as f64, (allocated as f64 / count as f64).max(1.0))
    };

    let mut waiting: Vec<usize> = before.iter().map(Vec::len).collect();
    let mut ready: Vec<usize> = source.iter().copied().filter(|&step| waiting[step] == 0).collect();
    let mut finished = Finished::new(&values);
    let mut live: usize = values.given;
    let mut order = Vec::with_capacity(program.steps.len());
    while !ready.is_empty() {
        let change = |step: usize| {
            let Change { allocated, freed, scratch, .. } = finished.change(step);
            // Results that nothing reads do not count.
            (allocated, freed - values.unread[step], scratch)
        };
        let fits = |step: usize| {
            let (allocated, _, scratch) = change(step);
            options.budget.is_none_or(|(budget, _)| live + allocated + scratch <= budget)
        };
        #[expect(clippy::cast_precision_loss, reason = "a score needs no more than 53 bits")]
        let score = |step: usize| {
            let (allocated, freed, _) = change(step);
            let rate = ((freed as f64 - allocated as f64) / mean_bytes) / (times[step] / mean_time);
            options.alpha * rate + options.beta * (urgency[step] / longest)
        };
        let scored = ready.iter().enumerate().map(|(at, &step)| (fits(step), score(step), step, at));
        let best = scored.max_by(|(fit, score, step, _), (other_fit, other_score, other, _)| {
            fit.cmp(other_fit).then(score.total_cmp(other_score)).then(other.cmp(step))
        });
        let Some(at) = best.map(|(.., at)| at) else { break };
        let step = ready.swap_remove(at);
        let (allocated, freed, _) = change(step);
        live = (live + allocated).saturating_sub(freed);
        finished.insert(step);
        for &next in &successors[step] {
            waiting[next] -= 1;
            if waiting[next] == 0 {
                ready.push(next);
            }
        }
        order.push(step);
    }
    order
}

/// Estimated time of a step: its arithmetic and the bytes that it moves.
#[expect(clippy::cast_precision_loss, reason = "a score needs no more than 53 bits")]
fn time(program: &Program, step: &Step) -> f64 {
    let moved: usize = step.reads.iter().chain(&step.writes).map(|id| program.tensor(*id).ty.bytes()).sum();
    1.0 + step.macs as f64 + moved as f64
}

/// The longest time from the start of each step to the end of the network.
fn urgency(successors: &[Vec<usize>], times: &[f64]) -> Vec<f64> {
    let mut urgency = vec![0.0; times.len()];
    for step in (0..times.len()).rev() {
        let after = successors[step].iter().map(|&next| urgency[next]).fold(0.0, f64::max);
        urgency[step] = times[step] + after;
    }
    urgency
}
