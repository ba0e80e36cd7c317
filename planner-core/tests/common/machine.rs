//! Runs a plan on real bytes, as hostile as the rules allow.
//!
//! A step first ruins its scratch and those results that no rule lets lie over an argument, then
//! reads its arguments and compares each with what it must be, then writes its results.

use super::random::mix;
use planner_core::emit::{Init, Operand};
use planner_core::model::InputMode;
use planner_core::plan::{Place, Plan};
use planner_core::steps::{Program, Sharing, Source, Step};
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
            let (from, to, range) = copy(program, step, step.sharing[rule]);
            let source = values[from.0][from.1..from.1 + range.len()].to_vec();
            values[to][range].copy_from_slice(&source);
        }
    }
    values
}

/// What a copy copies: the tensor and offset it reads, the tensor and range that it writes.
fn copy(program: &Program, step: &Step, rule: Sharing) -> ((usize, usize), usize, Range<usize>) {
    let size = |tensor: usize| program.tensors[tensor].ty.bytes();
    match rule {
        Sharing::View { result, arg, offset } => {
            let to = step.writes[result].0;
            ((step.reads[arg].0, offset), to, 0..size(to))
        }
        Sharing::Into { arg, result, offset } => {
            let from = step.reads[arg].0;
            ((from, 0), step.writes[result].0, offset..offset + size(from))
        }
        Sharing::InPlace { .. } => unreachable!("no call copies in place"),
    }
}

/// Runs `plan`; the first thing that goes wrong.
pub fn run(plan: &Plan, values: &[Vec<u8>]) -> Result<(), String> {
    let program = &plan.program;
    let mut arena = vec![0xEE; plan.arena_bytes];
    let name = |tensor: usize| &program.tensors[tensor].name;
    let range = |tensor: usize| match plan.places[tensor] {
        Place::Arena { offset, .. } => Some(offset..offset + program.tensors[tensor].ty.bytes()),
        _ => None,
    };
    let find = |arena: &[u8], tensor: usize, by: &str| match plan.places[tensor] {
        Place::Nowhere => Err(format!("{by} reads {}, which is nowhere", name(tensor))),
        Place::Arena { .. } => {
            let found = arena.get(range(tensor).unwrap_or(0..0)).ok_or(format!("{} leaves the arena", name(tensor)))?;
            if found == values[tensor] { Ok(()) } else { Err(format!("{by} finds {} damaged", name(tensor))) }
        }
        Place::Borrowed { input, offset } => {
            let whole = &values[program.inputs[input].tensor.0];
            let right = whole[offset..].starts_with(&values[tensor]);
            if right { Ok(()) } else { Err(format!("{by} finds {} elsewhere", name(tensor))) }
        }
        Place::Static { id, offset } => match &program.statics[id.0].init {
            Init::Bytes(whole) if whole[offset..].starts_with(&values[tensor]) => Ok(()),
            _ => Err(format!("{by} finds {} elsewhere", name(tensor))),
        },
    };
    let fill = |arena: &mut [u8], range: Range<usize>, bytes: &[u8]| -> Result<(), String> {
        arena.get_mut(range).ok_or("a write leaves the arena")?.copy_from_slice(bytes);
        Ok(())
    };
    let inputs =
        || program.inputs.iter().filter_map(|input| range(input.tensor.0).map(|range| (input.tensor.0, range)));
    for (tensor, range) in inputs() {
        fill(&mut arena, range, &values[tensor])?;
    }
    for (tensor, _) in inputs() {
        find(&arena, tensor, "the caller")?;
    }
    for planned in &plan.steps {
        let step = &program.steps[planned.step];
        let calls = || planned.calls.iter().map(|&index| &step.calls[index]);
        let reads = || {
            let operands = calls().flat_map(|call| &call.operands);
            operands.filter_map(|operand| if let Operand::Read(read) = *operand { Some(read) } else { None })
        };
        // The bytes that the remaining calls write: result, its range in the arena, its range in the tensor.
        let mut writes: Vec<(usize, Range<usize>, Range<usize>)> = Vec::new();
        for call in calls() {
            for operand in &call.operands {
                let Operand::Write(result) = *operand else { continue };
                let tensor = step.writes[result].0;
                let part = match call.elided_by {
                    Some(rule) => copy(program, step, step.sharing[rule]).2,
                    None => 0..program.tensors[tensor].ty.bytes(),
                };
                let Some(whole) = range(tensor) else { return Err(format!("{} is not in the arena", name(tensor))) };
                writes.push((result, whole.start + part.start..whole.start + part.end, part));
            }
        }
        if let Some(scratch) = &planned.scratch {
            fill(&mut arena, scratch.clone(), &vec![0xDD; scratch.len()])?;
        }
        for (result, bytes, _) in &writes {
            let over = |read: usize| {
                let rule = Sharing::InPlace { arg: read, result: *result };
                plan.options.in_place
                    && step.sharing.contains(&rule)
                    && range(step.reads[read].0).as_ref() == Some(bytes)
            };
            if !reads().any(over) {
                fill(&mut arena, bytes.clone(), &vec![0xCC; bytes.len()])?;
            }
        }
        for read in reads() {
            find(&arena, step.reads[read].0, &step.name)?;
        }
        // An argument under a result must have the rule, whatever else is there.
        for (result, bytes, _) in &writes {
            for read in reads() {
                let under =
                    range(step.reads[read].0).is_some_and(|range| range.start < bytes.end && bytes.start < range.end);
                if under && !step.sharing.contains(&Sharing::InPlace { arg: read, result: *result }) {
                    return Err(format!("{} writes over {}", step.name, name(step.reads[read].0)));
                }
            }
        }
        for (result, bytes, part) in &writes {
            let tensor = step.writes[*result].0;
            fill(&mut arena, bytes.clone(), &values[tensor][part.clone()])?;
        }
        for (result, bytes, part) in &writes {
            if arena[bytes.clone()] != values[step.writes[*result].0][part.clone()] {
                return Err(format!("{} writes two results to the same bytes", step.name));
            }
        }
        if let Some(scratch) = &planned.scratch {
            let meets = |range: &Range<usize>| range.start < scratch.end && scratch.start < range.end;
            if writes.iter().any(|(_, bytes, _)| meets(bytes)) {
                return Err(format!("{} writes to its scratch", step.name));
            }
        }
    }
    for output in &program.outputs {
        find(&arena, output.tensor.0, "the caller")?;
    }
    for input in program.inputs.iter().filter(|input| input.mode == InputMode::Kept) {
        find(&arena, input.tensor.0, "the caller")?;
    }
    for (_, range) in inputs() {
        let next = vec![0xBB; range.len()];
        fill(&mut arena, range, &next)?;
    }
    for output in program.outputs.iter().filter(|output| output.kept) {
        find(&arena, output.tensor.0, "the caller, after the next frame was filled,")?;
    }
    Ok(())
}
