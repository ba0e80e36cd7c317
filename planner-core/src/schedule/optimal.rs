//! The order of least [`peak`](super::peak): best first over sets of finished steps.
//!
//! What lives after some steps depends on their set alone, so that a set needs to be reached only once, at its least
//! peak. Sets are taken by peak: the first time that all steps are finished, nothing is better. Steps that are all
//! before, or after, every other one divide the network: what comes before them is decided when they are finished.
//! A step that is ready, makes no new peak and leaves no more than it found is taken at once: whatever comes later
//! would live beside no more. A part that exceeds its work goes by the best of the order of source, that of memory and
//! what a beam finds; the least peak that is still open there remains as bound, or what minimum cuts say: at the
//! default effort those of the few steps beside which most lives, at the greatest all.

use super::Observer;
use super::best_first::BestFirst;
use super::cut::Cuts;
use super::memory;
use super::part::Part;
use super::values::Values;
use super::waits::{predecessors, successors};
use crate::options::{Effort, Options};
use crate::steps::Program;
use std::cell::LazyCell;
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

/// As [`optimal`], with an observer.
pub(crate) fn optimal_observed(program: &Program, options: &Options, observer: &mut Observer<'_>) -> Optimal {
    search(program, options, true, observer)
}

/// As the order of [`optimal`], with less patience for a proof.
pub(crate) fn low(program: &Program, options: &Options) -> Vec<usize> {
    search(program, options, false, &mut |_| ControlFlow::Continue(())).order
}

fn search(program: &Program, options: &Options, patient: bool, observer: &mut Observer<'_>) -> Optimal {
    let values = Values::new(program, options);
    let before = predecessors(program);
    // Few networks need it.
    let memory = LazyCell::new(|| memory::schedule(program, options));
    let cuts = LazyCell::new(|| Cuts::new(&values, &before));
    // They serve no search, only who asks how far from the best an arena may be.
    let mut cuts_left = if patient && values.is_bound { few_cuts(options.effort, before.len()) } else { 0 };
    let mut work = work(options.effort);
    let looks = looks(options.effort) / if patient { 1 } else { 2 };
    let mut live = values.given;
    let mut found =
        Optimal { order: Vec::with_capacity(before.len()), peak: live, bound: live, arena_bound: 0, states: 0 };
    // Values in the place of a state, and bytes of those that might be there in another order.
    let (mut in_state, mut apart) = (vec![false; program.tensors.len()], 0);
    for range in parts(&before) {
        let mut part = Part::new(&values, &before, range.clone(), &in_state);
        let mut best = Best { peak: usize::MAX, order: Vec::new() };
        best.consider(&part, live, range.clone().collect());
        if part.floor(live, found.peak) < best.peak {
            let within = memory.iter().copied().filter(|step| range.contains(step));
            best.consider(&part, live, within.collect());
        }
        if options.effort == Effort::Max && part.floor(live, found.peak) < best.peak {
            part.least = part.least.max(cuts.bound(range.clone(), found.states, observer));
        }
        let mut search = BestFirst::new(&part, live, found.peak);
        // A large part may need all, but none may starve those after it.
        let mut share = if patient || part.len() <= SMALL { work.div_ceil(8) } else { 0 };
        work -= share;
        if let Some(order) = search.run(best.peak, &mut share, &mut found.states, observer) {
            best.consider(&part, live, order);
        }
        if search.bound < best.peak
            && let Some(order) = part.beam(live, found.peak, looks, &mut found.states, observer)
        {
            best.consider(&part, live, order);
        }
        work += share;
        // What is far from its end by now does not come to it.
        if patient && search.bound < best.peak && search.bound > best.peak / 3 * 2 {
            let mut share = (2 * work).div_ceil(3);
            work -= share;
            if let Some(order) = search.run(best.peak, &mut share, &mut found.states, observer) {
                best.consider(&part, live, order);
            }
            work += share;
        }
        if search.bound < best.peak && cuts_left > 0 {
            let fullest = part.fullest(&best.order, live, cuts_left);
            cuts_left -= fullest.len();
            search.bound = search.bound.max(cuts.bound(fullest, found.states, observer));
        }
        // Below the peak of earlier parts nothing was looked for, and those may have a lower one.
        let bound = if search.bound > found.peak { search.bound } else { part.floor(live, 0) };
        found.peak = found.peak.max(best.peak);
        found.bound = found.bound.max(bound.saturating_sub(apart));
        live = part.run(&best.order, live).1;
        apart += part.note(&best.order, &mut in_state);
        found.order.extend(best.order);
    }
    found.arena_bound = if values.is_bound { found.bound } else { values.least() };
    found
}

/// The best order of a part so far.
struct Best {
    peak: usize,
    order: Vec<usize>,
}

impl Best {
    fn consider(&mut self, part: &Part, live: usize, order: Vec<usize>) {
        let (peak, _) = part.run(&order, live);
        if peak < self.peak {
            *self = Self { peak, order };
        }
    }
}

/// Most steps of a part that are worth a short search for a proof.
const SMALL: usize = 64;

/// Steps that an effort may look at, all of a part's for each of its sets.
fn work(effort: Effort) -> usize {
    match effort {
        Effort::Fast => 0,
        Effort::Default => 40_000,
        Effort::Max => 2_000_000,
    }
}

/// Steps that an effort may look at in the beam of a part; each of these costs more.
fn looks(effort: Effort) -> usize {
    match effort {
        Effort::Fast => 0,
        Effort::Default => 14_000,
        Effort::Max => 6_000_000,
    }
}

/// Minimum cuts that an effort has room for in a network of so many steps, if it does not finish a part. The greatest
/// has made one for each step by then.
fn few_cuts(effort: Effort, steps: usize) -> usize {
    match effort {
        Effort::Fast | Effort::Max => 0,
        Effort::Default => (1_600 / steps.max(1)).min(8),
    }
}

/// The steps in source order, divided after each that comes after all earlier and before all later ones.
fn parts(before: &[Vec<usize>]) -> Vec<Range<usize>> {
    let after = successors(before);
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
