//! Steps between two that divide a network, numbered from 0, and what lives when some of them are finished.
//!
//! Searches come here for every step that they look at, inside unoptimised macros: loops are plain, and a state keeps
//! what its next steps would change, of which each step changes little.

use super::values::{Change, Values};
use super::waits::successors;
use std::cmp::Reverse;
use std::ops::Range;

/// The steps of a part.
pub(super) struct Part {
    steps: Box<[Step]>,
    /// Bits of a set.
    bits: usize,
    /// The number of the first of them in the network.
    start: usize,
    /// No order has a lower peak, whatever lives before.
    pub(super) least: usize,
}

struct Step {
    /// The steps that it waits for, and those that wait for it.
    before: Box<[usize]>,
    after: Box<[usize]>,
    /// Those that read what it reads.
    beside: Box<[usize]>,
    /// What it changes if none of `reads` dies with it.
    base: Change,
    reads: Box<[Read]>,
    renewals: Box<[Renewal]>,
}

/// A value that dies with a step if all its other readers are finished.
struct Read {
    others: Box<[usize]>,
    saved: usize,
    bytes: usize,
    /// The bit that says that it is not in the place of a state, where it would not count.
    apart: Option<usize>,
}

/// The new value of a state, which lies in its place if all that reads the old one is finished.
struct Renewal {
    value: usize,
    bytes: usize,
    readers: Box<[usize]>,
    /// The bit that says that it does not.
    apart: usize,
}

/// Finished steps, a bit each, and then a bit for each new value of a state that is not in its place.
pub(super) type Set = Box<[u64]>;

/// A set that was reached.
#[derive(Clone)]
pub(super) struct State {
    pub(super) set: Set,
    pub(super) finished: usize,
    /// The steps that may be next.
    pub(super) ready: Vec<Ready>,
    pub(super) peak: usize,
    pub(super) live: usize,
    /// The state before it and the steps since.
    pub(super) from: usize,
    pub(super) steps: Vec<usize>,
}

/// A step that may be next.
#[derive(Clone, Copy)]
pub(super) struct Ready {
    pub(super) step: usize,
    pub(super) change: Change,
}

impl Part {
    /// The steps of `range`, where each step of the network waits for those in `before`, and those values are
    /// `in_state` that earlier steps have put in the place of a state.
    pub(super) fn new(values: &Values, before: &[Vec<usize>], range: Range<usize>, in_state: &[bool]) -> Self {
        let start = range.start;
        let local = |steps: &[usize]| -> Vec<usize> {
            steps.iter().filter(|step| range.contains(step)).map(|step| step - start).collect()
        };
        let before: Vec<Vec<usize>> = range.clone().map(|step| local(&before[step])).collect();
        let after = successors(&before);
        let mut bits = before.len();
        let mut renewals: Vec<Vec<Renewal>> = Vec::with_capacity(bits);
        for renewed in &values.renewals[range.clone()] {
            let of_step = renewed.iter().map(|renewal| {
                bits += 1;
                // Where some of the readers are in a later part this one, which is never finished, stands for them.
                let never = renewal.readers.iter().any(|&reader| reader >= range.end).then_some(bits - 1);
                let readers = local(&renewal.readers).into_iter().chain(never).collect();
                Renewal { value: renewal.value, bytes: renewal.bytes, readers, apart: bits - 1 }
            });
            renewals.push(of_step.collect());
        }
        let mut makers = vec![Vec::new(); bits];
        for (maker, renewal) in renewals.iter().enumerate().flat_map(|(at, all)| all.iter().map(move |one| (at, one))) {
            renewal.readers.iter().for_each(|&reader| makers[reader].push(maker));
        }
        let renewed: Vec<(usize, usize)> = renewals.iter().flatten().map(|one| (one.value, one.apart)).collect();
        let apart = |value: usize| renewed.iter().find(|(other, _)| *other == value).map(|(_, apart)| *apart);
        let step = |(index, (before, after)): (usize, (Vec<usize>, Vec<usize>))| {
            let step = start + index;
            let (mut beside, mut reads) = (makers[index].clone(), Vec::new());
            let mut base = values.least_change(step);
            for (&value, &saved) in values.reads[step].iter().zip(&values.saved[step]) {
                let (readers, bytes) = (&values.readers[value], values.bytes[value]);
                if bytes == 0 || in_state[value] || readers.iter().any(|&reader| reader >= range.end) {
                    continue;
                }
                let mut others = local(readers);
                others.retain(|&other| other != index);
                let read = Read { others: others.into(), saved, bytes, apart: apart(value) };
                if read.others.is_empty() && read.apart.is_none() {
                    read.dies(&mut base);
                } else {
                    beside.extend_from_slice(&read.others);
                    reads.push(read);
                }
            }
            Step {
                before: before.into(),
                after: after.into(),
                beside: beside.into(),
                base,
                reads: reads.into(),
                renewals: Box::default(),
            }
        };
        let mut steps: Box<[Step]> = before.into_iter().zip(after).enumerate().map(step).collect();
        for (step, renewals) in steps.iter_mut().zip(renewals) {
            step.renewals = renewals.into();
        }
        let least = range.map(|step| values.least_with(step)).max().unwrap_or(0);
        Self { steps, bits, start, least }
    }

