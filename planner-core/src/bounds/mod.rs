//! What memory an order of steps needs, whatever the layout.

mod families;

use crate::emit::Operand;
use crate::model::TensorId;
use crate::steps::{Program, Sharing, Step};
use crate::uses::Uses;
use families::{Families, Value};

/// Most bytes live at once when every tensor has a buffer of its own and nothing shares; only a
/// reshape is its argument's buffer, and a state that an operator updates in place is one.
#[must_use]
pub fn classic(program: &Program, order: &[usize], uses: &Uses) -> usize {
    let mut families = Families::new(program, uses);
    for (position, &index) in order.iter().enumerate() {
        let step = &program.steps[index];
        for id in step.writes.iter().filter(|id| !uses.roles[id.0].next) {
            families.found(id.0, position);
        }
        for (result, state) in updated_in_place(program, step, &uses.allowed[index]) {
            families.view(result.0, state.0, 0);
        }
        for (rule, _) in step.sharing.iter().zip(&uses.allowed[index]).filter(|(_, allowed)| **allowed) {
            if let Sharing::View { result, arg, .. } = *rule {
                let (view, whole) = (step.writes[result].0, step.reads[arg].0);
                if families.counts(whole) && uses.bytes[view] == uses.bytes[whole] {
                    families.view(view, whole, 0);
                }
            }
        }
        for read in &step.reads {
            families.need(read.0, position);
        }
    }
    let scratch = order.iter().map(|&step| program.steps[step].scratch.map_or(0, |scratch| scratch.bytes));
    let needs = at_once(&families.values(order.len()), &scratch.collect::<Vec<_>>(), &vec![0; order.len()]);
    needs.into_iter().max().unwrap_or(0)
}

/// No layout of this order needs less, whichever of the allowed rules of sharing it applies.
///
/// Counted are the distinct values that must exist at each step. Bytes that a view or a concat could
/// share count once, from when they are first written to when they are last read; those of a concat's
/// argument that is also elsewhere do not count in the concat at all. A state counts always, and what
/// could lie in its place before its update not at all. A step's results and its
/// arguments that die with it count both, unless one could take the other's place or overlap it.
#[must_use]
pub fn lower(program: &Program, order: &[usize], uses: &Uses) -> usize {
    needs(program, order, uses).into_iter().max().unwrap_or(0)
}

/// For each step in order, what [`lower`] counts there.
pub(crate) fn needs(program: &Program, order: &[usize], uses: &Uses) -> Vec<usize> {
    let mut families = Families::new(program, uses);
    let mut scratch = vec![0; order.len()];
    let mut saved = vec![0; order.len()];
    let early = early(program, order, uses);
    let in_state = in_state(program, uses);
    for (position, &index) in order.iter().enumerate() {
        let step = &program.steps[index];
        let allowed = &uses.allowed[index];
        for call in step.calls.iter().filter(|call| !call.elided_by.is_some_and(|rule| allowed[rule])) {
            scratch[position] = step.scratch.map_or(0, |scratch| scratch.bytes);
            for operand in &call.operands {
                if let Operand::Read(read) = operand {
                    families.need(step.reads[*read].0, position);
                }
            }
        }
        for id in step.writes.iter().filter(|id| !in_state[id.0]) {
            families.found(id.0, position);
        }
        for &rule in step.sharing.iter().zip(allowed).filter(|(_, allowed)| **allowed).map(|(rule, _)| rule) {
            match rule {
                Sharing::View { result, arg, offset } => {
                    families.view(step.writes[result].0, step.reads[arg].0, offset);
                }
                Sharing::Into { arg, result, offset, spread: None } => {
                    families.part(step.reads[arg].0, step.writes[result].0, offset);
                }
                // Wherever it lies, it is there until the result counts.
                Sharing::Into { arg, result, spread: Some(_), .. } => {
                    let (part, whole) = (step.reads[arg].0, step.writes[result].0);
                    if early[whole] {
                        families.forget(part);
                    } else {
                        families.need(part, position.saturating_sub(1));
                    }
                }
                Sharing::Update { .. } | Sharing::InPlace { .. } | Sharing::Overlap { .. } => {}
            }
        }
        for (result, id) in step.writes.iter().enumerate().filter(|(_, id)| families.counts(id.0)) {
            let replaced = step.sharing.iter().zip(allowed).any(|(rule, allowed)| match *rule {
                Sharing::InPlace { arg, result: of } if of == result && *allowed => {
                    !uses.needed_after(step.reads[arg].0, position)
                }
                _ => false,
            });
            saved[position] += if replaced {
                uses.bytes[id.0]
            } else {
                overlapped(step, allowed, uses, position, result).min(uses.bytes[id.0])
            };
        }
    }
    at_once(&families.values(order.len()), &scratch, &saved)
}

