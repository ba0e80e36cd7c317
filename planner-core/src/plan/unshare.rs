//! Gives up sharing that costs more than it saves.
//!
//! What shares is placed as one, from its first byte's birth to its last byte's death: a concat in
//! place holds all of its bytes as soon as its first argument exists, and a result over a part of a
//! tensor keeps the rest. Where that is what makes the peak, copying is better.

use super::assemble::Candidate;
use super::{Lifetime, Options};
use crate::sharing::{Home, RuleId};
use crate::steps::{Program, Sharing};
use crate::uses::Uses;

/// Most ways of sharing that are given up on trial.
const TRIALS: usize = 24;

/// A candidate with less live at its peak than `candidate`, if giving up some sharing leads there.
pub(super) fn improve(
    program: &Program,
    options: &Options,
    order: &[usize],
    uses: &Uses,
    candidate: &Candidate,
) -> Option<Candidate> {
    let mut best: Option<Candidate> = None;
    let mut denied: Vec<RuleId> = Vec::new();
    let mut trials = 0;
    loop {
        let current = best.as_ref().unwrap_or(candidate);
        let mut next: Option<(Candidate, RuleId)> = None;
        for rule in wasteful(program, current) {
            if trials == TRIALS {
                break;
            }
            trials += 1;
            denied.push(rule);
            let trial = Candidate::new(program, options, order, uses, &denied);
            denied.pop();
            if cost(&trial) < cost(next.as_ref().map_or(current, |(candidate, _)| candidate)) {
                next = Some((trial, rule));
            }
        }
        let Some((candidate, rule)) = next else { return best };
        denied.push(rule);
        best = Some(candidate);
    }
}

/// Bytes live at the peak, and how often the peak is reached.
fn cost(candidate: &Candidate) -> (usize, usize) {
    let live = candidate.problem.live();
    let peak = live.iter().copied().max().unwrap_or(0);
    (peak, live.iter().filter(|bytes| **bytes == peak).count())
}

/// The applied rules of those storages that hold, at the first peak, bytes which no tensor uses then.
fn wasteful(program: &Program, candidate: &Candidate) -> Vec<RuleId> {
    let live = candidate.problem.live();
    let Some(peak) = live.iter().copied().max().and_then(|most| live.iter().position(|bytes| *bytes == most)) else {
        return Vec::new();
    };
    let at_peak = |life: &Lifetime| life.first <= peak && peak <= life.last;
    let wastes = |storage: usize| {
        let whole = &candidate.resolved.storages[storage];
        let mut used: Vec<(usize, usize)> = Vec::new();
        for &member in &whole.members {
            if let (Home::Storage { offset, .. }, Some(life)) =
                (candidate.resolved.homes[member], &candidate.lifetimes.tensors[member])
                && at_peak(life)
            {
                used.push((offset, offset + program.tensors[member].ty.bytes()));
            }
        }
        used.sort_unstable();
        let (mut bytes, mut end) = (0, 0);
        for (from, to) in used {
            bytes += to.max(end) - from.max(end);
            end = to.max(end);
        }
        at_peak(&candidate.lifetimes.storages[storage]) && bytes < whole.size
    };
    let holds_idle: Vec<bool> = (0..candidate.resolved.storages.len()).map(wastes).collect();
    let mut rules = Vec::new();
    for (index, (step, applied)) in program.steps.iter().zip(&candidate.resolved.applied).enumerate() {
        for (rule, sharing) in step.sharing.iter().enumerate().filter(|(rule, _)| applied[*rule]) {
            let (Sharing::Into { result, .. } | Sharing::InPlace { result, .. }) = sharing else { continue };
            match candidate.resolved.homes[step.writes[*result].0] {
                Home::Storage { storage, .. } if holds_idle[storage] => rules.push((index, rule)),
                _ => {}
            }
        }
    }
    rules
}