    pub(super) fn len(&self) -> usize {
        self.steps.len()
    }

    /// No order has a lower peak.
    pub(super) fn floor(&self, live: usize, free: usize) -> usize {
        self.least.max(live).max(free)
    }

    /// Notes which values of `order` are in the place of a state; bytes of those that are not.
    pub(super) fn note(&self, order: &[usize], in_state: &mut [bool]) -> usize {
        let mut set = self.empty();
        for step in order {
            self.insert(&mut set, step - self.start);
        }
        let mut apart = 0;
        for renewal in self.steps.iter().flat_map(|step| &step.renewals) {
            in_state[renewal.value] = !contains(&set, renewal.apart);
            apart += if in_state[renewal.value] { 0 } else { renewal.bytes };
        }
        apart
    }

    /// The peak when the steps run in `order` and so much lives before, and what lives after them.
    pub(super) fn run(&self, order: &[usize], live: usize) -> (usize, usize) {
        self.run_with(order, live, |_, _| ())
    }

    /// The `count` steps beside which most lives when they run in `order` and so much lives before.
    pub(super) fn fullest(&self, order: &[usize], live: usize, count: usize) -> Vec<usize> {
        let mut during = Vec::with_capacity(order.len());
        self.run_with(order, live, |step, live| during.push((live, step)));
        during.sort_unstable_by_key(|&(live, step)| (Reverse(live), step));
        during.into_iter().take(count).map(|(_, step)| step).collect()
    }

    /// As [`Part::run`]; `note` is told of each step and what lives beside it, itself included.
    fn run_with(&self, order: &[usize], mut live: usize, mut note: impl FnMut(usize, usize)) -> (usize, usize) {
        let mut peak = live;
        let mut set = self.empty();
        for &step in order {
            let change = self.change(&set, step - self.start);
            note(step, live + change.during());
            peak = peak.max(live + change.during());
            live = change.after(live);
            self.insert(&mut set, step - self.start);
        }
        (peak, live)
    }

    /// The state before the first step.
    pub(super) fn first(&self, live: usize, peak: usize) -> State {
        let set = self.empty();
        let ready = (0..self.len()).filter(|&step| self.steps[step].before.is_empty());
        let ready = ready.map(|step| Ready { step, change: self.change(&set, step) }).collect();
        State { set, finished: 0, ready, peak, live, from: 0, steps: Vec::new() }
    }

    /// The state that follows `state`, the one at `from`, by its choice `at`.
    pub(super) fn next(&self, state: &State, from: usize, at: usize) -> State {
        let (set, ready) = (state.set.clone(), state.ready.clone());
        let mut next = State { set, ready, from, steps: Vec::new(), ..*state };
        self.take(&mut next, at);
        next
    }

