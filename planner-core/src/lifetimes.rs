//! When each tensor's bytes, and each storage, are live.

use crate::planned::{Lifetime, PlannedStep};
use crate::sharing::{Home, Resolved};
use crate::steps::{Program, Sharing};
use crate::uses::Uses;

/// Lifetimes in steps of the plan.
#[derive(Clone, Debug)]
pub struct Lifetimes {
    /// One a tensor; `None` outside the arena.
    pub tensors: Vec<Option<Lifetime>>,
    /// One a storage: from the first of its members to the last.
    pub storages: Vec<Lifetime>,
}

/// The lifetimes of everything in `resolved` when `steps` remain of `order`.
#[must_use]
pub fn lifetimes(
    program: &Program,
    order: &[usize],
    steps: &[PlannedStep],
    uses: &Uses,
    resolved: &Resolved,
) -> Lifetimes {
    let end = steps.len().saturating_sub(1);
    let mut first = vec![0; program.tensors.len()];
    let mut last = vec![0; program.tensors.len()];

    let mut planned = steps.iter().enumerate().peekable();
    for &index in order {
        // A step that has vanished happens just before the next one.
        let now = planned.peek().map_or(end, |(position, _)| *position);
        if let Some((_, remaining)) = planned.next_if(|(_, remaining)| remaining.step == index) {
            remaining.reads(program).for_each(|read| last[read.0] = now);
        }
        let step = &program.steps[index];
        for result in &step.writes {
            first[result.0] = now;
            last[result.0] = now;
        }
        let applied = step.sharing.iter().zip(&resolved.applied[index]).filter(|(_, applied)| **applied);
        for (rule, _) in applied {
            match *rule {
                Sharing::View { result, arg, .. } => {
                    let (view, whole) = (step.writes[result].0, step.reads[arg].0);
                    first[view] = first[whole];
                    last[view] = first[whole];
                }
                // Until the result takes over, the bytes are those of the argument, and of what that is a view of.
                Sharing::Into { arg, result, .. } | Sharing::Update { arg, result } => {
                    let mut part = Some(step.reads[arg].0);
                    while let Some(tensor) = part.filter(|part| *part != step.writes[result].0) {
                        last[tensor] = now;
                        part = resolved.shares[tensor].inside;
                    }
                }
                Sharing::InPlace { .. } | Sharing::Overlap { .. } => {}
            }
        }
    }

    let mut storages = vec![Lifetime { first: usize::MAX, last: 0 }; resolved.storages.len()];
    let mut tensors = vec![None; program.tensors.len()];
    for (tensor, role) in uses.roles.iter().enumerate() {
        let Home::Storage { storage, .. } = resolved.homes[tensor] else { continue };
        let life = Lifetime {
            first: if role.output.is_kept() { 0 } else { first[tensor] },
            last: if role.survives() { end } else { last[tensor] },
        };
        tensors[tensor] = Some(life);
        let whole = &mut storages[storage];
        *whole = Lifetime { first: whole.first.min(life.first), last: whole.last.max(life.last) };
    }
    Lifetimes { tensors, storages }
}
