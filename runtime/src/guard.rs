//! The debug observer: does every tensor keep its bytes as long as the plan says?

use crate::plan::{InputMode, Span, Tensor};
use crate::{Observer, Plan, Step};
use core::fmt;

/// What dead bytes are filled with: no zero, no small number, as `f32` about -3e-13.
const DEAD: u8 = 0xAA;

/// Watches a run for damage to tensors that are still needed.
///
/// After each step it compares all living tensors with what they were before, and fills the bytes that
/// no living tensor owns with a pattern, so that a read of dead bytes shows in the results. The first
/// damage is kept, with the history of its bytes.
///
/// `TENSORS` is the number of tensors that it has room for.
///
/// ```
/// # waterline::graph! { mod net { input x: f32[4]; output y = relu(x); } }
/// # let mut arena = net::Arena::new();
/// use waterline::Guard;
/// let mut guard = Guard::<{ net::PLAN.tensors.len() }>::new();
/// arena.frame().run_with(&mut guard);
/// assert!(guard.damage().is_none(), "{}", guard.damage().unwrap());
/// ```
#[derive(Clone, Debug)]
pub struct Guard<const TENSORS: usize> {
    /// A checksum of each tensor that lives on through the next step.
    sums: [Option<u32>; TENSORS],
    unwatched: usize,
    damage: Option<Damage>,
}

/// A step wrote what it should not have written.
#[derive(Clone, Copy, Debug)]
pub struct Damage {
    /// The plan of the network.
    pub plan: &'static Plan,
    /// The step that did it.
    pub step: &'static Step,
    /// The tensor that lost its values; `None` for bytes that no tensor owned.
    pub tensor: Option<&'static Tensor>,
    /// The damaged bytes: all of the tensor, or the first outside of one.
    pub span: Span,
}

impl<const TENSORS: usize> Guard<TENSORS> {
    /// A guard that has seen nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self { sums: [None; TENSORS], unwatched: 0, damage: None }
    }

    /// The first damage that was seen.
    #[must_use]
    pub const fn damage(&self) -> Option<&Damage> {
        self.damage.as_ref()
    }

    /// Tensors of the plan for which there was no room.
    #[must_use]
    pub const fn unwatched(&self) -> usize {
        self.unwatched
    }

    fn report(&mut self, damage: Damage) {
        self.damage.get_or_insert(damage);
    }

    /// Takes the checksums of what `next` must leave alone.
    fn watch(&mut self, plan: &'static Plan, next: Option<&'static Step>, arena: &[u8]) {
        for (index, sum) in self.sums.iter_mut().enumerate() {
            *sum = next.filter(|step| survives(plan, index, step)).and_then(|step| checksum(plan, index, step, arena));
        }
    }
}

impl<const TENSORS: usize> Default for Guard<TENSORS> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const TENSORS: usize> Observer for Guard<TENSORS> {
    fn start(&mut self, plan: &'static Plan, arena: &mut [u8]) {
        self.unwatched = plan.tensors.len().saturating_sub(TENSORS);
        fill_dead(plan, 0, arena);
        self.watch(plan, plan.steps.first(), arena);
    }

    fn after_step(&mut self, plan: &'static Plan, step: &'static Step, arena: &mut [u8]) {
        for (index, tensor) in plan.tensors.iter().enumerate().take(TENSORS) {
            let before = self.sums.get(index).copied().flatten();
            if let (Some(_), Some(span)) = (before, tensor.span())
                && checksum(plan, index, step, arena) != before
            {
                self.report(Damage { plan, step, tensor: Some(tensor), span });
            }
        }
        if let Some(offset) = stray(plan, step, arena) {
            self.report(Damage { plan, step, tensor: None, span: Span { offset, size: 1 } });
        }
        let next = step.index.saturating_add(1);
        fill_dead(plan, next, arena);
        self.watch(plan, plan.steps.get(next), arena);
    }
}

/// Tensor `index` has its values before step `next`, and something needs them from then on.
fn lives(plan: &Plan, index: usize, next: usize) -> bool {
    let (Some(tensor), Some(last)) = (plan.tensors.get(index), plan.steps.len().checked_sub(1)) else {
        return false;
    };
    let given = || tensor.first == 0 && is_given(plan, index);
    let exists = if next == 0 { given() } else { tensor.first < next };
    let needed = if next > last { tensor.last >= last && outlives(plan, index) } else { tensor.last >= next };
    exists && needed
}

/// Tensor `index` lives before and after `step`, which does not write it.
fn survives(plan: &Plan, index: usize, step: &Step) -> bool {
    lives(plan, index, step.index) && lives(plan, index, step.index.saturating_add(1)) && !writes(plan, step, index)
}

/// `step` writes tensor `index`, or one that it lies inside.
fn writes(plan: &Plan, step: &Step, index: usize) -> bool {
    step.writes.iter().any(|written| *written == index || inside(plan, index, *written))
}

