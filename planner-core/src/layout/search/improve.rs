//! Better solutions, and proofs that there are none.
//!
//! Searches under capacities below the best solution so far. A find replaces it; a refutation raises the bound.

use super::branch_and_bound::{Outcome, Urgency, search};
use super::conflicts::Conflicts;
use super::incumbent::Incumbent;
use super::items::Items;
use super::noise::Noise;
use super::orders::{Key, ranks};
use super::state::State;

/// Ways to choose, each of which finds what others miss.
const STRATEGIES: [(Key, Urgency); 16] = [
    (Key::Duration, Urgency::FewFailures),
    (Key::Conflicts, Urgency::Headroom),
    (Key::Sections, Urgency::RootOfFailures),
    (Key::Area, Urgency::FewFailures),
    (Key::Duration, Urgency::Headroom),
    (Key::Conflicts, Urgency::FewFailures),
    (Key::Sections, Urgency::Headroom),
    (Key::Area, Urgency::RootOfFailures),
    (Key::Duration, Urgency::Failures),
    (Key::Conflicts, Urgency::RootOfFailures),
    (Key::Sections, Urgency::FewFailures),
    (Key::Area, Urgency::Headroom),
    (Key::Duration, Urgency::RootOfFailures),
    (Key::Conflicts, Urgency::Failures),
    (Key::Sections, Urgency::Failures),
    (Key::Area, Urgency::Failures),
];

/// Runs at the bound before anything higher is tried.
const RUNS_AT_BOUND: usize = 1;

/// Runs after which heights that were given up are tried again; no multiple of the number of strategies, so that these
/// take turns.
const RUNS_OF_CYCLE: usize = 24;

/// Searches under one capacity after the other until nodes run out.
pub(super) fn improve(items: &Items, conflicts: &Conflicts, best: &mut Incumbent<'_>) {
    let mut state = State::new(items, conflicts);
    let mut failures = (items.len() as u64 / 2).max(64).min((best.nodes_left() / 128).max(16));
    let mut low = 0;
    for run in 0.. {
        if best.is_final() || best.nodes_left() == 0 {
            return;
        }
        if run % RUNS_OF_CYCLE == 0 {
            low = 0;
            failures += failures / 4;
        }
        let (key, urgency) = STRATEGIES[run % STRATEGIES.len()];
        let mut noise = (run >= STRATEGIES.len()).then(|| Noise::new(run as u64));
        let ranks = ranks(&key.values(items, Some(conflicts)), noise.as_mut());
        let target = best.target(low, run >= RUNS_AT_BOUND);
        let mut nodes = best.nodes_left();
        let before = nodes;
        let outcome = if state.restart(target) {
            search(&mut state, urgency, &ranks, &mut nodes, failures)
        } else {
            Outcome::Refuted
        };
        match outcome {
            Outcome::Found => best.offer(&state.offsets),
            Outcome::Refuted if conflicts.exact => best.refuted(target),
            // Other strategies would see the same.
            Outcome::Refuted if best.is_last_step(target) => return,
            _ => low = target + items.step,
        }
        best.used((before - nodes).max(1));
    }
}

/// Dives in varied orders until nodes run out.
pub(super) fn dive_again(items: &Items, best: &mut Incumbent<'_>) {
    for run in 0.. {
        if best.is_final() || best.nodes_left() < items.len() as u64 {
            return;
        }
        let key = DIVES[run % 2];
        let ranks = ranks(&key.values(items, None), Some(&mut Noise::new(run as u64)));
        best.dive(&ranks);
        best.used(items.len() as u64);
    }
}

/// Orders of the first dives, best first.
const DIVES: [Key; 4] = [Key::Duration, Key::Sections, Key::Area, Key::Size];

/// Dives once in each order.
pub(super) fn dive_first(items: &Items, best: &mut Incumbent<'_>) {
    for key in DIVES {
        if best.is_final() {
            return;
        }
        best.dive(&ranks(&key.values(items, None), None));
        best.used(0);
    }
}
