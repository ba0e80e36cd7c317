//! From a ready list, what frees most memory for its time and is most urgent first.
//!
//! score = alpha * (bytes freed / time) + beta * (time from here to the end / longest such time),
//! where bytes freed are net of those allocated and both are relative to the mean step. With a
//! budget, only steps whose results fit are ready, unless none fits. Ties go by source order.

use crate::model::TensorId;
use crate::plan::Options;
use crate::steps::{Program, Sharing, Source, Step};
use crate::uses::Uses;

pub(super) fn schedule(program: &Program, options: &Options) -> Vec<usize> {
    let source: Vec<usize> = (0..program.steps.len()).collect();
    let uses = Uses::new(program, options, &source);
    let values = Values::new(program, &uses);
    let times: Vec<f64> = program.steps.iter().map(|step| time(program, step)).collect();
    let urgency = urgency(program, &times);
    let longest = urgency.iter().copied().fold(1.0, f64::max);
    let count = program.steps.len().max(1);
    #[expect(clippy::cast_precision_loss, reason = "a score needs no more than 53 bits")]
    let (mean_time, mean_bytes) = {
        let allocated: usize = values.allocated.iter().sum();
        (times.iter().sum::<f64>() / count as f64, (allocated as f64 / count as f64).max(1.0))
    };

    let waits = program.waits();
    let mut waiting: Vec<usize> = predecessors(program, &waits);
    let successors = successors(program, &waits);
    let mut ready: Vec<usize> = source.iter().copied().filter(|&step| waiting[step] == 0).collect();
    let mut pending = values.readers.clone();
    let mut live: usize = values.given;
    let mut order = Vec::with_capacity(program.steps.len());
    while !ready.is_empty() {
        let freed = |step: usize| -> usize {
            let dying = values.reads[step].iter().filter(|&&value| pending[value] == 1);
            dying.map(|&value| values.bytes[value]).sum()
        };
        let fits = |step: usize| {
            let scratch = program.steps[step].scratch.map_or(0, |scratch| scratch.bytes);
            options.budget.is_none_or(|(budget, _)| live + values.allocated[step] + scratch <= budget)
        };
        #[expect(clippy::cast_precision_loss, reason = "a score needs no more than 53 bits")]
        let score = |step: usize| {
            let net = freed(step) as f64 - values.allocated[step] as f64;
            let rate = (net / mean_bytes) / (times[step] / mean_time);
            options.alpha * rate + options.beta * (urgency[step] / longest)
        };
        let best = ready.iter().enumerate().max_by(|(_, a), (_, b)| {
            let fit = fits(**a).cmp(&fits(**b));
            fit.then(score(**a).total_cmp(&score(**b))).then(b.cmp(a))
        });
        let Some(at) = best.map(|(at, _)| at) else { break };
        let step = ready.swap_remove(at);
        live = (live + values.allocated[step]).saturating_sub(freed(step));
        for &value in &values.reads[step] {
            pending[value] -= 1;
        }
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

/// Tensors of the arena, views counted as their arguments.
struct Values {
    /// Bytes of each value; 0 if it is never freed.
    bytes: Vec<usize>,
    /// How many steps read each value.
    readers: Vec<usize>,
    /// The values that each step reads, each once.
    reads: Vec<Vec<usize>>,
    /// Bytes that each step's results need.
    allocated: Vec<usize>,
    /// Bytes of the inputs and states.
    given: usize,
}

impl Values {
    fn new(program: &Program, uses: &Uses) -> Self {
        let mut of: Vec<usize> = (0..program.tensors.len()).collect();
        let size = |id: TensorId| uses.bytes[id.0];
        let mut allocated = Vec::with_capacity(program.steps.len());
        for (step, allowed) in program.steps.iter().zip(&uses.allowed) {
            let mut new: usize = step.writes.iter().map(|result| size(*result)).sum();
            for (rule, _) in step.sharing.iter().zip(allowed).filter(|(_, allowed)| **allowed) {
                if let Sharing::Update { result, .. } = *rule {
                    new = new.saturating_sub(size(step.writes[result]));
                }
                if let Sharing::View { result, arg, .. } = *rule {
                    of[step.writes[result].0] = of[step.reads[arg].0];
                    new = new.saturating_sub(size(step.writes[result]));
                }
            }
            allocated.push(new);
        }
        let mut bytes = vec![0; program.tensors.len()];
        let mut given = 0;
        for (tensor, item) in program.tensors.iter().enumerate() {
            let given_size = uses.roles[tensor].input.is_open() || matches!(item.source, Source::State(_));
            if of[tensor] == tensor && (given_size || item.source == Source::Step) {
                bytes[tensor] = uses.bytes[tensor];
                given += if given_size { bytes[tensor] } else { 0 };
            }
        }
        for state in &program.states {
            bytes[state.tensor.0] = 0;
        }
        for (tensor, _) in uses.roles.iter().enumerate().filter(|(_, role)| role.survives()) {
            bytes[of[tensor]] = 0;
        }
        let mut readers = vec![0; program.tensors.len()];
        let reads = program.steps.iter().map(|step| {
            let mut values: Vec<usize> = step.reads.iter().map(|read| of[read.0]).collect();
            values.sort_unstable();
            values.dedup();
            for value in &values {
                readers[*value] += 1;
            }
            values
        });
        let reads = reads.collect();
        Self { bytes, readers, reads, allocated, given }
    }
}

/// The step that writes each tensor.
fn writers(program: &Program) -> Vec<Option<usize>> {
    let mut writers = vec![None; program.tensors.len()];
    for (index, step) in program.steps.iter().enumerate() {
        step.writes.iter().for_each(|result| writers[result.0] = Some(index));
    }
    writers
}

/// How many reads of each step wait for another step, and how many steps it waits for besides.
fn predecessors(program: &Program, waits: &[Vec<usize>]) -> Vec<usize> {
    let writers = writers(program);
    let reads = |step: &Step| step.reads.iter().filter(|read| writers[read.0].is_some()).count();
    program.steps.iter().zip(waits).map(|(step, waits)| reads(step) + waits.len()).collect()
}

/// The steps that read each step's results, once a read, and those that wait for it.
fn successors(program: &Program, waits: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let writers = writers(program);
    let mut successors = vec![Vec::new(); program.steps.len()];
    for (index, step) in program.steps.iter().enumerate() {
        for read in &step.reads {
            if let Some(writer) = writers[read.0] {
                successors[writer].push(index);
            }
        }
    }
    for (index, waits) in waits.iter().enumerate() {
        for &first in waits {
            successors[first].push(index);
        }
    }
    successors
}

/// The longest time from the start of each step to the end of the network.
fn urgency(program: &Program, times: &[f64]) -> Vec<f64> {
    let successors = successors(program, &program.waits());
    let mut urgency = vec![0.0; times.len()];
    for step in (0..times.len()).rev() {
        let after = successors[step].iter().map(|&next| urgency[next]).fold(0.0, f64::max);
        urgency[step] = times[step] + after;
    }
    urgency
}