    /// Takes the choice `at` of `state`.
    fn take(&self, state: &mut State, at: usize) {
        let Ready { step, change } = state.ready.swap_remove(at);
        state.peak = state.peak.max(state.live + change.during());
        state.live = change.after(state.live);
        state.finished += 1;
        state.steps.push(step);
        self.insert(&mut state.set, step);
        let mut beside: &[usize] = &self.steps[step].beside;
        while let [other, rest @ ..] = beside {
            let mut ready = state.ready.as_mut_slice();
            while let [first, others @ ..] = ready {
                if first.step == *other {
                    first.change = self.change(&state.set, *other);
                    break;
                }
                ready = others;
            }
            beside = rest;
        }
        let mut after: &[usize] = &self.steps[step].after;
        while let [step, rest @ ..] = after {
            if self.is_ready(&state.set, *step) {
                state.ready.push(Ready { step: *step, change: self.change(&state.set, *step) });
            }
            after = rest;
        }
    }

    /// Takes all steps by which nothing can be lost: those that make no new peak and leave no more than they found.
    /// Whether there are any.
    pub(super) fn settle(&self, state: &mut State) -> bool {
        let before = state.finished;
        let (mut at, mut failed) = (0, 0);
        while failed < state.ready.len() {
            if at >= state.ready.len() {
                at = 0;
            }
            if state.ready.as_slice()[at].change.is_free(state.live, state.peak) {
                self.take(state, at);
                failed = 0;
            } else {
                at += 1;
                failed += 1;
            }
        }
        state.finished > before
    }

    /// The steps that read what `step` reads.
    pub(super) fn beside(&self, step: usize) -> &[usize] {
        &self.steps[step].beside
    }

    /// The steps that wait for `step`.
    pub(super) fn after(&self, step: usize) -> &[usize] {
        &self.steps[step].after
    }

    /// What `step` changes after those of `set`.
    pub(super) fn change(&self, set: &[u64], step: usize) -> Change {
        let step = &self.steps[step];
        let mut change = step.base;
        let mut reads: &[Read] = &step.reads;
        while let [read, rest @ ..] = reads {
            if all(set, &read.others) && read.apart.is_none_or(|apart| contains(set, apart)) {
                read.dies(&mut change);
            }
            reads = rest;
        }
        let mut renewals: &[Renewal] = &step.renewals;
        while let [renewal, rest @ ..] = renewals {
            if all(set, &renewal.readers) {
                change.allocated = change.allocated.saturating_sub(renewal.bytes);
            } else {
                change.binds = true;
            }
            renewals = rest;
        }
        change
    }

    /// Adds `step` to `set`.
    pub(super) fn insert(&self, set: &mut [u64], step: usize) {
        let mut renewals: &[Renewal] = &self.steps[step].renewals;
        while let [renewal, rest @ ..] = renewals {
            if !all(set, &renewal.readers) {
                insert(set, renewal.apart);
            }
            renewals = rest;
        }
        insert(set, step);
    }

    /// `step` is not finished, but all that it waits for is.
    pub(super) fn is_ready(&self, set: &[u64], step: usize) -> bool {
        set[step / 64] & (1 << (step % 64)) == 0 && all(set, &self.steps[step].before)
    }

    /// Words of a set.
    pub(super) fn words(&self) -> usize {
        self.bits.div_ceil(64)
    }

    fn empty(&self) -> Set {
        vec![0; self.words()].into()
    }

    /// The steps of the network on the way to state `at`.
    pub(super) fn path(&self, reached: &[State], mut at: usize) -> Vec<usize> {
        let mut order: Vec<usize> = Vec::with_capacity(self.len());
        loop {
            order.extend(reached[at].steps.iter().rev().map(|step| self.start + step));
            if at == 0 {
                break;
            }
            at = reached[at].from;
        }
        order.reverse();
        order
    }
}

impl Read {
    fn dies(&self, change: &mut Change) {
        change.shared += self.saved;
        change.freed += self.bytes;
    }
}

fn contains(set: &[u64], bit: usize) -> bool {
    set[bit / 64] & (1 << (bit % 64)) != 0
}

fn insert(set: &mut [u64], step: usize) {
    set[step / 64] |= 1 << (step % 64);
}

/// `set` has all of `steps`.
fn all(set: &[u64], mut steps: &[usize]) -> bool {
    while let [step, rest @ ..] = steps {
        if set[*step / 64] & (1 << (*step % 64)) == 0 {
            return false;
        }
        steps = rest;
    }
    true
}
