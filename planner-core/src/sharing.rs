//! Which tensors share which bytes: views, results in place of their arguments, concats in place.
//!
//! Tensors that share lie in one *storage*, each at its offset. Steps are taken in the order of
//! execution, and a rule is applied where no byte is lost that anything still needs.

use crate::emit::StaticId;
use crate::model::InputMode;
use crate::options::Options;
use crate::planned::{PlannedStep, Rules, Shares};
use crate::state::State;
use crate::steps::{self, Program, Source, Spread};
use crate::uses::Uses;

/// Where a tensor is, before storages have offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// In a storage of the arena.
    Storage {
        /// Index into [`Resolved::storages`].
        storage: usize,
        /// Bytes from its start.
        offset: usize,
    },
    /// In a borrowed input.
    Borrowed {
        /// Index of the input.
        input: usize,
        /// Bytes from its start.
        offset: usize,
    },
    /// In flash.
    Static {
        /// The static.
        id: StaticId,
        /// Bytes from its start.
        offset: usize,
    },
    /// Nothing needs it.
    Nowhere,
}

/// Bytes that are placed as one.
#[derive(Clone, Debug)]
pub struct Storage {
    /// The tensor for which it was made.
    pub founder: usize,
    /// Size in bytes.
    pub size: usize,
    /// Alignment in bytes.
    pub align: usize,
    /// The tensors in it; none once it has become a part of another.
    pub members: Vec<usize>,
    /// The state whose place it is.
    pub state: Option<usize>,
}

/// Every tensor's home in one order.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// One a tensor.
    pub homes: Vec<Home>,
    /// All storages; those without members are void.
    pub storages: Vec<Storage>,
    /// For each step and each of its rules: it is applied.
    pub applied: Vec<Vec<bool>>,
    /// How each tensor shares.
    pub shares: Vec<Shares>,
}

impl Resolved {
    /// The outermost tensor that `tensor` lies inside.
    #[must_use]
    pub fn holder(&self, mut tensor: usize) -> usize {
        while let Some(outer) = self.shares[tensor].inside {
            tensor = outer;
        }
        tensor
    }

    /// The steps of `order` that still have calls, their scratch not placed yet.
    #[must_use]
    pub fn steps(&self, program: &Program, order: &[usize]) -> Vec<PlannedStep> {
        let mut planned = Vec::with_capacity(order.len());
        for &step in order {
            let spared = |call: &crate::emit::Call| call.elided_by.is_some_and(|rule| self.applied[step][rule]);
            let calls = program.steps[step].calls.iter().enumerate();
            let calls: Vec<usize> = calls.filter(|(_, call)| !spared(call)).map(|(index, _)| index).collect();
            if !calls.is_empty() {
                planned.push(PlannedStep { step, calls, scratch: None });
            }
        }
        planned
    }
}

/// Gives every tensor a home, applying those of `rules` that lose nothing.
#[must_use]
pub fn resolve(program: &Program, options: &Options, order: &[usize], uses: &Uses, rules: &Rules) -> Resolved {
    let mut resolver = Resolver {
        program,
        options,
        uses,
        rules,
        written: vec![None; program.tensors.len()],
        updated: updated(program, order),
        resolved: Resolved {
            homes: vec![Home::Nowhere; program.tensors.len()],
            storages: Vec::with_capacity(program.tensors.len()),
            applied: program.steps.iter().map(|step| vec![false; step.sharing.len()]).collect(),
            shares: vec![Shares::default(); program.tensors.len()],
        },
    };
    for (tensor, item) in program.tensors.iter().enumerate() {
        match item.source {
            Source::Input(input) if program.inputs[input].mode == InputMode::Borrowed => {
                resolver.resolved.homes[tensor] = Home::Borrowed { input, offset: 0 };
            }
            Source::Input(_) => resolver.found(tensor),
            Source::State(state) => {
                resolver.found(tensor);
                resolver.resolved.storages.iter_mut().last().into_iter().for_each(|place| place.state = Some(state));
            }
            Source::Static(id) => resolver.resolved.homes[tensor] = Home::Static { id, offset: 0 },
            Source::Step | Source::Unused => {}
        }
    }
    for (position, &step) in order.iter().enumerate() {
        resolver.step(position, step);
    }
    resolver.resolved
}

