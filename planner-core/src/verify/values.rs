//! Which tensors are other tensors' bytes, by the calls that a plan spares.

use super::Violation;
use crate::planned::{Place, Plan};
use crate::steps::{Sharing, Spread, Step};

/// A stretch of a tensor's value as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// Bytes from the start of the tensor that is described.
    pub(super) start: usize,
    /// Size in bytes.
    pub(super) size: usize,
    /// The tensor whose step or caller writes it.
    pub(super) tensor: usize,
    /// Bytes from the start of that.
    pub(super) offset: usize,
}

/// The pieces of every tensor, each in ascending order.
///
/// # Errors
/// A call that is missing, repeated, or spared by a rule that does not hold.
pub(super) fn values(plan: &Plan) -> Result<Vec<Vec<Piece>>, Violation> {
    let program = &plan.program;
    let size = |tensor: usize| program.tensors[tensor].ty.bytes();
    let whole = |tensor: usize| vec![Piece { start: 0, size: size(tensor), tensor, offset: 0 }];
    let mut values: Vec<Vec<Piece>> = (0..program.tensors.len()).map(whole).collect();
    let made = made(plan)?;
    let mut spread = vec![None; program.tensors.len()];
    for (step, made) in program.steps.iter().zip(&made) {
        for rule in spared(step, made)? {
            let fail = |why| Err(Violation::Calls { step: step.name.clone(), why });
            let (inner, outer, offset, runs, allowed) = match step.sharing[rule] {
                Sharing::View { result, arg, offset } => {
                    (step.writes[result].0, step.reads[arg].0, offset, None, plan.options.views)
                }
                Sharing::Into { arg, result, offset, spread } => {
                    (step.reads[arg].0, step.writes[result].0, offset, spread, plan.options.concat)
                }
                Sharing::Update { arg, result } => {
                    (step.reads[arg].0, step.writes[result].0, 0, None, plan.options.in_place)
                }
                Sharing::InPlace { .. } | Sharing::Overlap { .. } => {
                    return fail("spares a call because a result is in place");
                }
            };
            if !allowed {
                return fail("spares a call by a rule that is switched off");
            }
            let extent = runs.map_or(size(inner), |runs| runs.extent(size(inner)));
            if offset + extent > size(outer) || !lies_at(plan, inner, outer, offset) {
                return fail("spares a call, but its tensors do not share the bytes");
            }
            if runs.is_some_and(|Spread { run, stride }| run > stride || !size(inner).is_multiple_of(run)) {
                return fail("spares a call by a rule whose runs meet or do not add up");
            }
            spread[inner] = runs;
            if let Sharing::View { .. } = step.sharing[rule] {
                values[inner] = part(&values[outer], offset, size(inner));
                continue;
            }
            let whole = Spread { run: size(inner), stride: 0 };
            let runs = runs.unwrap_or(whole);
            let inside = runs.runs(size(inner)).flat_map(|(start, at)| {
                let run = part(&values[inner], start, runs.run);
                run.into_iter().map(move |piece| Piece { start: piece.start + at + offset, ..piece })
            });
            values[outer] = replaced(&values[outer], inside);
        }
    }
    for (tensor, spread) in spread.into_iter().enumerate() {
        if plan.shares[tensor].spread != spread {
            let why = "is not spread as the call that it spares would";
            return Err(Violation::Misplaced { name: format!("`{}`", program.tensors[tensor].name), why });
        }
    }
    Ok(values)
}

/// `pieces` with `inside`, which ascend, in their places.
fn replaced(pieces: &[Piece], inside: impl Iterator<Item = Piece>) -> Vec<Piece> {
    let mut all = Vec::with_capacity(pieces.len());
    let mut inside = inside.peekable();
    let mut at = 0;
    for piece in pieces {
        let end = piece.start + piece.size;
        at = at.max(piece.start);
        while at < end {
            let next = inside.next_if(|inner| inner.start < end);
            let until = next.map_or(end, |inner| inner.start);
            if at < until {
                let offset = piece.offset + at - piece.start;
                all.push(Piece { start: at, size: until - at, tensor: piece.tensor, offset });
            }
            at = next.map_or(end, |inner| inner.start + inner.size);
            all.extend(next);
        }
    }
    all
}

/// For each step of the program, for each of its calls: the plan makes it.
fn made(plan: &Plan) -> Result<Vec<Vec<bool>>, Violation> {
    let mut made: Vec<Vec<bool>> = plan.program.steps.iter().map(|step| vec![false; step.calls.len()]).collect();
    let mut seen = vec![false; made.len()];
    for planned in &plan.steps {
        let step = &plan.program.steps[planned.step];
        let fail = |why| Violation::Calls { step: step.name.clone(), why };
        if std::mem::replace(&mut seen[planned.step], true) {
            return Err(fail("stands in the plan twice"));
        }
        for &call in &planned.calls {
            if std::mem::replace(&mut made[planned.step][call], true) {
                return Err(fail("makes a call twice"));
            }
        }
    }
    Ok(made)
}

/// The rules that spare calls of `step`.
fn spared(step: &Step, made: &[bool]) -> Result<Vec<usize>, Violation> {
    let fail = |why| Violation::Calls { step: step.name.clone(), why };
    let mut rules = Vec::new();
    for call in step.calls.iter().zip(made).filter(|(_, made)| !**made).map(|(call, _)| call) {
        let rule = call.elided_by.ok_or_else(|| fail("lacks a call"))?;
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
    let makes = |rule: &usize| step.calls.iter().zip(made).any(|(call, made)| *made && call.elided_by == Some(*rule));
    if rules.iter().any(makes) {
        return Err(fail("makes some calls of a rule and spares others"));
    }
    Ok(rules)
}

/// `inner` lies `offset` bytes after the start of `outer`.
fn lies_at(plan: &Plan, inner: usize, outer: usize, offset: usize) -> bool {
    match (plan.places[inner], plan.places[outer]) {
        (Place::Arena { offset: inner, .. }, Place::Arena { offset: outer, .. }) => inner == outer + offset,
        (Place::Borrowed { input: a, offset: inner }, Place::Borrowed { input: b, offset: outer }) => {
            a == b && inner == outer + offset
        }
        (Place::Static { id: a, offset: inner }, Place::Static { id: b, offset: outer }) => {
            a == b && inner == outer + offset
        }
        _ => false,
    }
}

/// `size` bytes of `pieces` from `start` on.
fn part(pieces: &[Piece], start: usize, size: usize) -> Vec<Piece> {
    let end = start + size;
    let meeting = pieces.iter().filter(|piece| piece.start < end && start < piece.start + piece.size);
    let cut = meeting.map(|piece| {
        let (from, to) = (piece.start.max(start), (piece.start + piece.size).min(end));
        Piece { start: from - start, size: to - from, tensor: piece.tensor, offset: piece.offset + from - piece.start }
    });
    cut.collect()
}
