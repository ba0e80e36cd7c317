//! Runs a plan on real bytes, as hostile as the rules allow.
//!
//! A step first ruins its scratch and those results that no rule lets lie over an argument, then
//! reads its arguments and compares each with what it must be, then writes its results.

use super::random::mix;
use planner_core::distances::{Direction, Distances};
use planner_core::emit::{Call, Init, Operand};
use planner_core::model::{InputMode, TensorId};
use planner_core::plan::Plan;
use planner_core::planned::{Place, PlannedStep};
use planner_core::state::State;
use planner_core::steps::{Program, Sharing, Source, Spread, Step};
use std::ops::Range;

/// The right bytes of every tensor; `salt` makes others as good.
///
/// Only calls that `plan` spares copy bytes unchanged, so that nothing is right by chance.
pub fn values(plan: &Plan, salt: usize) -> Vec<Vec<u8>> {
    let program = &plan.program;
    let fresh = |tensor: usize| -> Vec<u8> {
        let size = program.tensors[tensor].ty.bytes();
        (0..size).map(|byte| mix((salt << 40 | tensor << 20 | byte) as u64).to_le_bytes()[0]).collect()
    };
    let mut values: Vec<Vec<u8>> = Vec::new();
    for (tensor, item) in program.tensors.iter().enumerate() {
        values.push(match item.source {
            Source::Static(id) => match &program.statics[id.0].init {
                Init::Bytes(bytes) => bytes.clone(),
                _ => unreachable!("tests have no other statics"),
            },
            _ => fresh(tensor),
        });
    }
    let mut made: Vec<&[usize]> = vec![&[]; program.steps.len()];
    for planned in &plan.steps {
        made[planned.step] = &planned.calls;
    }
    for (step, made) in program.steps.iter().zip(made) {
        let spared = step.calls.iter().enumerate().filter(|(index, _)| !made.contains(index));
        for rule in spared.filter_map(|(_, call)| call.elided_by) {
            for (from, to, range) in copies(program, step, step.sharing[rule]) {
                let source = values[from.0][from.1..from.1 + range.len()].to_vec();
                values[to][range].copy_from_slice(&source);
            }
        }
    }
    values
}

/// What a call copies: the tensor and offset it reads, the tensor and range that it writes, a run each.
fn copies(program: &Program, step: &Step, rule: Sharing) -> Vec<((usize, usize), usize, Range<usize>)> {
    let size = |tensor: usize| program.tensors[tensor].ty.bytes();
    match rule {
        Sharing::View { result, arg, offset } => {
            let to = step.writes[result].0;
            vec![((step.reads[arg].0, offset), to, 0..size(to))]
        }
        Sharing::Into { arg, result, offset, spread } => {
            let (from, to) = (step.reads[arg].0, step.writes[result].0);
            runs(spread, size(from))
                .map(|(start, at)| ((from, start.start), to, at + offset..at + offset + start.len()))
                .collect()
        }
        Sharing::Update { arg, result } => {
            let to = step.writes[result].0;
            vec![((step.reads[arg].0, 0), to, 0..size(to))]
        }
        Sharing::InPlace { .. } | Sharing::Overlap { .. } => unreachable!("no call copies in place"),
    }
}

/// The runs of a tensor of `bytes`: their ranges in the tensor, and how far from the first they lie.
fn runs(spread: Option<Spread>, bytes: usize) -> impl Iterator<Item = (Range<usize>, usize)> {
    let Spread { run, stride } = spread.unwrap_or(Spread { run: bytes, stride: 0 });
    (0..bytes / run).map(move |index| (index * run..(index + 1) * run, index * stride))
}

