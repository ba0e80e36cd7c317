//! Operators whose results lie over their arguments, at the distances that they declare.

use crate::interpreter::{Interpreter, Placement};
use crate::trace::traced;
use planner_core::distances::{Direction, Distances};
use planner_core::model::TensorId;
use planner_core::planned::{Ahead, Place};
use planner_core::steps::{Program, Sharing, Source};
use std::fmt::Debug;
use std::ops::Range;

/// Most pairs of bytes of an argument and a result that are compared.
const MOST_PAIRS: usize = 1 << 18;

/// The overlaps that a program of one step declares: the rule, the argument, the result.
fn overlaps(program: &Program) -> impl Iterator<Item = (Overlap, TensorId, TensorId)> {
    let step = &program.steps[0];
    step.sharing.iter().filter_map(|&rule| {
        let Sharing::Overlap { direction, distances, .. } = rule else { return None };
        let (arg, result) = rule.ends();
        let overlap = Overlap { direction, distances };
        matches!(program.tensor(step.reads[arg]).source, Source::Input(_)).then_some((
            overlap,
            step.reads[arg],
            step.writes[result],
        ))
    })
}

/// The distances of a rule.
#[derive(Clone, Copy, Debug)]
struct Overlap {
    direction: Direction,
    distances: Distances,
}

impl Overlap {
    fn ahead(self, arg: TensorId) -> Ahead {
        Ahead { of: arg.0, direction: self.direction, distances: self.distances }
    }

    /// From the start of the argument to the start of the result.
    fn shift(self, distance: usize) -> isize {
        let distance = isize::try_from(distance).expect("a small tensor");
        match self.direction {
            Direction::Forward => -distance,
            Direction::Backward => distance,
        }
    }
}

/// By the accesses of the kernels, all declared distances are safe, and, if they are `tight`, no lesser one is from
/// which on all are.
pub(crate) fn check_distances(program: &Program, inputs: &[Vec<u8>], tight: bool, what: &dyn Debug) {
    let size = |id: TensorId| program.tensor(id).ty.bytes();
    for (overlap, arg, result) in overlaps(program) {
        let once = program.steps[0].reads.iter().filter(|read| **read == arg).count() == 1;
        if !once || size(arg) * size(result) > MOST_PAIRS {
            continue;
        }
        let mut placement = Placement::apart(program);
        placement.shares[result.0].ahead = Some(overlap.ahead(arg));
        let mut arena = placement.arena(0);
        let start = arena.as_ptr().addr();
        let range = |id: TensorId| -> Range<usize> {
            let Place::Arena { offset, .. } = placement.places[id.0] else { return 0..0 };
            start + offset..start + offset + size(id)
        };
        let (argument, written) = (range(arg), range(result));
        let (_, accesses) = traced(|| Interpreter::new(program, &[]).run(&placement, &mut arena, inputs));
        let reach = match overlap.direction {
            Direction::Forward => size(result),
            Direction::Backward => size(arg),
        };
        let step = step(program, arg, result);
        let harms = |distance: &usize| !accesses.allow(&argument, &written, overlap.shift(*distance));
        let any = (0..reach).step_by(step).rev().find(harms).map_or(0, |distance| distance + step);
        let declared = overlap.distances.any.next_multiple_of(step).min(reach.next_multiple_of(step));
        // Of two arguments, a selection reads the one that a value decides. Sums of bytes are read for several results.
        let several = matches!(program.steps[0].calls[0].kernel, "sum_i8" | "sum_u8");
        let loose = !tight || several || program.steps[0].op == "select";
        assert!(
            declared == any || declared > any && loose,
            "safe from {any} on, not from {declared}: {overlap:?}, {what:?}"
        );
        let mut multiples = (0..any).step_by(step).filter(|distance| overlap.distances.allows(*distance));
        assert!(multiples.all(|distance| !harms(&distance)), "an unsafe multiple: {overlap:?}, {what:?}");
    }
}

/// Distances that aligned tensors can have are multiples of this.
fn step(program: &Program, arg: TensorId, result: TensorId) -> usize {
    [arg, result].map(|id| program.tensor(id).ty.dtype.bytes()).into_iter().min().unwrap_or(1)
}

/// Placements with the result over an argument at some of the distances that are declared.
pub(crate) fn placements(program: &Program) -> impl Iterator<Item = Placement> {
    overlaps(program).flat_map(move |(overlap, arg, result)| {
        let step = step(program, arg, result);
        let alike = program.steps[0].reads.iter().filter(|read| **read == arg).count() == 1;
        let safe = (overlap.distances.least().next_multiple_of(step)..).step_by(step);
        let safe = safe.filter(move |distance| overlap.distances.allows(*distance));
        safe.take(if alike { 4 } else { 0 }).map(move |distance| {
            let mut placement = Placement::apart(program);
            placement.shares[result.0].ahead = Some(overlap.ahead(arg));
            let widest = [arg, result].map(|id| program.tensor(id).ty.dtype.bytes()).into_iter().max().unwrap_or(1);
            // Far enough up that both are aligned.
            let base = placement.arena_bytes.next_multiple_of(8) + 8;
            let (lower, upper) = match overlap.direction {
                Direction::Forward => (result, arg),
                Direction::Backward => (arg, result),
            };
            let low =
                if program.tensor(lower).ty.dtype.bytes() == widest { base } else { base + widest - distance % widest };
            for (tensor, offset) in [(lower, low), (upper, low + distance)] {
                placement.places[tensor.0] = Place::Arena { buffer: tensor.0, offset };
                placement.arena_bytes = placement.arena_bytes.max(offset + program.tensor(tensor).ty.bytes());
            }
            placement
        })
    })
}
