//! The compiler's own proof of a plan, from the constants that the generated
//! code uses. Written from the rules, not from the planner's `verify`.

use crate::plan::{InputMode, Place, Plan, Span, Tensor};

/// What is wrong with a plan.
pub(crate) type Flaw = &'static str;

/// Proves that no step of `plan` destroys what a later one reads.
///
/// `by_offset` lists the tensors of the arena, lowest offset first. In a constant, a flaw is an error of
/// the build:
///
/// ```compile_fail,E0080
/// # waterline::graph! { mod net { plan { in_place = off } input x: f32[4]; output y = relu(x); } }
/// # use waterline::{Plan, __private::prove};
/// const BROKEN: Plan = Plan { arena_bytes: 16, ..net::PLAN };
/// const _: () = match prove(&BROKEN, &[0, 1]) {
///     Ok(()) => (),
///     Err(flaw) => panic!("{}", flaw), // a tensor leaves the arena
/// };
/// ```
///
/// # Errors
/// The first rule that is broken.
pub const fn prove(plan: &Plan, by_offset: &[usize]) -> Result<(), Flaw> {
    let mut result = places(plan, by_offset);
    if result.is_ok() {
        result = lifetimes(plan);
    }
    if result.is_ok() {
        result = disjoint(plan, by_offset);
    }
    if result.is_ok() {
        result = scratch(plan);
    }
    result
}

/// Every tensor lies in the arena, aligned, once in `by_offset`; what is inside or over another lies there.
const fn places(plan: &Plan, by_offset: &[usize]) -> Result<(), Flaw> {
    if !plan.arena_align.is_power_of_two() {
        return Err("the arena's alignment is no power of two");
    }
    let mut listed = 0;
    let mut index = 0;
    while index < plan.tensors.len() {
        let tensor = at(plan.tensors, index);
        if let Place::Arena { offset } = tensor.place {
            listed += 1;
            if tensor.size == 0 || offset + tensor.size > plan.arena_bytes {
                return Err("a tensor leaves the arena");
            }
            let align = tensor.dtype.bytes();
            if !offset.is_multiple_of(align) || !plan.arena_align.is_multiple_of(align) {
                return Err("a tensor is not aligned");
            }
            if let Some(holder) = tensor.shares.inside
                && !span(at(plan.tensors, holder)).covers(span(tensor))
            {
                return Err("a tensor is not inside the one that holds it");
            }
            if let Some(under) = tensor.shares.over {
                let under = at(plan.tensors, under);
                if span(under).offset != offset || tensor.first != under.last {
                    return Err("a tensor is not over the one that it replaces");
                }
            }
        }
        index += 1;
    }
    if listed != by_offset.len() {
        return Err("a tensor is missing from the list by offset");
    }
    let mut i = 1;
    while i < by_offset.len() {
        let (before, after) = (*at(by_offset, i - 1), *at(by_offset, i));
        let (low, high) = (span(at(plan.tensors, before)).offset, span(at(plan.tensors, after)).offset);
        if low > high || (low == high && before >= after) {
            return Err("the list by offset is not sorted");
        }
        i += 1;
    }
    Ok(())
}

/// Every tensor is live when it is read or written, and as long as the caller may see it.
const fn lifetimes(plan: &Plan) -> Result<(), Flaw> {
    let mut index = 0;
    while index < plan.steps.len() {
        let step = at(plan.steps, index);
        if !live_at(plan, step.reads, index) || !live_at(plan, step.writes, index) {
            return Err("a step uses a tensor outside its lifetime");
        }
        index += 1;
    }
    let end = plan.steps.len().saturating_sub(1);
    let mut index = 0;
    while index < plan.inputs.len() {
        let input = at(plan.inputs, index);
        let tensor = at(plan.tensors, input.tensor);
        let until = if matches!(input.mode, InputMode::Kept) { end } else { 0 };
        if in_arena(tensor) && (tensor.first > 0 || tensor.last < until) {
            return Err("an input's lifetime is too short");
        }
        index += 1;
    }
    let mut index = 0;
    while index < plan.outputs.len() {
        let output = at(plan.outputs, index);
        let tensor = at(plan.tensors, output.tensor);
        if in_arena(tensor) && (tensor.last < end || (output.kept && tensor.first > 0)) {
            return Err("an output's lifetime is too short");
        }
        index += 1;
    }
    Ok(())
}

