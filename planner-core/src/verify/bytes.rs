//! The plan, run over bytes that are known by their value.

use super::Violation;
use super::memory::{Content, Memory};
use super::values::{Piece, values};
use crate::distances::Direction;
use crate::emit::Operand;
use crate::model::TensorId;
use crate::planned::{Place, Plan, PlannedStep};
use crate::steps::{Sharing, Spread, Step};
use std::ops::Range;

/// Checks that every argument of every step, every output, state and kept input is found whole.
///
/// # Errors
/// The first violation, in order of execution.
pub fn bytes(plan: &Plan) -> Result<(), Violation> {
    let mut arena = Arena { plan, values: values(plan)?, memory: Memory::default() };
    let inputs = plan.program.inputs.iter().filter(|input| arena.range(input.tensor.0).is_some());
    let inputs: Vec<usize> = inputs.map(|input| input.tensor.0).collect();
    let states: Vec<usize> = plan.program.states.iter().map(|state| state.tensor.0).collect();
    for &given in states.iter().chain(&inputs) {
        arena.write(given);
    }
    for &given in states.iter().chain(&inputs) {
        arena.read(given, None)?;
    }
    for (index, planned) in plan.steps.iter().enumerate() {
        arena.step(index, planned)?;
    }
    for output in &plan.program.outputs {
        arena.read(output.tensor.0, None)?;
        arena.own_place(output.tensor.0, output.kept, &inputs)?;
    }
    for state in &plan.program.states {
        arena.read(state.next.0, None)?;
    }
    for input in plan.program.inputs.iter().filter(|input| input.mode == crate::model::InputMode::Kept) {
        arena.read(input.tensor.0, None)?;
    }
    Ok(())
}

struct Arena<'a> {
    plan: &'a Plan,
    values: Vec<Vec<Piece>>,
    memory: Memory,
}

