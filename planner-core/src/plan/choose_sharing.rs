//! Chooses which sharing pays.
//!
//! What shares is placed as one, from its first byte's birth to its last byte's death: a concat in
//! place holds all of its bytes as soon as its first argument exists, and a view of a part keeps the
//! rest. Where bytes that nobody uses are what makes the peak, copying is better. The search changes
//! one rule at a time, always at the first peak, as long as that lowers it. It starts from all sharing
//! or, if less is live then, from sharing between tensors of one size only; what turns out to save
//! nothing there is shared again, for a copy costs time.

use super::assemble::Candidate;
use crate::options::Options;
use crate::planned::Lifetime;
use crate::planned::Rules;
use crate::sharing::Home;
use crate::steps::{Program, Sharing};
use crate::uses::Uses;
use std::cmp::Reverse;

/// Bounds the work: most steps of all trials together, to lower the peak and to share again.
const WORK: [usize; 2] = [1500, 500];

/// A rule, by the indices of its step and of itself.
type RuleId = (usize, usize);

/// A candidate with less live at its peak than `all`, which shares wherever it can; `None` if none is found.
pub(super) fn improve(
    program: &Program,
    options: &Options,
    order: &[usize],
    uses: &Uses,
    all: &Candidate,
) -> Option<Candidate> {
    let whole = whole(program, uses);
    if whole == uses.allowed {
        return None;
    }
    let with = |rules: &Rules| Candidate::new(program, options, order, uses, rules);
    let trials = |work: usize| work / order.len().max(1);
    let mut rules = whole;
    let mut best = Some(with(&rules)).filter(|start| start.peak.bytes < all.peak.bytes);
    let from_whole = best.is_some();
    if !from_whole {
        rules.clone_from(&uses.allowed);
    }
    let mut failed: Vec<RuleId> = Vec::new();
    for _ in 0..trials(WORK[0]) {
        let current = best.as_ref().unwrap_or(all);
        let changes = changes(program, uses, current, &rules);
        let Some((step, rule)) = changes.into_iter().find(|id| !failed.contains(id)) else { break };
        rules[step][rule] ^= true;
        let trial = with(&rules);
        if trial.peak < current.peak {
            best = Some(trial);
            failed.clear();
        } else {
            rules[step][rule] ^= true;
            failed.push((step, rule));
        }
    }
    if from_whole {
        for (step, rule) in copies(program, uses, &rules).into_iter().take(trials(WORK[1])) {
            rules[step][rule] = true;
            let trial = with(&rules);
            if trial.peak.bytes <= best.as_ref().unwrap_or(all).peak.bytes {
                best = Some(trial);
            } else {
                rules[step][rule] = false;
            }
        }
    }
    best
}

/// Rules to fall back on, where what is joined costs more than it saves, by its alignment or for being apart in time:
/// those but for working in place, and none.
pub(super) fn fewer(program: &Program, uses: &Uses) -> Vec<Rules> {
    let with = |keep: &dyn Fn(&Sharing) -> bool| -> Rules {
        let steps = program.steps.iter().zip(&uses.allowed);
        steps
            .map(|(step, allowed)| step.sharing.iter().zip(allowed).map(|(rule, &is)| is && keep(rule)).collect())
            .collect()
    };
    let apart = with(&|rule| !matches!(rule, Sharing::InPlace { .. }));
    let mut fewer = vec![apart, with(&|_| false)];
    fewer.retain(|rules| *rules != uses.allowed);
    fewer.dedup();
    fewer
}

/// Of the allowed rules those by which tensors of one size share.
fn whole(program: &Program, uses: &Uses) -> Rules {
    let mut rules = uses.allowed.clone();
    for (step, rules) in program.steps.iter().zip(&mut rules) {
        for (sharing, rule) in step.sharing.iter().zip(rules) {
            if let Sharing::View { result, arg, .. } | Sharing::Into { arg, result, .. } = *sharing {
                *rule &= uses.bytes[step.writes[result].0] == uses.bytes[step.reads[arg].0];
            }
        }
    }
    rules
}

