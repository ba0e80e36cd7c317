//! A good order of a part that has too many sets of finished steps: of the sets of one size only the best are looked at.

use super::optimal::{Observer, Part, Set, count};
use std::collections::BTreeSet;

/// A set that was reached.
struct State {
    set: Set,
    /// The steps that may be next.
    ready: Vec<usize>,
    peak: usize,
    live: usize,
    /// The state before it and the steps since.
    from: usize,
    steps: Vec<usize>,
}

/// A step that a state may take, and what is known once those steps are taken too that follow at no cost; the best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Choice {
    peak: usize,
    live: usize,
    from: usize,
    step: usize,
}

struct Beam<'a> {
    part: &'a Part<'a>,
    /// The steps for which each step of the part may change something: those that wait for it, and those that read what
    /// it reads.
    touched: Vec<Vec<usize>>,
    reached: Vec<State>,
    /// By the number of finished steps.
    choices: Vec<Vec<Choice>>,
    seen: BTreeSet<Set>,
    /// The best state in which all is finished.
    best: Option<usize>,
    /// Steps that were looked at.
    looked: usize,
}

impl Part<'_> {
    /// The best order that is found when about `work` steps are looked at, as many at each size; none for no work.
    pub(super) fn beam(
        &self,
        live: usize,
        free: usize,
        work: usize,
        states: &mut u64,
        observer: &mut Observer<'_>,
    ) -> Option<Vec<usize>> {
        let share = work / self.steps.len().max(1);
        if share == 0 {
            return None;
        }
        let touched = self.steps.clone().map(|step| self.touched(step)).collect();
        let (choices, seen) = (vec![Vec::new(); self.steps.len() + 1], BTreeSet::new());
        let mut beam = Beam { part: self, touched, reached: Vec::new(), choices, seen, best: None, looked: 0 };
        let set = self.empty();
        let ready = self.steps.clone().filter(|&step| self.is_ready(&set, step)).collect();
        beam.expand(State { set, ready, peak: self.floor(live, free), live, from: 0, steps: Vec::new() });
        for size in 1..=self.steps.len() {
            let mut choices = std::mem::take(&mut beam.choices[size]);
            choices.sort_unstable();
            let before = beam.looked;
            for choice in choices {
                let hopeless = beam.best.is_some_and(|best| beam.reached[best].peak <= choice.peak);
                if hopeless || beam.looked - before >= share {
                    break;
                }
                if observer(*states).is_break() {
                    return beam.order();
                }
                let state = beam.taken(choice);
                if beam.seen.insert(state.set.clone()) {
                    *states += 1;
                    beam.expand(state);
                }
            }
        }
        beam.order()
    }

    /// See [`Beam::touched`].
    fn touched(&self, step: usize) -> Vec<usize> {
        let read = self.values.reads[step].iter().flat_map(|&value| &self.values.readers[value]);
        let written = self.values.writes[step].iter().flat_map(|&value| &self.values.readers[value]);
        let waiting = self.steps.clone().filter(|&other| self.before[other].contains(&step));
        let mut touched: Vec<usize> = read.chain(written).copied().chain(waiting).collect();
        touched.retain(|other| self.steps.contains(other));
        touched.sort_unstable();
        touched.dedup();
        touched
    }
}

impl Beam<'_> {
    /// The state after `choice`.
    fn taken(&self, Choice { peak, from, step, .. }: Choice) -> State {
        let State { set, ready, live, .. } = &self.reached[from];
        let mut state = State { set: set.clone(), ready: ready.clone(), peak, live: *live, from, steps: Vec::new() };
        self.take(&mut state, step);
        state
    }

    fn take(&self, state: &mut State, step: usize) {
        state.live = self.part.step(&state.set, step, state.live).1;
        self.part.insert(&mut state.set, step);
        state.ready.retain(|&other| other != step);
        for &other in self.touched(step) {
            if self.part.is_ready(&state.set, other) && !state.ready.contains(&other) {
                state.ready.push(other);
            }
        }
        state.steps.push(step);
    }

    fn touched(&self, step: usize) -> &[usize] {
        &self.touched[step - self.part.steps.start]
    }

    /// Takes all steps of `state` by which nothing can be lost, and notes what it may take then.
    fn expand(&mut self, mut state: State) {
        let mut choices = Vec::new();
        let before = state.steps.len();
        while let Some(step) = self.choices(&state, &mut choices) {
            self.take(&mut state, step);
        }
        if state.steps.len() > before && !self.seen.insert(state.set.clone()) {
            return;
        }
        let size = count(&state.set);
        for choice in choices {
            let (taken, live) = self.followed(&state, choice);
            self.choices[size + taken].push(Choice { live, ..choice });
        }
        let is_better = |best: usize| state.peak < self.reached[best].peak;
        if size == self.part.steps.len() && self.best.is_none_or(is_better) {
            self.best = Some(self.reached.len());
        }
        self.reached.push(state);
    }

    /// What `state` may take; or a step by which nothing can be lost.
    fn choices(&mut self, state: &State, choices: &mut Vec<Choice>) -> Option<usize> {
        choices.clear();
        for &step in &state.ready {
            self.looked += 1;
            let (during, live) = self.part.step(&state.set, step, state.live);
            if during <= state.peak && live <= state.live {
                return Some(step);
            }
            choices.push(Choice { peak: state.peak.max(during), live, from: self.reached.len(), step });
        }
        None
    }

    /// How many steps are taken with `choice`, by which nothing can be lost after it, and what lives then.
    fn followed(&mut self, state: &State, Choice { peak, mut live, step, .. }: Choice) -> (usize, usize) {
        let mut set = state.set.clone();
        self.part.insert(&mut set, step);
        let mut next = self.touched(step).to_vec();
        // Where there is more room than before, any step may follow.
        let mut is_wide = false;
        let (mut taken, mut at) = (1, 0);
        loop {
            if at == next.len() && !is_wide && (peak > state.peak || live < state.live) {
                is_wide = true;
                next.extend(&state.ready);
            }
            let Some(&step) = next.get(at) else { break };
            at += 1;
            if !self.part.is_ready(&set, step) {
                continue;
            }
            self.looked += 1;
            let (during, after) = self.part.step(&set, step, live);
            if during <= peak && after <= live {
                self.part.insert(&mut set, step);
                (taken, live) = (taken + 1, after);
                next.extend(self.touched(step));
            }
        }
        (taken, live)
    }

    /// The steps on the way to the best state.
    fn order(&self) -> Option<Vec<usize>> {
        let mut at = self.best?;
        let mut order: Vec<usize> = Vec::new();
        loop {
            order.extend(self.reached[at].steps.iter().rev());
            if at == 0 {
                break;
            }
            at = self.reached[at].from;
        }
        order.reverse();
        Some(order)
    }
}
