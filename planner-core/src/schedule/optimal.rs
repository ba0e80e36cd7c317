//! The order of least [`peak`](super::peak): best first over sets of finished steps.
//!
//! What lives after some steps depends on their set alone, so that a set needs to be reached only once, at its least
//! peak. Sets are taken by peak: the first time that all steps are finished, nothing is better. Steps that are all
//! before, or after, every other one divide the network: what comes before them is decided when they are finished.
//! A step that is ready, makes no new peak and leaves no more than it found is taken at once: whatever comes later would
//! live beside no more. A part that exceeds its work goes by the better of the other orders, and the least
//! peak that is still open there remains as bound.

use super::values::{Values, writers};
use super::{memory, source};
use crate::plan::{Effort, Options};
use crate::steps::Program;
use std::cell::LazyCell;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::ops::{ControlFlow, Range};

/// An order and what is known of its peak.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Optimal {
    /// The steps.
    pub order: Vec<usize>,
    /// Most bytes that live at once.
    pub peak: usize,
    /// No order has a lower peak; as high as `peak` if that is proved to be the least.
    pub bound: usize,
    /// No arena is smaller, in whatever order. Lower than `bound` for networks in which more may share than a peak
    /// counts: those with states, views of parts, concats in place.
    pub arena_bound: usize,
    /// Sets of finished steps that were looked at.
    pub states: u64,
}

/// The order of least peak for all parts of `program` that [`Options::effort`] suffices for.
#[must_use]
pub fn optimal(program: &Program, options: &Options) -> Optimal {
    optimal_observed(program, options, &mut |_| ControlFlow::Continue(()))
}

/// Told how many sets were looked at; ends the search with what is known.
pub(super) type Observer<'a> = dyn FnMut(u64) -> ControlFlow<()> + 'a;

/// As [`optimal`], with an observer.
pub(crate) fn optimal_observed(program: &Program, options: &Options, observer: &mut Observer<'_>) -> Optimal {
    let values = Values::new(program, options);
    let before = predecessors(program);
    // Few networks need them.
    let heuristics = LazyCell::new(|| [source::schedule(program), memory::schedule(program, options)]);
    let mut work = work(options.effort);
    let mut live = values.given;
    let mut found =
        Optimal { order: Vec::with_capacity(before.len()), peak: live, bound: live, arena_bound: 0, states: 0 };
    for part in parts(&before) {
        // A large part may need all, but none may starve those after it.
        let mut share = work.div_ceil(2);
        work -= share;
        let search = Part { values: &values, before: &before, steps: part.clone() };
        let (order, bound) = match search.best(live, found.peak, &mut share, &mut found.states, observer) {
            Ok(best) => best,
            Err(bound) => {
                let within = |order: &Vec<usize>| order.iter().copied().filter(|step| part.contains(step)).collect();
                let mut orders: Vec<Vec<usize>> = heuristics.iter().map(within).collect();
                orders.extend(search.beam(live, found.peak, looks(options.effort), &mut found.states, observer));
                (orders.into_iter().min_by_key(|order| search.run(order, live).0).unwrap_or_default(), bound)
            }
        };
        work += share;
        // Below the peak of earlier parts nothing was looked for, and those may have a lower one.
        let bound = if bound > found.peak { bound } else { search.floor(live, 0) };
        let (peak, after) = search.run(&order, live);
        found.peak = found.peak.max(peak);
        found.bound = found.bound.max(bound);
        found.order.extend(order);
        live = after;
    }
    found.arena_bound = if values.is_bound { found.bound } else { values.least() };
    found
}

/// Steps that an effort may look at, all of a part's for each of its sets.
fn work(effort: Effort) -> usize {
    match effort {
        Effort::Fast => 0,
        Effort::Default => 200_000,
        Effort::Max => 20_000_000,
    }
}

/// Steps that an effort may look at in the beam of a part; each of these costs more.
fn looks(effort: Effort) -> usize {
    match effort {
        Effort::Fast => 0,
        Effort::Default => 25_000,
        Effort::Max => 20_000_000,
    }
}

/// The steps that each step waits for.
fn predecessors(program: &Program) -> Vec<Vec<usize>> {
    let writers = writers(program);
    let before = program.steps.iter().zip(program.waits()).map(|(step, mut before)| {
        before.extend(step.reads.iter().filter_map(|read| writers[read.0]));
        before.sort_unstable();
        before.dedup();
        before
    });
    before.collect()
}

/// The steps in source order, divided after each that comes after all earlier and before all later ones.
fn parts(before: &[Vec<usize>]) -> Vec<Range<usize>> {
    let mut after = vec![Vec::new(); before.len()];
    for (step, before) in before.iter().enumerate() {
        for &earlier in before {
            after[earlier].push(step);
        }
    }
    let all_before = alone(before, 0..before.len());
    let all_after = alone(&after, (0..before.len()).rev());
    let mut parts = Vec::new();
    let mut start = 0;
    for step in 0..before.len() {
        if all_before[step] && all_after[step] {
            parts.push(start..step + 1);
            start = step + 1;
        }
    }
    parts.push(start..before.len());
    parts
}

/// Whether each of `steps`, when it comes, is the only one so far that no other so far is a neighbour of.
fn alone(neighbours: &[Vec<usize>], steps: impl Iterator<Item = usize>) -> Vec<bool> {
    let mut alone = vec![false; neighbours.len()];
    let mut covered = vec![false; neighbours.len()];
    let mut loose = 0;
    for step in steps {
        loose += 1;
        for &other in &neighbours[step] {
            loose -= usize::from(!std::mem::replace(&mut covered[other], true));
        }
        alone[step] = loose == 1;
    }
    alone
}

