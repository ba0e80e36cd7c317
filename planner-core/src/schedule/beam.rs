//! A good order of a part that has too many sets of finished steps: of the sets of one size only the best are looked
//! at.

use super::Observer;
use super::open::{Choice, Open};
use super::part::{Part, Ready, Set, State};
use super::seen::Seen;

struct Beam<'a> {
    part: &'a Part,
    reached: Vec<State>,
    /// By the number of finished steps once those are taken too that follow at no cost, and what lives then.
    choices: Vec<Open>,
    seen: Seen,
    /// The best state in which all is finished.
    best: Option<usize>,
    /// Steps that were looked at.
    looked: usize,
    /// Room for a set and the steps that are taken besides.
    set: Set,
    taken: Vec<usize>,
}

impl Part {
    /// The best order that is found when about `work` steps are looked at, as many at each size; none for no work.
    pub(super) fn beam(
        &self,
        live: usize,
        free: usize,
        work: usize,
        states: &mut u64,
        observer: &mut Observer<'_>,
    ) -> Option<Vec<usize>> {
        let share = work / self.len().max(1);
        if share == 0 {
            return None;
        }
        let first = self.first(live, self.floor(live, free));
        let mut beam = Beam {
            part: self,
            reached: Vec::new(),
            choices: (0..=self.len()).map(|_| Open::default()).collect(),
            seen: Seen::new(first.set.len()),
            best: None,
            looked: 0,
            set: first.set.clone(),
            taken: Vec::new(),
        };
        beam.expand(first);
        for size in 1..=self.len() {
            let mut choices = std::mem::take(&mut beam.choices[size]);
            let before = beam.looked;
            while let Some((peak, Choice { from, at })) = choices.pop() {
                let hopeless = beam.best.is_some_and(|best| beam.reached[best].peak <= peak);
                if hopeless || beam.looked - before >= share {
                    break;
                }
                if observer(*states).is_break() {
                    return beam.order();
                }
                let state = self.next(&beam.reached[from], from, at);
                if beam.seen.insert(&state.set, state.peak) {
                    *states += 1;
                    beam.expand(state);
                }
            }
        }
        beam.order()
    }
}

impl Beam<'_> {
    /// Takes all steps of `state` by which nothing can be lost, and notes what it may take then.
    fn expand(&mut self, mut state: State) {
        if self.part.settle(&mut state) && !self.seen.insert(&state.set, state.peak) {
            return;
        }
        for at in 0..state.ready.len() {
            let (taken, peak, live) = self.followed(&state, at);
            self.choices[state.finished + taken].push(peak, live, Choice { from: self.reached.len(), at });
        }
        let is_better = |best: usize| state.peak < self.reached[best].peak;
        if state.finished == self.part.len() && self.best.is_none_or(is_better) {
            self.best = Some(self.reached.len());
        }
        self.reached.push(state);
    }

    /// How many steps are taken with the choice `at` of `state`, by which nothing can be lost after it; the peak, and
    /// what lives then.
    fn followed(&mut self, state: &State, at: usize) -> (usize, usize, usize) {
        let Ready { step, change } = state.ready.as_slice()[at];
        let (peak, mut live) = (state.peak.max(state.live + change.during()), change.after(state.live));
        self.looked += 1;
        self.set.copy_from_slice(&state.set);
        self.part.insert(&mut self.set, step);
        self.taken.clear();
        self.taken.push(step);
        // For this room nothing more is to be had but by what has been taken.
        let mut room = state.peak - state.live;
        let mut next = 0;
        loop {
            if next < self.taken.len() {
                let step = self.taken.as_slice()[next];
                next += 1;
                self.follow(self.part.beside(step), peak, &mut live);
                self.follow(self.part.after(step), peak, &mut live);
            } else if peak.saturating_sub(live) > room {
                room = peak - live;
                let mut others = state.ready.as_slice();
                while let [other, rest @ ..] = others {
                    if other.change.is_free(live, peak) {
                        self.follow(&[other.step], peak, &mut live);
                    }
                    others = rest;
                }
            } else {
                break;
            }
        }
        (self.taken.len(), peak, live)
    }

    /// Takes those of `steps` by which nothing can be lost.
    fn follow(&mut self, mut steps: &[usize], peak: usize, live: &mut usize) {
        while let [step, rest @ ..] = steps {
            steps = rest;
            if !self.part.is_ready(&self.set, *step) {
                continue;
            }
            self.looked += 1;
            let change = self.part.change(&self.set, *step);
            if change.is_free(*live, peak) {
                *live = change.after(*live);
                self.part.insert(&mut self.set, *step);
                self.taken.push(*step);
            }
        }
    }

    /// The steps on the way to the best state.
    fn order(&self) -> Option<Vec<usize>> {
        self.best.map(|best| self.part.path(&self.reached, best))
    }
}