impl<'a> Arena<'a> {
    fn name(&self, tensor: usize) -> &'a str {
        &self.plan.program.tensors[tensor].name
    }

    /// Its bytes from the first to the last, if it lies in the arena.
    fn range(&self, tensor: usize) -> Option<Range<usize>> {
        match self.plan.places[tensor] {
            Place::Arena { offset, .. } => Some(offset..offset + self.plan.extent(tensor)),
            _ => None,
        }
    }

    /// The bytes that writing `tensor` writes: all but those of its parts that are there already. What is
    /// spread has no parts, for nothing reads it.
    fn written(&self, tensor: usize) -> impl Iterator<Item = (Range<usize>, usize)> {
        let start = self.range(tensor).map_or(0, |range| range.start);
        let spread = self.plan.shares[tensor].spread;
        let bytes = self.plan.program.tensors[tensor].ty.bytes();
        let runs = spread.into_iter().flat_map(move |spread| {
            spread.runs(bytes).map(move |(offset, at)| (start + at..start + at + spread.run, offset))
        });
        let own = self.values[tensor].iter().filter(move |piece| piece.tensor == tensor && spread.is_none());
        let own = own.map(move |piece| (start + piece.start..start + piece.start + piece.size, piece.offset));
        own.chain(runs)
    }

    fn write(&mut self, tensor: usize) {
        let written: Vec<_> = self.written(tensor).collect();
        for (range, offset) in written {
            self.memory.write(range, Content::Value { tensor, offset });
        }
    }

    /// Finds `tensor` whole.
    fn read(&self, tensor: usize, step: Option<&Step>) -> Result<(), Violation> {
        let Some(range) = self.range(tensor) else { return Ok(()) };
        if self.plan.shares[tensor].spread.is_some() {
            let why = "is read where it is spread";
            return Err(Violation::Misplaced { name: format!("`{}`", self.name(tensor)), why });
        }
        for piece in &self.values[tensor] {
            let start = range.start + piece.start;
            let content = Content::Value { tensor: piece.tensor, offset: piece.offset };
            self.memory.holds(start..start + piece.size, content).map_err(|by| Violation::Damaged {
                tensor: self.name(tensor).into(),
                step: step.map(|step| step.name.clone()),
                by: by.map(|by| match by {
                    Content::Value { tensor, .. } => format!("`{}`", self.name(tensor)),
                    Content::Scratch(index) => {
                        let step = self.plan.steps[index].step;
                        format!("the scratch of `{}`", self.plan.program.steps[step].name)
                    }
                }),
            })?;
        }
        Ok(())
    }

    fn step(&mut self, index: usize, planned: &PlannedStep) -> Result<(), Violation> {
        let step = &self.plan.program.steps[planned.step];
        let operands = || planned.calls.iter().flat_map(|&call| &step.calls[call].operands);
        let mut reads = vec![false; step.reads.len()];
        let mut writes = vec![false; step.writes.len()];
        for operand in operands() {
            match *operand {
                Operand::Read(read) => reads[read] = true,
                Operand::Write(write) => writes[write] = true,
                Operand::Scratch => {}
            }
        }
        let reads: Vec<usize> = (0..reads.len()).filter(|&read| reads[read]).collect();
        for &read in &reads {
            self.placed(step.reads[read], step, false)?;
            self.read(step.reads[read].0, Some(step))?;
        }
        let mut taken: Vec<(Range<usize>, usize)> = Vec::new();
        for (result, tensor) in step.writes.iter().enumerate() {
            let mut spans = self.written(tensor.0).map(|(range, _)| range).peekable();
            if spans.peek().is_none() {
                continue;
            }
            self.placed(*tensor, step, true)?;
            let others = taken.len();
            if let Some(Spread { run, stride }) = self.plan.shares[tensor.0].spread {
                let size = self.plan.program.tensor(*tensor).ty.dtype.bytes();
                let calls = planned.calls.iter().map(|call| &step.calls[*call]);
                let mut writers = calls.filter(|call| call.operands.contains(&Operand::Write(result)));
                match (writers.next(), writers.next()) {
                    (Some(call), None) if call.spread(run / size, stride / size).is_some() => {}
                    _ => return Err(unspread(step)),
                }
            }
            if !writes[result] {
                return Err(Violation::Calls { step: step.name.clone(), why: "leaves a result unwritten" });
            }
            for span in spans {
                for &read in &reads {
                    self.apart_from_argument(step, (result, &span), read)?;
                }
                if let Some((_, other)) = taken[..others].iter().find(|(range, _)| meet(range, &span)) {
                    return Err(self.overlap(step, tensor.0, *other));
                }
                taken.push((span, tensor.0));
            }
        }
        if let Some(scratch) = &planned.scratch {
            let arguments = reads.iter().filter_map(|&read| {
                let tensor = step.reads[read].0;
                Some((self.range(tensor)?, tensor))
            });
            if let Some((_, other)) = taken.iter().cloned().chain(arguments).find(|(range, _)| meet(range, scratch)) {
                let other = format!("`{}`", self.name(other));
                return Err(Violation::Overlap { step: step.name.clone(), written: "its scratch".into(), other });
            }
            self.memory.write(scratch.clone(), Content::Scratch(index));
        }
        for result in &step.writes {
            self.write(result.0);
        }
        Ok(())
    }

    /// `tensor` has a place of which a step can make use.
    fn placed(&self, tensor: TensorId, step: &Step, written: bool) -> Result<(), Violation> {
        let why = match self.plan.places[tensor.0] {
            Place::Arena { .. } => return Ok(()),
            Place::Nowhere => "has no place",
            _ if written => "is written, but lies in flash or in a borrowed input",
            _ => return Ok(()),
        };
        Err(Violation::Misplaced { name: format!("`{}` of step `{}`", self.name(tensor.0), step.name), why })
    }

    /// Result bytes meet an argument only where the result is exactly over it or ahead of it, by a rule of the step.
    fn apart_from_argument(
        &self,
        step: &Step,
        (result, span): (usize, &Range<usize>),
        read: usize,
    ) -> Result<(), Violation> {
        let (written, argument) = (step.writes[result].0, step.reads[read].0);
        let Some(range) = self.range(argument).filter(|range| meet(range, span)) else { return Ok(()) };
        let rule = Sharing::InPlace { arg: read, result };
        if self.plan.options.in_place && *span == range && step.sharing.contains(&rule) {
            return Ok(());
        }
        if self.plan.options.overlap && self.is_ahead(step, (result, span), (read, &range)) {
            return Ok(());
        }
        Err(self.overlap(step, written, argument))
    }

    /// All of a result lies over an argument at a distance that a rule of the step allows, in the direction in which
    /// the plan runs it.
    fn is_ahead(
        &self,
        step: &Step,
        (result, span): (usize, &Range<usize>),
        (read, range): (usize, &Range<usize>),
    ) -> bool {
        let (written, argument) = (step.writes[result].0, step.reads[read].0);
        let Some(ahead) = self.plan.shares[written].ahead.filter(|ahead| ahead.of == argument) else { return false };
        let distance = match ahead.direction {
            Direction::Forward => range.start.checked_sub(span.start),
            Direction::Backward => span.start.checked_sub(range.start),
        };
        let whole = self.range(written).as_ref() == Some(span) && self.plan.shares[written].spread.is_none();
        whole
            && step.sharing.iter().any(|rule| match *rule {
                Sharing::Overlap { arg, result: of, direction, distances } => {
                    (arg, of, direction) == (read, result, ahead.direction)
                        && distance.is_some_and(|distance| distances.allows(distance))
                }
                _ => false,
            })
    }

    fn overlap(&self, step: &Step, written: usize, other: usize) -> Violation {
        let [written, other] = [written, other].map(|tensor| format!("`{}`", self.name(tensor)));
        Violation::Overlap { step: step.name.clone(), written, other }
    }

    /// A kept output is not where the next frame's inputs are filled.
    fn own_place(&self, output: usize, kept: bool, inputs: &[usize]) -> Result<(), Violation> {
        let Some(range) = self.range(output).filter(|_| kept) else { return Ok(()) };
        let input = inputs.iter().copied().filter(|&input| input != output);
        if input.filter_map(|input| self.range(input)).any(|other| meet(&other, &range)) {
            let why = "is kept, but shares bytes with an input";
            return Err(Violation::Misplaced { name: format!("`{}`", self.name(output)), why });
        }
        Ok(())
    }
}

fn unspread(step: &Step) -> Violation {
    Violation::Calls { step: step.name.clone(), why: "cannot spread its result" }
}

fn meet(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}
