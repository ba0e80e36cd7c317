//! Which buffers may overlap in the step that ends the one and begins the other.
//!
//! A kernel that walks forward, or backward, may write its result over an argument at a safe distance. That is a
//! matter of the two buffers and not of the tensors alone: the argument must be all that its buffer holds by then, and
//! the result all that its own begins with.

use crate::distances::{Direction, Distances};
use crate::lifetimes::Lifetimes;
use crate::model::TensorId;
use crate::planned::PlannedStep;
use crate::sharing::{Home, Resolved};
use crate::steps::{Program, Sharing};
use crate::uses::Uses;

/// A result that may be written over an argument.
#[derive(Clone, Copy, Debug)]
pub struct Overlap {
    /// The tensor that is written.
    pub result: usize,
    /// The tensor that is read by then for the last time.
    pub arg: usize,
    /// The storages of both, in this order.
    pub storages: [usize; 2],
    /// How the kernel walks.
    pub direction: Direction,
    /// The distances that are safe.
    pub distances: Distances,
}

/// The overlaps that lose no byte: for each result, those with the one argument with which it can have most in common.
#[must_use]
pub fn overlaps(
    program: &Program,
    order: &[usize],
    uses: &Uses,
    steps: &[PlannedStep],
    resolved: &Resolved,
    lifetimes: &Lifetimes,
) -> Vec<Overlap> {
    let finder = Finder { uses, resolved, lifetimes };
    let mut at = vec![0; program.steps.len()];
    order.iter().enumerate().for_each(|(position, &step)| at[step] = position);
    let mut all = Vec::new();
    for (position, planned) in steps.iter().enumerate() {
        let step = &program.steps[planned.step];
        let rules = || step.sharing.iter().zip(&uses.allowed[planned.step]).filter(|(_, allowed)| **allowed);
        for (index, result) in step.writes.iter().enumerate() {
            let mut found: Vec<(usize, Overlap)> = Vec::new();
            for (rule, _) in rules() {
                let Sharing::Overlap { arg, result: of, direction, distances } = *rule else { continue };
                let arg = step.reads[arg].0;
                let alone = |from: usize| {
                    let here = |id: &&TensorId| finder.storage(id.0) == Some(from);
                    step.reads.iter().filter(here).count() == 1 && !step.writes.iter().any(|id| here(&id))
                };
                if of == index
                    && let Some(to) = finder.begun(result.0, position)
                    && let Some(from) = finder.ended(arg, at[planned.step]).filter(|from| alone(*from))
                {
                    let sizes = [result.0, arg].map(|id| uses.bytes[id]);
                    let common = distances.most_common(direction.lower_first(sizes));
                    found.push((common, Overlap { result: result.0, arg, storages: [to, from], direction, distances }));
                }
            }
            if let Some((_, best)) = found.iter().copied().rev().max_by_key(|(common, _)| *common) {
                all.extend(found.into_iter().map(|(_, overlap)| overlap).filter(|overlap| overlap.arg == best.arg));
            }
        }
    }
    all
}

struct Finder<'a> {
    uses: &'a Uses,
    resolved: &'a Resolved,
    lifetimes: &'a Lifetimes,
}

impl Finder<'_> {
    fn storage(&self, tensor: usize) -> Option<usize> {
        match self.resolved.homes[tensor] {
            Home::Storage { storage, .. } => Some(storage),
            _ => None,
        }
    }

    /// The storage of `tensor`, if it is all of that and that is no state's.
    fn whole(&self, tensor: usize) -> Option<usize> {
        let storage = self.storage(tensor)?;
        let whole = &self.resolved.storages[storage];
        (whole.size == self.uses.bytes[tensor] && whole.state.is_none()).then_some(storage)
    }

    /// The storage of `result`, if nothing is in it before planned step `position` writes it.
    fn begun(&self, result: usize, position: usize) -> Option<usize> {
        let storage = self.whole(result)?;
        let whole = &self.resolved.storages[storage];
        let shown = |member: usize| self.resolved.holder(member) == result;
        let later = |member: usize| self.lifetimes.tensors[member].is_some_and(|life| life.first > position);
        let given = |member: usize| self.uses.roles[member].output.is_kept() || self.uses.roles[member].input.is_open();
        let begins = whole.founder == result && self.lifetimes.storages[storage].first == position;
        let free = whole.members.iter().all(|&member| (shown(member) || later(member)) && !given(member));
        (begins && free).then_some(storage)
    }

    /// The storage of `arg`, if nothing needs it after position `at` of the order. Lifetimes do not tell: of the last
    /// step of a plan they end all. What is written there later reads what is there until then.
    fn ended(&self, arg: usize, at: usize) -> Option<usize> {
        let storage = self.whole(arg)?;
        let mut members = self.resolved.storages[storage].members.iter();
        (!members.any(|&member| self.uses.needed_after(member, at))).then_some(storage)
    }
}
