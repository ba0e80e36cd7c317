//! A search for a solution under a capacity, complete if it is allowed enough nodes and failures.
//!
//! Push every item of a solution down and it stays one; so only solutions need be looked for in which each item rests
//! on the ground, on a pin or on another item. A node picks an item under which no unplaced one that it meets could be,
//! and either places it as low as it can be, or forbids that: then it rests on an unplaced item, which raises it.
//! Items that no unplaced item connects any more are separate *parts*: one without a solution refutes all.

use super::state::{Mark, State};

/// What makes a section urgent; always times the bytes that are still to be placed in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Urgency {
    /// How often it was too high.
    Failures,
    /// The root of how often it was too high.
    RootOfFailures,
    /// How often it was too high, only to break near ties.
    FewFailures,
    /// How low it is: added, not multiplied.
    Headroom,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// All items are placed.
    Found,
    /// There is no solution, if the distances are exact.
    Refuted,
    /// It has used up its nodes or failures.
    Exhausted,
}

/// Sections that no unplaced item connects with others.
#[derive(Clone, Copy)]
struct Part {
    from: usize,
    to: usize,
    /// The node that made it a part of its own.
    parent: Option<usize>,
}

/// A decision, not refuted yet.
struct Node {
    part: Part,
    item: usize,
    /// Before the item was placed.
    mark: Mark,
    /// Parts that were still to do.
    agenda: usize,
}

/// Searches `state`, which has been restarted, until so many items have not fitted; takes from `nodes` what it uses.
pub(super) fn search(
    state: &mut State<'_>,
    urgency: Urgency,
    ranks: &[u32],
    nodes: &mut u64,
    mut failures: u64,
) -> Outcome {
    let mut agenda = Vec::new();
    let mut stack: Vec<Node> = Vec::new();
    divide(state, Part { from: 0, to: state.items.sections, parent: None }, &mut agenda);
    while let Some(part) = agenda.pop() {
        stack.push(Node { part, item: 0, mark: state.mark(), agenda: agenda.len() });
        loop {
            if *nodes == 0 || failures == 0 {
                return Outcome::Exhausted;
            }
            *nodes -= 1;
            let parent = stack.len() - 1;
            let Some(node) = stack.last_mut() else { return Outcome::Refuted };
            node.item = pick(state, urgency, ranks, node.part);
            node.mark = state.mark();
            if state.place(node.item) {
                divide(state, Part { parent: Some(parent), ..node.part }, &mut agenda);
                break;
            }
            failures -= 1;
            if !backtrack(state, &mut stack, &mut agenda) {
                return Outcome::Refuted;
            }
        }
    }
    Outcome::Found
}

/// Forbids the last item its place, or, where that refutes a part, the item that made it a part; false if all is
/// refuted.
fn backtrack(state: &mut State<'_>, stack: &mut Vec<Node>, agenda: &mut Vec<Part>) -> bool {
    while let Some(node) = stack.last() {
        state.undo(node.mark);
        if state.raise_onto_another(node.item) {
            return true;
        }
        // What was decided since for other parts is void.
        let Some(parent) = node.part.parent else { return false };
        stack.truncate(parent + 1);
        agenda.truncate(stack[parent].agenda);
    }
    false
}

/// Adds the parts of `part` in which anything is unplaced to the agenda, the one with least slack on top.
fn divide(state: &State<'_>, part: Part, agenda: &mut Vec<Part>) {
    let before = agenda.len();
    let (mut from, mut to) = (part.from, part.from);
    let mut is_waiting = false;
    while to < part.to {
        is_waiting |= state.waiting[to] > 0;
        to += 1;
        if to == part.to || state.crossing[to] == 0 {
            if is_waiting {
                agenda.push(Part { from, to, parent: part.parent });
            }
            (from, is_waiting) = (to, false);
        }
    }
    if agenda.len() > before + 1 {
        agenda[before..].sort_by_cached_key(|part| {
            let waiting = (part.from..part.to).filter(|&section| state.waiting[section] > 0);
            std::cmp::Reverse(waiting.map(|section| state.slack(section)).min())
        });
    }
}

/// An item of `part` under which nothing unplaced that it meets could be.
fn pick(state: &State<'_>, urgency: Urgency, ranks: &[u32], part: Part) -> usize {
    let (items, conflicts) = (state.items, state.conflicts);
    let section = urgency.most(state, part);
    let least = &state.least;
    // Two numbers as one, which unoptimised are compared in a tenth of the time.
    let order = |item: &u32| (least[*item as usize] as u128) << 32 | u128::from(ranks[*item as usize]);
    let lowest = |mut candidates: &[u32]| {
        let (mut item, mut lowest) = (0, u128::MAX);
        while let [candidate, rest @ ..] = candidates {
            // Few are as low as the lowest.
            if least[*candidate as usize] as u128 <= lowest >> 32 {
                let order = order(candidate);
                if order < lowest {
                    (item, lowest) = (*candidate, order);
                }
            }
            candidates = rest;
        }
        item
    };
    let mut item = lowest(conflicts.members.row(section)) as usize;
    // Items at the same offset may be under each other in a circle.
    for _ in 0..items.len() {
        let least = state.least[item];
        let mut under = None;
        let mut others = conflicts.others.row(item);
        while let [other, rest @ ..] = others {
            let end = state.least[*other as usize] + items.spacing[*other as usize];
            if end <= least && under.is_none_or(|under| order(other) < order(&under)) {
                under = Some(*other);
            }
            others = rest;
        }
        for pair in conflicts.pairs.row(item) {
            let other = state.least[pair.other as usize];
            // At the same offset, if it can be only one way round.
            if other + pair.under <= least
                && (other < least || pair.over > 0)
                && under.is_none_or(|under| order(&pair.other) < order(&under))
            {
                under = Some(pair.other);
            }
        }
        match under {
            Some(under) => item = under as usize,
            None => break,
        }
    }
    match conflicts.twins.row(item) {
        [_] => item,
        twins => {
            let unplaced = twins.iter().copied().filter(|&twin| state.least[twin as usize] == state.least[item]);
            unplaced.min_by_key(order).unwrap_or(0) as usize
        }
    }
}

impl Urgency {
    /// The most urgent section of `part`, the first such.
    fn most(self, state: &State<'_>, part: Part) -> usize {
        let waiting = &state.waiting;
        let (mut section, mut most) = (part.from, 0);
        let mut candidate = part.from;
        while candidate < part.to {
            if waiting[candidate] > 0 {
                let unplaced = state.unplaced[candidate];
                let factor = match self {
                    Self::Failures => state.failures[candidate],
                    Self::RootOfFailures => state.roots[candidate],
                    Self::FewFailures => 10_000 + state.failures[candidate],
                    Self::Headroom => 1,
                };
                // Far from overflowing; a check of that takes ten times as long.
                let mut urgent = (unplaced as u128).wrapping_mul(u128::from(factor));
                if self == Self::Headroom {
                    urgent += (state.ceilings[candidate] - state.floors[candidate]) as u128;
                }
                if urgent >= most {
                    (most, section) = (urgent + 1, candidate);
                }
            }
            candidate += 1;
        }
        section
    }
}