/// The allowed rules that are not among `rules`, those of most bytes first.
fn copies(program: &Program, uses: &Uses, rules: &Rules) -> Vec<RuleId> {
    let mut copies: Vec<(usize, RuleId)> = Vec::new();
    for (index, step) in program.steps.iter().enumerate() {
        for (rule, sharing) in step.sharing.iter().enumerate() {
            if let Sharing::View { result, arg, .. } | Sharing::Into { arg, result, .. } = *sharing
                && uses.allowed[index][rule]
                && !rules[index][rule]
            {
                let bytes = uses.bytes[step.writes[result].0].min(uses.bytes[step.reads[arg].0]);
                copies.push((bytes, (index, rule)));
            }
        }
    }
    copies.sort_by_key(|(bytes, _)| Reverse(*bytes));
    copies.into_iter().map(|(_, rule)| rule).collect()
}

/// An applied rule, which holds two halves of a storage together.
struct Link {
    rule: RuleId,
    /// The tensors that it joins.
    ends: [usize; 2],
}

/// The rules whose change promises less at the first peak, the most promising first: those applied
/// that hold unused bytes, and those not among `rules` whose tensors are both live.
fn changes(program: &Program, uses: &Uses, candidate: &Candidate, rules: &Rules) -> Vec<RuleId> {
    let Some(at) = candidate.needed.iter().position(|bytes| *bytes == candidate.peak.bytes) else { return Vec::new() };
    let at_peak = |life: Lifetime| life.first <= at && at <= life.last;

    let mut changes: Vec<(usize, RuleId)> = Vec::new();
    let mut links: Vec<Vec<Link>> = candidate.resolved.storages.iter().map(|_| Vec::new()).collect();
    for (index, (step, applied)) in program.steps.iter().zip(&candidate.resolved.applied).enumerate() {
        for (rule, sharing) in step.sharing.iter().enumerate() {
            if matches!(sharing, Sharing::Overlap { .. }) {
                continue;
            }
            let (arg, result) = sharing.ends();
            let ends = [step.writes[result].0, step.reads[arg].0];
            let Home::Storage { storage, .. } = candidate.resolved.homes[ends[0]] else { continue };
            if applied[rule] && at_peak(candidate.lifetimes.storages[storage]) {
                links[storage].push(Link { rule: (index, rule), ends });
            } else if uses.allowed[index][rule]
                && !rules[index][rule]
                && ends.iter().all(|&end| candidate.lifetimes.tensors[end].is_some_and(at_peak))
            {
                changes.push((uses.bytes[ends[0]].min(uses.bytes[ends[1]]), (index, rule)));
            }
        }
    }
    for (storage, links) in links.into_iter().enumerate() {
        let whole = &candidate.resolved.storages[storage];
        if whole.members.iter().all(|member| uses.bytes[*member] == whole.size) {
            continue;
        }
        // What the tensors of a half would take at the peak.
        let extent = |half: &mut dyn Iterator<Item = usize>| {
            let (mut start, mut end) = (usize::MAX, 0);
            let mut hull = Lifetime { first: usize::MAX, last: 0 };
            for member in half {
                if let (Home::Storage { offset, .. }, Some(other)) =
                    (candidate.resolved.homes[member], candidate.lifetimes.tensors[member])
                {
                    (start, end) = (start.min(offset), end.max(offset + uses.bytes[member]));
                    hull = Lifetime { first: hull.first.min(other.first), last: hull.last.max(other.last) };
                }
            }
            if at_peak(hull) { end - start } else { 0 }
        };
        for cut in 0..links.len() {
            let half = half(&links, cut);
            let near = extent(&mut half.iter().copied());
            let far = extent(&mut whole.members.iter().copied().filter(|member| !half.contains(member)));
            if near + far < whole.size {
                changes.push((whole.size - near - far, links[cut].rule));
            }
        }
    }
    changes.sort_by_key(|(gain, _)| Reverse(*gain));
    changes.into_iter().map(|(_, rule)| rule).collect()
}

/// The tensors that hang together with the first end of link `cut` without it.
fn half(links: &[Link], cut: usize) -> Vec<usize> {
    let mut half = vec![links[cut].ends[0]];
    let mut next = 0;
    while let Some(&tensor) = half.get(next) {
        for (_, link) in links.iter().enumerate().filter(|(index, _)| *index != cut) {
            for [end, other] in [link.ends, [link.ends[1], link.ends[0]]] {
                if end == tensor && !half.contains(&other) {
                    half.push(other);
                }
            }
        }
        next += 1;
    }
    half
}
