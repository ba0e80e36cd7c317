//! Which tensors are other tensors' bytes, by the calls that a plan spares.

use super::Violation;
use crate::plan::{Place, Plan};
use crate::steps::{Sharing, Step};

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
    for (step, made) in program.steps.iter().zip(&made) {
        for rule in spared(step, made)? {
            let fail = |why| Err(Violation::Calls { step: step.name.clone(), why });
            let (inner, outer, offset, allowed) = match step.sharing[rule] {
                Sharing::View { result, arg, offset } => {
                    (step.writes[result].0, step.reads[arg].0, offset, plan.options.views)
                }
                Sharing::Into { arg, result, offset } => {
                    (step.reads[arg].0, step.writes[result].0, offset, plan.options.concat)
                }
                Sharing::InPlace { .. } => return fail("spares a call because a result is in place"),
            };
            if !allowed {
                return fail("spares a call by a rule that is switched off");
            }
            if offset + size(inner) > size(outer) || !lies_at(plan, inner, outer, offset) {
                return fail("spares a call, but its tensors do not share the bytes");
            }
            if let Sharing::View { .. } = step.sharing[rule] {
                values[inner] = part(&values[outer], offset, size(inner));
            } else {
                let rest = [part(&values[outer], 0, offset), {
                    let end = offset + size(inner);
                    let after = part(&values[outer], end, size(outer) - end);
                    after.into_iter().map(|piece| Piece { start: piece.start + end, ..piece }).collect()
                }];
                let [before, after] = rest;
                let inside = values[inner].iter().map(|piece| Piece { start: piece.start + offset, ..*piece });
                values[outer] = before.into_iter().chain(inside).chain(after).collect();
            }
        }
    }
    Ok(values)
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