/// Steps between two that divide the network.
pub(super) struct Part<'a> {
    pub(super) values: &'a Values,
    /// The steps that each step of the network waits for.
    pub(super) before: &'a [Vec<usize>],
    pub(super) steps: Range<usize>,
}

/// The finished steps of a part, a bit each.
pub(super) type Set = Box<[u64]>;

/// A set that was reached.
struct State {
    set: Set,
    live: usize,
    /// The state before it and the steps since.
    from: usize,
    steps: Vec<usize>,
}

impl Part<'_> {
    /// Peak and what lives afterwards, in `order`.
    fn run(&self, order: &[usize], mut live: usize) -> (usize, usize) {
        let mut peak = live;
        let mut set = self.empty();
        for &step in order {
            let (during, after) = self.step(&set, step, live);
            peak = peak.max(during);
            live = after;
            self.insert(&mut set, step);
        }
        (peak, live)
    }

    /// The best order and its peak, if so much `work` suffices, from which it takes what it uses; or a bound.
    /// A peak up to `free` is as good as none.
    fn best(
        &self,
        live: usize,
        free: usize,
        work: &mut usize,
        states: &mut u64,
        observer: &mut Observer<'_>,
    ) -> Result<(Vec<usize>, usize), usize> {
        let mut reached = vec![State { set: self.empty(), live, from: 0, steps: Vec::new() }];
        let mut seen: BTreeSet<Set> = BTreeSet::new();
        // The least peak first, then the most finished.
        let mut open = BinaryHeap::from([Reverse((self.floor(live, free), self.steps.len(), 0))]);
        while let Some(Reverse((peak, _, at))) = open.pop() {
            if !seen.insert(reached[at].set.clone()) {
                continue;
            }
            if self.settle(&mut reached[at], peak) && !seen.insert(reached[at].set.clone()) {
                continue;
            }
            let left = self.steps.len() - count(&reached[at].set);
            if left == 0 {
                return Ok((path(&reached, at), peak));
            }
            if *work < self.steps.len() || observer(*states).is_break() {
                return Err(peak);
            }
            *work -= self.steps.len();
            *states += 1;
            for step in self.steps.clone() {
                let State { set, live, .. } = &reached[at];
                if !self.is_ready(set, step) {
                    continue;
                }
                let (during, after) = self.step(set, step, *live);
                let mut set = set.clone();
                self.insert(&mut set, step);
                if !seen.contains(&set) {
                    open.push(Reverse((peak.max(during), left - 1, reached.len())));
                    reached.push(State { set, live: after, from: at, steps: vec![step] });
                }
            }
        }
        Ok((Vec::new(), free))
    }

    /// No order has a lower peak.
    pub(super) fn floor(&self, live: usize, free: usize) -> usize {
        let values = self.values;
        let need = |step: usize| {
            let read: usize = values.reads[step].iter().map(|&value| values.bytes[value]).sum();
            read + values.change(step, |_| true).during
        };
        self.steps.clone().map(need).fold(free.max(live), usize::max)
    }

    /// Takes all steps by which nothing can be lost; whether there are any.
    fn settle(&self, state: &mut State, peak: usize) -> bool {
        let before = state.steps.len();
        let mut step = self.steps.start;
        while step < self.steps.end {
            if self.is_ready(&state.set, step) {
                let (during, after) = self.step(&state.set, step, state.live);
                if during <= peak && after <= state.live {
                    self.insert(&mut state.set, step);
                    state.live = after;
                    state.steps.push(step);
                    step = self.steps.start;
                    continue;
                }
            }
            step += 1;
        }
        state.steps.len() > before
    }

    /// Bytes that live during and after `step`.
    pub(super) fn step(&self, set: &Set, step: usize, live: usize) -> (usize, usize) {
        let done = |reader: usize| reader == step || self.contains(set, reader);
        let change = self.values.change(step, |value| self.values.readers[value].iter().all(|&reader| done(reader)));
        (live + change.during, change.after(live))
    }

    pub(super) fn is_ready(&self, set: &Set, step: usize) -> bool {
        !self.contains(set, step) && self.before[step].iter().all(|&before| self.contains(set, before))
    }

    pub(super) fn empty(&self) -> Set {
        vec![0; self.steps.len().div_ceil(64)].into()
    }

    /// Whether `step` is finished; those of earlier parts are, those of later ones are not.
    fn contains(&self, set: &Set, step: usize) -> bool {
        let bit = |index: usize| set[index / 64] >> (index % 64) & 1 == 1;
        step < self.steps.start || (step < self.steps.end && bit(step - self.steps.start))
    }

    pub(super) fn insert(&self, set: &mut Set, step: usize) {
        let index = step - self.steps.start;
        set[index / 64] |= 1 << (index % 64);
    }
}

/// The steps on the way to state `at`.
fn path(reached: &[State], mut at: usize) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::new();
    loop {
        order.extend(reached[at].steps.iter().rev());
        if at == 0 {
            break;
        }
        at = reached[at].from;
    }
    order.reverse();
    order
}

/// How many steps are finished.
pub(super) fn count(set: &Set) -> usize {
    set.iter().map(|word| word.count_ones() as usize).sum()
}
