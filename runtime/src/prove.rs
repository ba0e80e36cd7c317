//! The compiler's own proof of a plan, from the constants that the generated
//! code uses. Written from the rules, not from the planner's `verify`.

use crate::plan::{Ahead, InputMode, Place, Plan, Span, Spread, Tensor};

/// What is wrong with a plan.
pub(crate) type Flaw = &'static str;

/// Proves that no step of `plan` destroys what a later one reads.
///
/// `by_birth` lists the tensors of the arena in the order in which their lives begin. In a constant, a
/// flaw is an error of the build:
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
pub const fn prove(plan: &Plan, by_birth: &[usize]) -> Result<(), Flaw> {
    let mut result = places(plan, by_birth);
    if result.is_ok() {
        result = lifetimes(plan);
    }
    if result.is_ok() {
        result = disjoint(plan, by_birth);
    }
    if result.is_ok() {
        result = scratch(plan);
    }
    result
}

/// Every tensor lies in the arena, aligned, once in `by_birth`; what is inside or over another lies there.
const fn places(plan: &Plan, by_birth: &[usize]) -> Result<(), Flaw> {
    if !plan.arena_align.is_power_of_two() {
        return Err("the arena's alignment is no power of two");
    }
    let mut listed = 0;
    let mut index = 0;
    while index < plan.tensors.len() {
        let tensor = at(plan.tensors, index);
        if let Place::Arena { offset } = tensor.place {
            listed += 1;
            if tensor.size == 0 || span(tensor).end() > plan.arena_bytes {
                return Err("a tensor leaves the arena");
            }
            let align = tensor.dtype.bytes();
            if !offset.is_multiple_of(align) || !plan.arena_align.is_multiple_of(align) {
                return Err("a tensor is not aligned");
            }
            if let Some(holder) = tensor.shares.inside {
                let holder = at(plan.tensors, holder);
                if !span(holder).covers(span(tensor)) || holder.shares.spread.is_some() {
                    return Err("a tensor is not inside the one that holds it");
                }
            }
            if let Some(Spread { run, stride }) = tensor.shares.spread
                && (tensor.shares.inside.is_none() || run > stride || !tensor.size.is_multiple_of(run))
            {
                return Err("a tensor is spread over nothing, or not in whole runs");
            }
            if let Some(ahead) = tensor.shares.ahead
                && !keeps_distance(tensor, at(plan.tensors, ahead.of), ahead)
            {
                return Err("a tensor is too near to the one that is read ahead of it");
            }
            if let Some(under) = tensor.shares.over {
                let under = at(plan.tensors, under);
                let spread = tensor.shares.spread.is_some() || under.shares.spread.is_some();
                if span(under).offset != offset || tensor.first != under.last || spread {
                    return Err("a tensor is not over the one that it replaces");
                }
            }
        }
        index += 1;
    }
    if listed != by_birth.len() {
        return Err("a tensor is missing from the list by birth");
    }
    let mut i = 1;
    while i < by_birth.len() {
        let (before, after) = (*at(by_birth, i - 1), *at(by_birth, i));
        let (earlier, later) = (at(plan.tensors, before).first, at(plan.tensors, after).first);
        if earlier > later || (earlier == later && before >= after) {
            return Err("the list by birth is not sorted");
        }
        i += 1;
    }
    Ok(())
}

/// `tensor` is written whole while `read` is read for the last time, at a distance that is safe.
const fn keeps_distance(tensor: &Tensor, read: &Tensor, ahead: Ahead) -> bool {
    let (lower, upper) = if ahead.backward { (span(read), span(tensor)) } else { (span(tensor), span(read)) };
    let Some(distance) = upper.offset.checked_sub(lower.offset) else { return false };
    let safe = distance >= ahead.any || distance >= ahead.from && distance.is_multiple_of(ahead.multiple);
    let whole = tensor.shares.spread.is_none() && tensor.shares.inside.is_none() && in_arena(read);
    safe && whole && tensor.first == read.last
}