/// Runs `plan`; the first thing that goes wrong.
pub fn run(plan: &Plan, values: &[Vec<u8>]) -> Result<(), String> {
    let mut machine = Machine { plan, values, arena: vec![0xEE; plan.arena_bytes] };
    for state in &plan.program.states {
        let range = machine.range(state.tensor.0).ok_or("a state is not in the arena")?;
        if machine.range(state.next.0).as_ref() != Some(&range) {
            return Err("a state moves".into());
        }
        machine.fill(range, &values[state.tensor.0])?;
    }
    for (tensor, range) in machine.inputs() {
        machine.fill(range, &values[tensor])?;
    }
    for tensor in machine.inputs().into_iter().map(|(tensor, _)| tensor).chain(states(plan, |state| state.tensor)) {
        machine.find(tensor, "the caller")?;
    }
    for planned in &plan.steps {
        machine.step(planned)?;
    }
    let program = &plan.program;
    for output in &program.outputs {
        machine.find(output.tensor.0, "the caller")?;
    }
    for input in program.inputs.iter().filter(|input| input.mode == InputMode::Kept) {
        machine.find(input.tensor.0, "the caller")?;
    }
    for next in states(plan, |state| state.next) {
        machine.find(next, "the next run")?;
    }
    for (_, range) in machine.inputs() {
        let next = vec![0xBB; range.len()];
        machine.fill(range, &next)?;
    }
    for next in states(plan, |state| state.next) {
        machine.find(next, "the next run, after its frame was filled,")?;
    }
    for output in program.outputs.iter().filter(|output| output.kept) {
        machine.find(output.tensor.0, "the caller, after the next frame was filled,")?;
    }
    Ok(())
}

fn states(plan: &Plan, which: impl Fn(&State) -> TensorId) -> impl Iterator<Item = usize> {
    plan.program.states.iter().map(move |state| which(state).0)
}

struct Machine<'a> {
    plan: &'a Plan,
    values: &'a [Vec<u8>],
    arena: Vec<u8>,
}

/// A part of a result that a call writes.
struct Write {
    result: usize,
    /// Its range in the tensor.
    part: Range<usize>,
    /// Its range in the arena.
    bytes: Range<usize>,
}

