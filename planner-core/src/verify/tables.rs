//! What a plan says of itself, compared with what its steps do.

use super::Violation;
use crate::model::InputMode;
use crate::planned::{Lifetime, Place, Plan};

/// Checks bounds, alignments, and that everything is within its buffer and its lifetime when used.
///
/// # Errors
/// The first violation.
pub fn tables(plan: &Plan) -> Result<(), Violation> {
    arena(plan)?;
    for tensor in 0..plan.places.len() {
        place(plan, tensor)?;
    }
    let end = plan.steps.len().saturating_sub(1);
    for (index, planned) in plan.steps.iter().enumerate() {
        let step = &plan.program.steps[planned.step];
        for tensor in planned.reads(&plan.program).chain(planned.writes(&plan.program)) {
            live(plan, tensor.0, index)?;
        }
        let bytes = planned.scratch.as_ref().map_or(0, std::ops::Range::len);
        let name = || format!("the scratch of step `{}`", step.name);
        if bytes != step.scratch.map_or(0, |scratch| scratch.bytes) {
            return Err(Violation::Misplaced { name: name(), why: "has another size than the step needs" });
        }
        if let (Some(range), Some(scratch)) = (&planned.scratch, step.scratch)
            && (range.end > plan.arena_bytes || !range.start.is_multiple_of(scratch.dtype.bytes()))
        {
            return Err(Violation::Misplaced { name: name(), why: "is not aligned or not in the arena" });
        }
    }
    for input in plan.program.inputs.iter().filter(|input| input.mode != InputMode::Borrowed) {
        live(plan, input.tensor.0, 0)?;
        if input.mode == InputMode::Kept {
            live(plan, input.tensor.0, end)?;
        }
    }
    for state in &plan.program.states {
        self::state(plan, state.tensor.0, state.next.0, end)?;
    }
    for output in &plan.program.outputs {
        live(plan, output.tensor.0, end)?;
        if output.kept {
            live(plan, output.tensor.0, 0)?;
        }
    }
    Ok(())
}

/// What a state holds before and after a run lies in one buffer of its own, in the same place, which is live
/// throughout.
fn state(plan: &Plan, tensor: usize, next: usize, end: usize) -> Result<(), Violation> {
    live(plan, tensor, 0)?;
    live(plan, next, end)?;
    let name = || format!("the state `{}`", plan.program.tensors[tensor].name);
    let Place::Arena { buffer, .. } = plan.places[tensor] else {
        return Err(Violation::Misplaced { name: name(), why: "is not in the arena" });
    };
    if plan.places[next] != plan.places[tensor] {
        return Err(Violation::Misplaced { name: name(), why: "is not updated in its place" });
    }
    match plan.buffers[buffer].life {
        Lifetime { first: 0, last } if last >= end => Ok(()),
        life => Err(Violation::Lifetime { name: name(), step: if life.first > 0 { 0 } else { end } }),
    }
}

fn arena(plan: &Plan) -> Result<(), Violation> {
    if !plan.arena_bytes.is_multiple_of(4) {
        return Err(Violation::Arena("has no whole number of words"));
    }
    if !plan.arena_align.is_power_of_two() || plan.arena_align < 16 {
        return Err(Violation::Arena("has an alignment that is no power of two or below 16"));
    }
    for buffer in &plan.buffers {
        let misplaced = |why| Err(Violation::Misplaced { name: format!("buffer `{}`", buffer.name), why });
        if buffer.offset + buffer.size > plan.arena_bytes {
            return misplaced("leaves the arena");
        }
        if !buffer.offset.is_multiple_of(buffer.align) || !plan.arena_align.is_multiple_of(buffer.align) {
            return misplaced("is not aligned");
        }
    }
    Ok(())
}

/// The place of `tensor` is aligned and in its buffer, which lives as long.
fn place(plan: &Plan, tensor: usize) -> Result<(), Violation> {
    let item = &plan.program.tensors[tensor];
    let misplaced = |why| Err(Violation::Misplaced { name: format!("`{}`", item.name), why });
    let align = plan.options.align.unwrap_or(1).max(item.ty.dtype.bytes());
    match plan.places[tensor] {
        Place::Arena { buffer, offset } => {
            if !offset.is_multiple_of(align) || !plan.arena_align.is_multiple_of(align) {
                return misplaced("is not aligned");
            }
            let Some(buffer) = plan.buffers.get(buffer) else { return misplaced("is in no buffer") };
            if offset < buffer.offset || offset + plan.extent(tensor) > buffer.offset + buffer.size {
                return misplaced("leaves its buffer");
            }
            let Some(life) = plan.lifetimes[tensor] else { return misplaced("has no lifetime") };
            if let Some(holder) = plan.shares[tensor].inside {
                let meets = |other: &Lifetime| life.first <= other.last && other.first <= life.last;
                if !plan.lifetimes[holder].as_ref().is_some_and(meets) {
                    // Between the two lives the bytes would be nobody's.
                    return Err(Violation::Lifetime { name: format!("`{}`", item.name), step: life.last + 1 });
                }
            }
            for step in [life.first, life.last] {
                if step < buffer.life.first || step > buffer.life.last {
                    return Err(Violation::Lifetime { name: format!("buffer `{}`", buffer.name), step });
                }
            }
        }
        Place::Borrowed { input, offset } => {
            let whole = plan.program.inputs.get(input).filter(|input| input.mode == InputMode::Borrowed);
            let whole = whole.map_or(0, |input| plan.program.tensor(input.tensor).ty.bytes());
            if !offset.is_multiple_of(item.ty.dtype.bytes()) || offset + item.ty.bytes() > whole {
                return misplaced("leaves its borrowed input or is not aligned");
            }
        }
        Place::Static { id, offset } => {
            let whole = plan.program.statics.get(id.0).map_or(0, crate::emit::Static::bytes);
            if !offset.is_multiple_of(item.ty.dtype.bytes()) || offset + item.ty.bytes() > whole {
                return misplaced("leaves its static or is not aligned");
            }
        }
        Place::Nowhere => {}
    }
    Ok(())
}

/// `tensor`, if it lies in the arena, is live at `step`.
fn live(plan: &Plan, tensor: usize, step: usize) -> Result<(), Violation> {
    let Place::Arena { .. } = plan.places[tensor] else { return Ok(()) };
    match plan.lifetimes[tensor] {
        Some(life) if life.first <= step && step <= life.last => Ok(()),
        _ => Err(Violation::Lifetime { name: format!("`{}`", plan.program.tensors[tensor].name), step }),
    }
}