/// Bytes that result `result` of `step` may have in common with arguments that nothing needs afterwards.
fn overlapped(step: &Step, allowed: &[bool], uses: &Uses, position: usize, result: usize) -> usize {
    let mut common = vec![0; step.reads.len()];
    for (rule, _) in step.sharing.iter().zip(allowed).filter(|(_, allowed)| **allowed) {
        if let Sharing::Overlap { arg, result: of, direction, distances } = *rule
            && of == result
            && !uses.needed_after(step.reads[arg].0, position)
        {
            let sizes = [step.writes[result], step.reads[arg]].map(|id| uses.bytes[id.0]);
            common[arg] = distances.most_common(direction.lower_first(sizes)).max(common[arg]);
        }
    }
    common.into_iter().sum()
}

/// The results of `step` that its operator may put in the place of the state that they become.
fn updated_in_place(program: &Program, step: &Step, allowed: &[bool]) -> impl Iterator<Item = (TensorId, TensorId)> {
    step.sharing.iter().zip(allowed).filter(|(_, allowed)| **allowed).filter_map(|(rule, _)| {
        let Sharing::InPlace { arg, result } = *rule else { return None };
        let (old, new) = (step.reads[arg], step.writes[result]);
        let state = program.states.iter().find(|state| state.tensor == old)?;
        let assigned = |step: &Step| step.writes == [state.next] && step.reads == [new];
        program.steps.iter().any(assigned).then_some((new, old))
    })
}

/// The tensors that may lie in the place of a state, the state itself not among them.
fn in_state(program: &Program, uses: &Uses) -> Vec<bool> {
    let mut inside: Vec<bool> = uses.roles.iter().map(|role| role.next).collect();
    for state in &program.states {
        inside[state.tensor.0] = true;
    }
    let mut grown = !program.states.is_empty();
    while std::mem::take(&mut grown) {
        for (step, allowed) in program.steps.iter().zip(&uses.allowed) {
            for (rule, _) in step.sharing.iter().zip(allowed).filter(|(_, allowed)| **allowed) {
                if matches!(rule, Sharing::Overlap { .. }) {
                    continue;
                }
                let (arg, result) = rule.ends();
                let (result, arg) = (step.writes[result].0, step.reads[arg].0);
                let whole = uses.bytes[result] == uses.bytes[arg];
                let (part, view) = (matches!(rule, Sharing::Into { .. }), matches!(rule, Sharing::View { .. }));
                for (from, to, joins) in [(result, arg, whole || part), (arg, result, whole && !part || view)] {
                    if inside[from] && !inside[to] && joins {
                        inside[to] = true;
                        grown = true;
                    }
                }
            }
        }
    }
    inside
}

/// The tensors that may lie in a kept output, whose bytes count from the start.
fn early(program: &Program, order: &[usize], uses: &Uses) -> Vec<bool> {
    let mut early: Vec<bool> = uses.roles.iter().map(|role| role.output.is_kept()).collect();
    for &index in order.iter().rev() {
        let step = &program.steps[index];
        for (rule, _) in step.sharing.iter().zip(&uses.allowed[index]).filter(|(_, allowed)| **allowed) {
            if let Sharing::View { result, arg, .. } | Sharing::Into { arg, result, .. } = *rule {
                early[step.reads[arg].0] |= early[step.writes[result].0];
            }
        }
    }
    early
}

/// Most bytes that exist at once before, after or during each step, where `saved` of them coincide, with its scratch.
fn at_once(values: &[Value], scratch: &[usize], saved: &[usize]) -> Vec<usize> {
    let steps = scratch.len().max(1);
    let mut before = Count::new(steps);
    let mut after = Count::new(steps);
    let mut during = Count::new(steps);
    for value in values {
        let first = value.first.unwrap_or(0);
        let last = value.last.min(steps - 1);
        before.add(value.first.map_or(0, |first| first + 1), last + 1, value.bytes);
        after.add(first, value.last.min(steps).max(value.first.map_or(0, |first| first + 1)), value.bytes);
        during.add(first, last + 1, value.bytes);
    }
    let (before, after, during) = (before.sums(), after.sums(), during.sums());
    let need = |position: usize| {
        let at = |list: &[usize]| list.get(position).copied().unwrap_or(0);
        before[position].max(after[position]).max(during[position].saturating_sub(at(saved))) + at(scratch)
    };
    (0..steps).map(need).collect()
}

/// Bytes over positions, by their differences.
struct Count {
    born: Vec<usize>,
    died: Vec<usize>,
}

impl Count {
    fn new(steps: usize) -> Self {
        Self { born: vec![0; steps + 1], died: vec![0; steps + 1] }
    }

    /// Adds `bytes` at positions `from..to`.
    fn add(&mut self, from: usize, to: usize, bytes: usize) {
        if from < to {
            self.born[from] += bytes;
            self.died[to] += bytes;
        }
    }

    fn sums(self) -> Vec<usize> {
        let mut sum = 0;
        let step = |(born, died): (&usize, &usize)| {
            sum = sum + born - died;
            sum
        };
        self.born.iter().zip(&self.died).map(step).collect()
    }
}