/// Every tensor is live when it is read or written, and as long as the caller may see it.
const fn lifetimes(plan: &Plan) -> Result<(), Flaw> {
    let mut index = 0;
    while index < plan.steps.len() {
        let step = at(plan.steps, index);
        if !live_at(plan, step.reads, index) || !live_at(plan, step.writes, index) {
            return Err("a step uses a tensor outside its lifetime");
        }
        if reads_spread(plan, step.reads) {
            return Err("a step reads a tensor that is spread");
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
    states(plan, end)
}

/// Every state is there from the start, and its new value in the same place at the end.
const fn states(plan: &Plan, end: usize) -> Result<(), Flaw> {
    let mut states = plan.states;
    while let [state, rest @ ..] = states {
        let (old, new) = (at(plan.tensors, state.tensor), at(plan.tensors, state.next));
        if !in_arena(old) || span(old).offset != span(new).offset || span(old).size != span(new).size {
            return Err("a state is not updated in its place");
        }
        if old.first > 0 || new.last < end || written(plan, state.tensor) {
            return Err("a state's lifetime is too short");
        }
        states = rest;
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

const fn reads_spread(plan: &Plan, mut tensors: &[usize]) -> bool {
    while let [index, rest @ ..] = tensors {
        if at(plan.tensors, *index).shares.spread.is_some() {
            return true;
        }
        tensors = rest;
    }
    false
}

/// Tensors with bytes in common never live together, unless a rule of sharing says so.
const fn disjoint(plan: &Plan, mut by_birth: &[usize]) -> Result<(), Flaw> {
    while let [a, rest @ ..] = by_birth {
        let tensor = at(plan.tensors, *a);
        let mut younger = rest;
        while let [b, others @ ..] = younger {
            let other = at(plan.tensors, *b);
            if other.first > tensor.last {
                break;
            }
            if meet(tensor, other) && !same_values(plan, *a, *b) && !replaces(plan, *a, *b) && !replaces(plan, *b, *a) {
                return Err("two tensors that live together share bytes");
            }
            younger = others;
        }
        by_birth = rest;
    }
    Ok(())
}

/// Both have a byte in common, for all that is known: of two that are spread alike, if their runs meet.
const fn meet(a: &Tensor, b: &Tensor) -> bool {
    if let (Some(x), Some(y)) = (a.shares.spread, b.shares.spread)
        && x.stride == y.stride
    {
        // Where a run of `b` starts after one of `a` does.
        let after = (span(b).offset + x.stride - span(a).offset % x.stride) % x.stride;
        if x.run <= after && after + y.run <= x.stride {
            return false;
        }
    }
    span(a).overlaps(span(b))
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
/// over what shares `b`'s values by what shares `a`'s, or ahead of its reads.
const fn replaces(plan: &Plan, a: usize, b: usize) -> bool {
    let (new, old) = (at(plan.tensors, a), at(plan.tensors, b));
    if new.first != old.last || old.last >= plan.steps.len() {
        return false;
    }
    let common = span(new).common(span(old));
    let mut writes = at(plan.steps, old.last).writes;
    while let [index, rest @ ..] = writes {
        let writer = at(plan.tensors, *index);
        if let Some(under) = writer.shares.over
            && holder(plan, *index) == holder(plan, a)
            && holder(plan, under) == holder(plan, b)
            && span(writer).covers(common)
        {
            return true;
        }
        if let Some(ahead) = writer.shares.ahead
            && holder(plan, *index) == holder(plan, a)
            && holder(plan, ahead.of) == holder(plan, b)
            && span(writer).covers(common)
            && span(at(plan.tensors, ahead.of)).covers(common)
            && reads_only(plan, old.last, ahead.of, b)
        {
            return true;
        }
        writes = rest;
    }
    false
}

/// Of `read` and `other`, which share values, step `step` reads the one, once.
const fn reads_only(plan: &Plan, step: usize, read: usize, other: usize) -> bool {
    let mut reads = at(plan.steps, step).reads;
    let mut count = 0;
    while let [index, rest @ ..] = reads {
        if *index == read {
            count += 1;
        } else if *index == other {
            return false;
        }
        reads = rest;
    }
    count == 1
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
    match tensor.span() {
        Some(span) => span,
        None => Span { offset: 0, size: 0 },
    }
}

#[allow(clippy::indexing_slicing, reason = "evaluated by the compiler: an index out of bounds is its error")]
const fn at<T>(list: &[T], index: usize) -> &T {
    &list[index]
}