const fn live_at(plan: &Plan, mut tensors: &[usize], step: usize) -> bool {
    while let [index, rest @ ..] = tensors {
        let tensor = at(plan.tensors, *index);
        if in_arena(tensor) && (step < tensor.first || step > tensor.last) {
            return false;
        }
        tensors = rest;
    }
    true
}

/// Tensors with bytes in common never live together, unless a rule of sharing says so.
const fn disjoint(plan: &Plan, mut by_offset: &[usize]) -> Result<(), Flaw> {
    while let [a, rest @ ..] = by_offset {
        let tensor = at(plan.tensors, *a);
        let mut above = rest;
        while let [b, others @ ..] = above {
            let other = at(plan.tensors, *b);
            if !span(tensor).overlaps(span(other)) {
                break;
            }
            let together = tensor.first <= other.last && other.first <= tensor.last;
            if together && !same_values(plan, *a, *b) && !replaces(plan, *a, *b) && !replaces(plan, *b, *a) {
                return Err("two tensors that live together share bytes");
            }
            above = others;
        }
        by_offset = rest;
    }
    Ok(())
}

/// A step's scratch meets nothing that is live during it.
const fn scratch(plan: &Plan) -> Result<(), Flaw> {
    let mut index = 0;
    while index < plan.steps.len() {
        if let Some(scratch) = at(plan.steps, index).scratch {
            if scratch.end() > plan.arena_bytes {
                return Err("a step's scratch leaves the arena");
            }
            let mut tensors = plan.tensors;
            while let [tensor, rest @ ..] = tensors {
                let live = tensor.first <= index && index <= tensor.last;
                if in_arena(tensor) && live && scratch.overlaps(span(tensor)) {
                    return Err("a step's scratch shares bytes with a tensor");
                }
                tensors = rest;
            }
        }
        index += 1;
    }
    Ok(())
}

/// Both lie inside one tensor, and at most one of them is written: the other shows its values.
const fn same_values(plan: &Plan, a: usize, b: usize) -> bool {
    holder(plan, a) == holder(plan, b)
        && (holds(plan, a, b) || holds(plan, b, a) || !written(plan, a) || !written(plan, b))
}

/// `a` begins at the step in which `b` ends, and there the bytes that they have in common are written
/// over what shares `b`'s values by what shares `a`'s.
const fn replaces(plan: &Plan, a: usize, b: usize) -> bool {
    let (new, old) = (at(plan.tensors, a), at(plan.tensors, b));
    let common = span(new).common(span(old));
    let mut index = 0;
    while index < plan.tensors.len() {
        let writer = at(plan.tensors, index);
        if let Some(under) = writer.shares.over
            && new.first == old.last
            && writer.first == old.last
            && holder(plan, index) == holder(plan, a)
            && holder(plan, under) == holder(plan, b)
            && span(writer).covers(common)
        {
            return true;
        }
        index += 1;
    }
    false
}

/// The outermost tensor that holds `index`.
const fn holder(plan: &Plan, mut index: usize) -> usize {
    while let Some(outer) = at(plan.tensors, index).shares.inside {
        index = outer;
    }
    index
}

/// `inner` lies inside `outer`, directly or through others.
const fn holds(plan: &Plan, outer: usize, mut inner: usize) -> bool {
    while let Some(next) = at(plan.tensors, inner).shares.inside {
        if next == outer {
            return true;
        }
        inner = next;
    }
    false
}

/// A step writes `tensor`.
const fn written(plan: &Plan, tensor: usize) -> bool {
    let mut steps = plan.steps;
    while let [step, rest @ ..] = steps {
        let mut writes = step.writes;
        while let [index, others @ ..] = writes {
            if *index == tensor {
                return true;
            }
            writes = others;
        }
        steps = rest;
    }
    false
}

const fn in_arena(tensor: &Tensor) -> bool {
    matches!(tensor.place, Place::Arena { .. })
}

const fn span(tensor: &Tensor) -> Span {
    match tensor.place {
        Place::Arena { offset } => Span { offset, size: tensor.size },
        _ => Span { offset: 0, size: 0 },
    }
}

#[allow(clippy::indexing_slicing, reason = "evaluated by the compiler: an index out of bounds is its error")]
const fn at<T>(list: &[T], index: usize) -> &T {
    &list[index]
}
