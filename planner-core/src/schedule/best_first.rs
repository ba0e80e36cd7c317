//! The best order of a part, over sets of finished steps: the least peak first, so that nothing is better than the
//! first that has all.

use super::Observer;
use super::open::{Choice, Open};
use super::part::{Part, State};
use super::seen::Seen;

/// What it costs to reach a set, in the time that it takes to note a step that may follow it.
const SET: usize = 10;

/// A search that may be gone on with.
pub(super) struct BestFirst<'a> {
    part: &'a Part,
    reached: Vec<State>,
    seen: Seen,
    open: Open,
    next: Option<State>,
    /// No order has a lower peak.
    pub(super) bound: usize,
}

impl<'a> BestFirst<'a> {
    /// The search for an order of `part` where `live` bytes live before. A peak up to `free` is as good as none.
    pub(super) fn new(part: &'a Part, live: usize, free: usize) -> Self {
        let bound = part.floor(live, free);
        let next = part.first(live, bound);
        let seen = Seen::new(next.set.len());
        Self { part, reached: Vec::new(), seen, open: Open::default(), next: Some(next), bound }
    }

    /// The best order if it has a peak below `limit` and so much `work` suffices to find it, from which it takes what
    /// it uses. Once nothing can be below the limit that is the bound.
    pub(super) fn run(
        &mut self,
        limit: usize,
        work: &mut usize,
        states: &mut u64,
        observer: &mut Observer<'_>,
    ) -> Option<Vec<usize>> {
        let mut set = vec![0; self.part.words()];
        while self.bound < limit {
            if let Some(mut state) = self.next.take()
                && (!self.part.settle(&mut state) || self.seen.insert(&state.set, state.peak))
            {
                let (from, left) = (self.reached.len(), self.part.len() - state.finished);
                if left == 0 {
                    self.reached.push(state);
                    return Some(self.part.path(&self.reached, from));
                }
                let cost = state.ready.len();
                if *work < cost || observer(*states).is_break() {
                    self.next = Some(state);
                    return None;
                }
                *work -= cost;
                *states += 1;
                for (at, ready) in state.ready.iter().enumerate() {
                    let peak = state.peak.max(state.live + ready.change.during());
                    if peak < limit {
                        self.open.push(peak, left, Choice { from, at });
                    }
                }
                self.reached.push(state);
            }
            let Some((peak, Choice { from, at })) = self.open.pop().filter(|(peak, _)| *peak < limit) else {
                self.bound = limit;
                break;
            };
            self.bound = peak;
            let before = &self.reached[from];
            set.copy_from_slice(&before.set);
            self.part.insert(&mut set, before.ready.as_slice()[at].step);
            if self.seen.insert(&set, peak) {
                *work = work.saturating_sub(SET);
                self.next = Some(State { peak, ..self.part.next(before, from, at) });
            }
        }
        None
    }
}