impl<'a> Machine<'a> {
    fn name(&self, tensor: usize) -> &'a str {
        &self.plan.program.tensors[tensor].name
    }

    fn range(&self, tensor: usize) -> Option<Range<usize>> {
        match self.plan.places[tensor] {
            Place::Arena { offset, .. } => Some(offset..offset + self.plan.program.tensors[tensor].ty.bytes()),
            _ => None,
        }
    }

    fn inputs(&self) -> Vec<(usize, Range<usize>)> {
        let inputs = self.plan.program.inputs.iter().map(|input| input.tensor.0);
        inputs.filter_map(|tensor| Some((tensor, self.range(tensor)?))).collect()
    }

    fn fill(&mut self, range: Range<usize>, bytes: &[u8]) -> Result<(), String> {
        self.arena.get_mut(range).ok_or("a write leaves the arena")?.copy_from_slice(bytes);
        Ok(())
    }

    /// The right bytes are where `tensor` is.
    fn find(&self, tensor: usize, by: &str) -> Result<(), String> {
        let program = &self.plan.program;
        let found = match self.plan.places[tensor] {
            Place::Nowhere => None,
            Place::Arena { .. } => self.range(tensor).and_then(|range| self.arena.get(range)),
            Place::Borrowed { input, offset } => self.values[program.inputs[input].tensor.0].get(offset..),
            Place::Static { id, offset } => match &program.statics[id.0].init {
                Init::Bytes(whole) => whole.get(offset..),
                _ => None,
            },
        };
        let right = found.is_some_and(|found| found.starts_with(&self.values[tensor]));
        if right { Ok(()) } else { Err(format!("{by} finds {} damaged", self.name(tensor))) }
    }

    fn step(&mut self, planned: &PlannedStep) -> Result<(), String> {
        let step = &self.plan.program.steps[planned.step];
        let calls: Vec<&Call> = planned.calls.iter().map(|&index| &step.calls[index]).collect();
        let reads = calls.iter().flat_map(|call| &call.operands);
        let reads = reads.filter_map(|operand| if let Operand::Read(read) = *operand { Some(read) } else { None });
        let reads: Vec<usize> = reads.collect();
        let mut writes = Vec::new();
        for call in calls {
            writes.extend(self.writes(step, call)?);
        }
        if let Some(scratch) = &planned.scratch {
            self.fill(scratch.clone(), &vec![0xDD; scratch.len()])?;
        }
        for Write { result, bytes, .. } in &writes {
            let over = |&read: &usize| {
                self.may_be_over(step, read, *result) && self.range(step.reads[read].0).as_ref() == Some(bytes)
                    || self.may_be_ahead(step, read, *result)
            };
            if !reads.iter().any(over) {
                self.fill(bytes.clone(), &vec![0xCC; bytes.len()])?;
            }
        }
        for &read in &reads {
            let argument = step.reads[read].0;
            self.find(argument, &step.name)?;
            // An argument under a result must have the rule, whatever else is there.
            let under = |write: &Write| self.range(argument).is_some_and(|range| meet(&range, &write.bytes));
            let mut forbidden = writes.iter().filter(|write| {
                !self.may_be_over(step, read, write.result) && !self.may_be_ahead(step, read, write.result)
            });
            if forbidden.any(under) {
                return Err(format!("{} writes over {}", step.name, self.name(argument)));
            }
        }
        let right = |write: &Write| &self.values[step.writes[write.result].0][write.part.clone()];
        for write in &writes {
            self.fill(write.bytes.clone(), right(write))?;
        }
        if writes.iter().any(|write| self.arena[write.bytes.clone()] != *right(write)) {
            return Err(format!("{} writes two results to the same bytes", step.name));
        }
        if planned.scratch.as_ref().is_some_and(|scratch| writes.iter().any(|write| meet(&write.bytes, scratch))) {
            return Err(format!("{} writes to its scratch", step.name));
        }
        Ok(())
    }

    fn writes(&self, step: &Step, call: &Call) -> Result<Vec<Write>, String> {
        let mut writes = Vec::new();
        for operand in &call.operands {
            let Operand::Write(result) = *operand else { continue };
            let tensor = step.writes[result].0;
            let whole = self.range(tensor).ok_or_else(|| format!("{} is not in the arena", self.name(tensor)))?;
            let parts: Vec<(Range<usize>, usize)> = match call.elided_by {
                Some(rule) => copies(&self.plan.program, step, step.sharing[rule])
                    .into_iter()
                    .map(|(_, _, part)| (part.clone(), part.start))
                    .collect(),
                None => runs(self.plan.shares[tensor].spread, self.plan.program.tensors[tensor].ty.bytes()).collect(),
            };
            writes.extend(parts.into_iter().map(|(part, at)| {
                let start = whole.start + at;
                Write { result, bytes: start..start + part.len(), part }
            }));
        }
        Ok(writes)
    }

    /// A kernel that walks as the plan says, and reads its argument as late as its distances allow, finds every byte.
    fn may_be_ahead(&self, step: &Step, arg: usize, result: usize) -> bool {
        let (read, written) = (step.reads[arg].0, step.writes[result].0);
        let Some(ahead) = self.plan.shares[written].ahead.filter(|ahead| ahead.of == read) else { return false };
        let (Some(from), Some(to)) = (self.range(read), self.range(written)) else { return false };
        step.sharing.iter().any(|rule| match *rule {
            Sharing::Overlap { arg: of, result: over, direction, distances } => {
                (of, over, direction) == (arg, result, ahead.direction)
                    && self.plan.options.overlap
                    && walks(direction, distances, &from, &to)
            }
            _ => false,
        })
    }

    fn may_be_over(&self, step: &Step, arg: usize, result: usize) -> bool {
        self.plan.options.in_place && step.sharing.contains(&Sharing::InPlace { arg, result })
    }
}

/// A kernel that writes `to` byte by byte, and reads `from` as late as `distances` allow, finds every byte of it.
fn walks(direction: Direction, distances: Distances, from: &Range<usize>, to: &Range<usize>) -> bool {
    let backward = direction == Direction::Backward;
    let shift = if backward { to.start.checked_sub(from.start) } else { from.start.checked_sub(to.start) };
    let Some(shift) = shift else { return false };
    let multiple = shift >= distances.from && shift.is_multiple_of(distances.multiple);
    let lead = if multiple { shift } else { distances.any };
    let places = |range: &Range<usize>| -> Vec<usize> {
        if backward { range.clone().rev().collect() } else { range.clone().collect() }
    };
    let (reads, writes) = (places(from), places(to));
    let signed = |number: usize| isize::try_from(number).unwrap();
    // From where it starts, which are the ends if it walks backward.
    let lead = signed(lead) + if backward { signed(to.len()) - signed(from.len()) } else { 0 };
    // When `count` bytes are written, the argument is read from so many further on.
    (1..=writes.len()).all(|count| {
        let read = (signed(count) - lead).max(0).unsigned_abs();
        !reads.get(read..).unwrap_or(&[]).contains(&writes[count - 1])
    })
}

fn meet(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}