/// The caller may look at tensor `index` after the run, or the next run will.
fn outlives(plan: &Plan, index: usize) -> bool {
    plan.outputs.iter().any(|output| output.tensor == index)
        || plan.inputs.iter().any(|input| input.tensor == index && input.mode == InputMode::Kept)
        || plan.states.iter().any(|state| state.next == index)
}

/// Tensor `index` shows an input or a state, which have their values before the first step.
fn is_given(plan: &Plan, index: usize) -> bool {
    let given = |index: usize| {
        plan.inputs.iter().any(|input| input.tensor == index) || plan.states.iter().any(|state| state.tensor == index)
    };
    given(index) || holders(plan, index).any(given)
}

/// `inner` lies inside `outer`, directly or through others.
fn inside(plan: &Plan, inner: usize, outer: usize) -> bool {
    holders(plan, inner).any(|index| index == outer)
}

/// The tensors that `inner` lies inside, from the next one outwards.
fn holders(plan: &Plan, inner: usize) -> impl Iterator<Item = usize> {
    let holder = |index: usize| plan.tensors.get(index).and_then(|tensor| tensor.shares.inside);
    core::iter::successors(holder(inner), move |index| holder(*index)).take(plan.tensors.len())
}

/// FNV-1a of the bytes of tensor `index`, without those that `step` writes as parts of it.
fn checksum(plan: &Plan, index: usize, step: &Step, arena: &[u8]) -> Option<u32> {
    let parts = || step.writes.iter().filter(|part| inside(plan, **part, index));
    let skipped =
        |at: usize| parts().filter_map(|part| plan.tensors.get(*part)?.piece_from(at)).any(|piece| piece.offset <= at);
    let tensor = plan.tensors.get(index)?;
    tensor.span()?.of(arena)?;
    let bytes = tensor.pieces().filter_map(|piece| Some(piece.of(arena)?.iter().zip(piece.offset..))).flatten();
    let kept = bytes.filter(|(_, at)| !skipped(*at)).map(|(byte, _)| *byte);
    Some(kept.fold(0x811C_9DC5, |sum, byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193)))
}

/// Fills what no tensor owns before step `next`.
fn fill_dead(plan: &Plan, next: usize, arena: &mut [u8]) {
    let mut at = 0;
    while let Some(gap) = gap(at, arena.len(), |at| owned(plan, next, at)) {
        arena.get_mut(gap.offset..gap.end()).unwrap_or_default().fill(DEAD);
        at = gap.end();
    }
}

/// The first byte that was dead before `step`, that it had no business with, and that it wrote.
fn stray(plan: &Plan, step: &Step, arena: &[u8]) -> Option<usize> {
    let mut at = 0;
    let touched = |at: usize| {
        let results = step.writes.iter().filter_map(move |index| plan.tensors.get(*index)?.piece_from(at));
        owned(plan, step.index, at).chain(results).chain(step.scratch.filter(|scratch| at < scratch.end()))
    };
    while let Some(gap) = gap(at, arena.len(), touched) {
        if let Some(found) = gap.of(arena)?.iter().position(|byte| *byte != DEAD) {
            return Some(gap.offset.saturating_add(found));
        }
        at = gap.end();
    }
    None
}

/// The next bytes from `at` on of each tensor that lives before step `next`.
fn owned(plan: &Plan, next: usize, at: usize) -> impl Iterator<Item = Span> {
    let living = plan.tensors.iter().enumerate().filter(move |(index, _)| lives(plan, *index, next));
    living.filter_map(move |(_, tensor)| tensor.piece_from(at))
}

/// The first gap from `at` on, below `end`. `spans` gives the next bytes from a place on of each owner.
fn gap<I: Iterator<Item = Span>>(mut at: usize, end: usize, spans: impl Fn(usize) -> I) -> Option<Span> {
    while at < end {
        let next = spans(at).min_by_key(|span| span.offset);
        match next {
            Some(span) if span.offset <= at => at = span.end(),
            next => {
                let until = next.map_or(end, |span| span.offset.min(end));
                return Some(Span { offset: at, size: until.saturating_sub(at) });
            }
        }
    }
    None
}

impl Damage {
    /// The tensors that have or had a byte of the damaged ones.
    pub fn history(&self) -> impl Iterator<Item = &'static Tensor> {
        let damaged = self.span;
        let had =
            move |tensor: &&Tensor| tensor.piece_from(damaged.offset).is_some_and(|piece| piece.overlaps(damaged));
        self.plan.tensors.iter().filter(had)
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { step, span, .. } = self;
        write!(f, "step {} `{}` ({}) changed ", step.index, step.name, step.op)?;
        match self.tensor {
            Some(tensor) => write!(f, "`{tensor}`, bytes {span}, needed until step {}", tensor.last)?,
            None => write!(f, "byte {}, where it has no tensor", span.offset)?,
        }
        f.write_str("\nthe history of these bytes:")?;
        for tensor in self.history() {
            write!(f, "\n  steps {}..={}: `{tensor}`", tensor.first, tensor.last)?;
            if let Some(span) = tensor.span() {
                write!(f, ", bytes {span}")?;
            }
        }
        Ok(())
    }
}
