//! A candidate of the search, and the plan made of the best one.

use super::{Buffer, Plan};
use crate::events::events;
use crate::layout::{self, Problem};
use crate::lifetimes::{Lifetimes, lifetimes};
use crate::options::Options;
use crate::overlap::{self, Overlap};
use crate::planned::Rules;
use crate::planned::{Ahead, Lifetime, Place, PlannedStep};
use crate::sharing::{Home, Resolved, resolve};
use crate::steps::Program;
use crate::uses::Uses;

/// An order of steps with its sharing resolved: all that a layout needs.
#[derive(Clone)]
pub(super) struct Candidate {
    pub(super) resolved: Resolved,
    steps: Vec<PlannedStep>,
    pub(super) lifetimes: Lifetimes,
    /// The storages that have become buffers, by index.
    placed: Vec<usize>,
    /// The results that may lie over arguments, in the order of the problem's overlaps.
    overlaps: Vec<Overlap>,
    /// The buffers to place: `placed`, then the scratch of those steps that need it.
    pub(super) problem: Problem,
    /// Bytes that each step needs.
    pub(super) needed: Vec<usize>,
    pub(super) peak: Peak,
}

/// Most bytes needed at once, and at how many steps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Peak {
    pub(super) bytes: usize,
    steps: usize,
}

impl Peak {
    fn new(needed: &[usize]) -> Self {
        let mut peak = Self { bytes: 0, steps: 0 };
        for &bytes in needed {
            if bytes > peak.bytes {
                peak = Self { bytes, steps: 0 };
            }
            peak.steps += usize::from(bytes == peak.bytes);
        }
        peak
    }
}

impl Candidate {
    pub(super) fn new(program: &Program, options: &Options, order: &[usize], uses: &Uses, rules: &Rules) -> Self {
        let resolved = resolve(program, options, order, uses, rules);
        let steps = resolved.steps(program, order);
        let lifetimes = lifetimes(program, order, &steps, uses, &resolved);
        let storages = resolved.storages.iter().enumerate();
        let placed: Vec<usize> = storages.filter(|(_, s)| !s.members.is_empty()).map(|(index, _)| index).collect();
        let tensors = placed.iter().map(|&index| {
            let (storage, life) = (&resolved.storages[index], lifetimes.storages[index]);
            layout::Buffer { size: storage.size, align: storage.align, first: life.first, last: life.last }
        });
        let scratch = steps.iter().enumerate().filter_map(|(position, planned)| {
            let scratch = program.steps[planned.step].scratch?;
            Some(layout::Buffer { size: scratch.bytes, align: scratch.dtype.bytes(), first: position, last: position })
        });
        let buffers: Vec<layout::Buffer> = tensors.chain(scratch).collect();
        let overlaps = overlap::overlaps(program, order, uses, &steps, &resolved, &lifetimes);
        let problem =
            Problem { overlaps: overlaps.iter().map(|overlap| bounded(overlap, &placed, &buffers)).collect(), buffers };
        let needed = problem.needed();
        let peak = Peak::new(&needed);
        Self { resolved, steps, lifetimes, placed, overlaps, problem, needed, peak }
    }

    /// The name of each buffer: that of the tensor that founded it, or `scratch of` a step.
    pub(super) fn names(&self, program: &Program) -> Vec<String> {
        let founder = |&storage: &usize| program.tensors[self.resolved.storages[storage].founder].name.clone();
        let scratch = |planned: &PlannedStep| {
            let step = &program.steps[planned.step];
            step.scratch.map(|_| format!("scratch of {}", step.name))
        };
        self.placed.iter().map(founder).chain(self.steps.iter().filter_map(scratch)).collect()
    }

    /// The plan with its buffers at `offsets`; order and bounds are left for the caller.
    pub(super) fn plan(mut self, program: Program, options: Options, offsets: &[usize]) -> Plan {
        let mut buffer_of = vec![0; self.resolved.storages.len()];
        let names = self.names(&program);
        for (buffer, &storage) in self.placed.iter().enumerate() {
            buffer_of[storage] = buffer;
        }
        let mut next = self.placed.len();
        for planned in &mut self.steps {
            let step = &program.steps[planned.step];
            if let Some(scratch) = step.scratch {
                planned.scratch = Some(offsets[next]..offsets[next] + scratch.bytes);
                next += 1;
            }
        }
        let buffers = self.problem.buffers.iter().zip(offsets).zip(names).map(|((buffer, &offset), name)| Buffer {
            name,
            offset,
            size: buffer.size,
            align: buffer.align,
            life: Lifetime { first: buffer.first, last: buffer.last },
        });
        let buffers: Vec<Buffer> = buffers.collect();
        let places = self.resolved.homes.iter().map(|home| match *home {
            Home::Storage { storage, offset } => {
                let buffer = buffer_of[storage];
                Place::Arena { buffer, offset: offsets[buffer] + offset }
            }
            Home::Borrowed { input, offset } => Place::Borrowed { input, offset },
            Home::Static { id, offset } => Place::Static { id, offset },
            Home::Nowhere => Place::Nowhere,
        });
        let places: Vec<Place> = places.collect();
        for (overlap, bounded) in self.overlaps.iter().zip(&self.problem.overlaps) {
            let [lower, upper] = [bounded.lower, bounded.upper]
                .map(|buffer| offsets[buffer]..offsets[buffer] + self.problem.buffers[buffer].size);
            let shares = &mut self.resolved.shares[overlap.result];
            if lower.start <= upper.start
                && upper.start < lower.end
                && bounded.distances.allows(upper.start - lower.start)
            {
                shares.ahead.get_or_insert(Ahead {
                    of: overlap.arg,
                    direction: overlap.direction,
                    distances: overlap.distances,
                });
            }
        }
        let peak_step = self.needed.iter().position(|&bytes| bytes == self.peak.bytes).unwrap_or(0);
        Plan {
            events: events(&program, &self.steps, &places, &self.lifetimes.tensors),
            order: Vec::new(),
            scheduled: Vec::new(),
            steps: self.steps,
            applied: self.resolved.applied,
            places,
            lifetimes: self.lifetimes.tensors,
            shares: self.resolved.shares,
            arena_bytes: self.problem.height(offsets).next_multiple_of(4),
            arena_align: buffers.iter().map(|buffer| buffer.align).max().unwrap_or(1).max(16),
            buffers,
            classic_bound: 0,
            lower_bound: 0,
            separate_bytes: 0,
            peak_step,
            options,
            program,
        }
    }
}

/// `overlap` as a matter of the buffers that storages have become.
fn bounded(overlap: &Overlap, placed: &[usize], buffers: &[layout::Buffer]) -> layout::search::Overlap {
    let storages = overlap.storages.map(|storage| placed.binary_search(&storage).unwrap_or(0));
    let [lower, upper] = overlap.direction.lower_first(storages);
    layout::search::Overlap::new(lower, upper, overlap.distances, buffers[lower].size)
}