/// The position at which each state is updated.
fn updated(program: &Program, order: &[usize]) -> Vec<usize> {
    let position = |update: usize| order.iter().position(|step| *step == update).unwrap_or(order.len());
    program.updates().into_iter().map(position).collect()
}

struct Resolver<'a> {
    program: &'a Program,
    options: &'a Options,
    uses: &'a Uses,
    rules: &'a Rules,
    /// The position at which each tensor is written.
    written: Vec<Option<usize>>,
    /// The position at which each state is updated.
    updated: Vec<usize>,
    resolved: Resolved,
}

impl Resolver<'_> {
    fn bytes(&self, tensor: usize) -> usize {
        self.uses.bytes[tensor]
    }

    fn align(&self, tensor: usize) -> usize {
        self.options.align.unwrap_or(1).max(self.program.tensors[tensor].ty.dtype.bytes())
    }

    /// A storage of its own for `tensor`.
    fn found(&mut self, tensor: usize) {
        let storage = self.resolved.storages.len();
        let (size, align) = (self.bytes(tensor), self.align(tensor));
        self.resolved.storages.push(Storage { founder: tensor, size, align, members: vec![tensor], state: None });
        self.resolved.homes[tensor] = Home::Storage { storage, offset: 0 };
    }

    /// Puts `tensor` at `offset` of `storage`, a multiple of its alignment.
    fn join(&mut self, tensor: usize, storage: usize, offset: usize) {
        let align = self.align(tensor);
        let storage_align = &mut self.resolved.storages[storage].align;
        *storage_align = align.max(*storage_align);
        self.resolved.storages[storage].members.push(tensor);
        self.resolved.homes[tensor] = Home::Storage { storage, offset };
    }

    fn step(&mut self, position: usize, index: usize) {
        let program = self.program;
        let step = &program.steps[index];
        for result in &step.writes {
            self.written[result.0] = Some(position);
        }
        if let Some(state) = program.states.iter().find(|state| step.writes == [state.next]) {
            self.resolved.applied[index] = vec![self.update(state, step.reads[0].0, self.rules[index][0])];
            return;
        }
        let mut homed = vec![false; step.writes.len()];
        for (rule_index, &rule) in step.sharing.iter().enumerate() {
            if !self.rules[index][rule_index] {
                continue;
            }
            let applied = match rule {
                steps::Sharing::View { result, arg, offset } => {
                    !homed[result] && self.view(step.writes[result].0, step.reads[arg].0, offset)
                }
                steps::Sharing::Into { arg, result, offset, spread } => {
                    let storage = self.resolved.homes[step.reads[arg].0];
                    let readers = step.reads.iter().filter(|read| same_storage(self.resolved.homes[read.0], storage));
                    let once = readers.count() == 1;
                    if once && !homed[result] {
                        self.found(step.writes[result].0);
                        homed[result] = true;
                    }
                    once && self.into(step.reads[arg].0, step.writes[result].0, offset, spread)
                }
                steps::Sharing::Update { .. } | steps::Sharing::InPlace { .. } | steps::Sharing::Overlap { .. } => {
                    false
                }
            };
            self.resolved.applied[index][rule_index] = applied;
            if let steps::Sharing::View { result, .. } = rule {
                homed[result] |= applied;
            }
        }
        for (result, homed) in homed.into_iter().enumerate() {
            if homed {
                continue;
            }
            match self.best_partner(position, index, result) {
                Some((rule, arg)) => {
                    self.resolved.applied[index][rule] = true;
                    let (result, arg) = (step.writes[result].0, step.reads[arg].0);
                    if let Home::Storage { storage, offset } = self.resolved.homes[arg] {
                        self.join(result, storage, offset);
                        self.resolved.shares[result].over = Some(arg);
                    }
                }
                None => self.found(step.writes[result].0),
            }
        }
    }

    /// Puts the new value of `state` into its place; `value` is produced there, if it may.
    fn update(&mut self, state: &State, value: usize, allowed: bool) -> bool {
        let Home::Storage { storage, .. } = self.resolved.homes[state.tensor.0] else { return false };
        let next = state.next.0;
        let there = match self.resolved.homes[value] {
            Home::Storage { storage: from, offset: 0 } if from == storage => true,
            Home::Storage { storage: from, offset: 0 } => allowed && self.takes_over(from, value, storage),
            _ => false,
        };
        self.join(next, storage, 0);
        if there {
            if let Home::Storage { storage: from, .. } = self.resolved.homes[value]
                && from != storage
            {
                self.absorb(from, storage, 0);
            }
            let holder = self.resolved.holder(value);
            self.resolved.shares[holder].inside = Some(next);
        }
        there
    }

    /// Storage `from`, which is all `value`, may lie in the place of a state: nothing there is needed from
    /// when its first tensor is written, and nothing of it is of use elsewhere.
    fn takes_over(&self, from: usize, value: usize, place: usize) -> bool {
        let Storage { size, align, members, state, .. } = &self.resolved.storages[from];
        let place = &self.resolved.storages[place];
        if state.is_some() || *size != self.bytes(value) || *align > place.align {
            return false;
        }
        let role = |tensor: &usize| self.uses.roles[*tensor];
        if members.iter().any(|member| role(member).input.is_open() || role(member).output.is_kept()) {
            return false;
        }
        let first = members.iter().map(|member| self.written[*member]).min().flatten();
        let Some(first) = first else { return false };
        let needed = |tensor: usize| self.uses.needed_after(tensor, first) || self.needed_at(tensor) >= Some(first);
        !place.members.iter().any(|member| needed(*member))
    }

    /// The last position at which `tensor` is written or read.
    fn needed_at(&self, tensor: usize) -> Option<usize> {
        self.written[tensor].max(self.uses.last_read[tensor])
    }

    /// `tensor` may join `storage`: if that is the place of a state, only until its update, unless it shows the
    /// new value, which stays.
    fn passes(&self, storage: usize, tensor: usize, shows: usize) -> bool {
        let Some(state) = self.resolved.storages[storage].state else { return true };
        let update = self.updated[state];
        let value = self.value(state);
        let mut shown = Some(shows);
        while let Some(outer) = shown.filter(|outer| Some(*outer) != value) {
            shown = self.resolved.shares[outer].inside;
        }
        shown.is_some() || !self.uses.needed_after(tensor, update)
    }

    /// The tensor that becomes `state`.
    fn value(&self, state: usize) -> Option<usize> {
        let next = self.program.states[state].next;
        let update = self.program.steps.iter().find(|step| step.writes == [next])?;
        update.reads.first().map(|value| value.0)
    }

    /// Makes `result` a view of `arg` if its start is aligned there.
    fn view(&mut self, result: usize, arg: usize, offset: usize) -> bool {
        match self.resolved.homes[arg] {
            Home::Storage { storage, offset: start } => {
                let start = start + offset;
                if !start.is_multiple_of(self.align(result)) || !self.passes(storage, result, arg) {
                    return false;
                }
                self.join(result, storage, start);
                self.resolved.shares[result].inside = Some(arg);
            }
            Home::Borrowed { input, offset: start } => {
                self.resolved.homes[result] = Home::Borrowed { input, offset: start + offset };
            }
            Home::Static { id, offset: start } => {
                self.resolved.homes[result] = Home::Static { id, offset: start + offset };
            }
            Home::Nowhere => return false,
        }
        true
    }

    /// Moves the storage of `arg` into that of `result`, if it is all `arg` and is not there already.
    /// What is spread there may hold nothing else.
    fn into(&mut self, arg: usize, result: usize, offset: usize, spread: Option<Spread>) -> bool {
        let Home::Storage { storage: from, offset: 0 } = self.resolved.homes[arg] else { return false };
        let Home::Storage { storage: to, offset: start } = self.resolved.homes[result] else { return false };
        let Storage { size, align, state, .. } = self.resolved.storages[from];
        let start = start + offset;
        let role = |tensor: &usize| self.uses.roles[*tensor];
        let members = &self.resolved.storages[from].members;
        // Inside, what is kept would keep all of the result from the first step to the last.
        let keeps = members.iter().any(|member| role(member).input.is_kept() || role(member).output.is_kept());
        // The place of a kept output is its own from the start of a run.
        let foreign = |member: &usize| role(member).input.is_open() || self.resolved.shares[*member].over.is_some();
        let filled = role(&result).output.is_kept() && members.iter().any(foreign);
        let torn = spread.is_some() && members.len() > 1;
        if from == to
            || state.is_some()
            || size != self.bytes(arg)
            || torn
            || keeps
            || filled
            || !start.is_multiple_of(align)
        {
            return false;
        }
        self.absorb(from, to, start);
        self.resolved.shares[arg].spread = spread;
        let holder = self.resolved.holder(arg);
        self.resolved.shares[holder].inside = Some(result);
        true
    }

    /// Puts all of storage `from` at `start` of `to`.
    fn absorb(&mut self, from: usize, to: usize, start: usize) {
        for member in std::mem::take(&mut self.resolved.storages[from].members) {
            if let Home::Storage { offset, .. } = self.resolved.homes[member] {
                self.join(member, to, start + offset);
            }
        }
    }

    /// The rule and argument whose place `result` takes: the one that keeps least else alive.
    fn best_partner(&self, position: usize, index: usize, result: usize) -> Option<(usize, usize)> {
        let step = &self.program.steps[index];
        let candidates = step.sharing.iter().enumerate().filter_map(|(rule, &sharing)| match sharing {
            steps::Sharing::InPlace { arg, result: of } if of == result && self.rules[index][rule] => {
                Some((self.waste(position, step, arg, result)?, rule, arg))
            }
            _ => None,
        });
        candidates.min_by_key(|&(waste, rule, _)| (waste, rule)).map(|(_, rule, arg)| (rule, arg))
    }

    /// Bytes that stay live with `result` if it takes the place of `arg`; `None` if it must not.
    fn waste(&self, position: usize, step: &steps::Step, arg: usize, result: usize) -> Option<usize> {
        let place = step.reads[arg].0;
        let Home::Storage { storage, offset } = self.resolved.homes[place] else { return None };
        let whole = &self.resolved.storages[storage];
        let size = self.bytes(place);
        let overlaps = |tensor: usize| match self.resolved.homes[tensor] {
            Home::Storage { storage: other, offset: start } => {
                other == storage && start < offset + size && offset < start + self.bytes(tensor)
            }
            _ => false,
        };
        // Other arguments there are safe only if the kernel reads each of their elements before it writes it.
        let read_safely = step.reads.iter().enumerate().filter(|(_, read)| overlaps(read.0)).all(|(index, read)| {
            let exact = self.resolved.homes[read.0] == self.resolved.homes[place] && self.bytes(read.0) == size;
            exact && step.sharing.contains(&steps::Sharing::InPlace { arg: index, result })
        });
        let lost = whole.members.iter().any(|&member| {
            let wanted = self.uses.needed_after(member, position) || self.written[member] == Some(position);
            wanted && overlaps(member)
        });
        let aligned = offset.is_multiple_of(self.align(step.writes[result].0));
        let result = step.writes[result].0;
        (aligned && read_safely && !lost && self.passes(storage, result, result)).then_some(whole.size - size)
    }
}

fn same_storage(a: Home, b: Home) -> bool {
    matches!((a, b), (Home::Storage { storage: a, .. }, Home::Storage { storage: b, .. }) if a == b)
}
