//! Which kernels steps get that could have several: those of the least arena times instructions, or the fastest that
//! fit.

use super::{Observer, Plan, budget, search};
use crate::arch::Arch;
use crate::bounds;
use crate::diagnostic::Diagnostics;
use crate::layout::search::Progress;
use crate::model::TypedModel;
use crate::options::{Effort, Options, Prefer};
use crate::steps::{Program, Step, lower_with};
use crate::uses::Uses;
use crate::variants::{Choice, Variant};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// Most plans that are made to choose.
const TRIALS: usize = 40;
/// Most plans with smaller kernels.
const SHRINKS: usize = 4;

/// Lowers a checked model to kernels of `arch` and plans it.
///
/// Steps that could have several kernels have their usual one. Where the arena exceeds the budget or [`Prefer::Size`]
/// is asked for, the steps that need the most memory get smaller ones, if a plan fits then or arena times instructions
/// are less. If none fits, all steps get their smallest kernels. Then as many as possible get faster ones, those that
/// gain the most first, as long as the arena stays within the budget where that was exceeded or [`Prefer::Speed`] is
/// asked for, and else no larger than it is.
///
/// # Errors
/// Those of [`lower_with`] and of [`plan`](super::plan).
pub fn plan_for(typed: &TypedModel, arch: Arch, options: &Options) -> Result<Plan, Diagnostics> {
    plan_for_observed(typed, arch, options, &mut |_| ControlFlow::Continue(()))
}

/// As [`plan_for`]; `observer` is told how far the search is, and it ends with the best so far when it breaks.
///
/// # Errors
/// As for [`plan_for`].
pub fn plan_for_observed(
    typed: &TypedModel,
    arch: Arch,
    options: &Options,
    observer: &mut Observer<'_>,
) -> Result<Plan, Diagnostics> {
    let usual = lower_with(typed, arch, &Choice::new())?;
    let mut listener = Listener { observer, shown: Progress::default(), last: Progress::default(), stopped: false };
    let usual = listener.plan(usual, options, true)?;
    listener.adopt();
    let budget = options.budget.map_or(usize::MAX, |(budget, _)| budget);
    let (arena, missed) = (usual.arena_bytes, usual.arena_bytes > budget);
    let choice = Choice::new();
    let mut kernels = Kernels { typed, arch, options, listener, limit: budget, trials: 0, choice, best: usual };
    if missed || options.prefer == Prefer::Size {
        kernels.shrink()?;
    }
    if kernels.best.arena_bytes > budget {
        kernels.shrink_all()?;
    }
    if kernels.best.arena_bytes <= budget {
        if !missed && options.prefer == Prefer::Size {
            kernels.limit = kernels.best.arena_bytes;
        }
        let faster = faster(&kernels.best);
        // The usual ones for all that are smaller need a larger arena.
        let undone = faster.len() == kernels.choice.len() && kernels.limit < arena;
        kernels.speed_up(&faster, undone)?;
        kernels.search_as_asked()?;
    }
    budget::check(kernels.best, options).map_err(Diagnostics::from)
}

/// Several searches for the observer of one.
struct Listener<'o, 'a> {
    observer: &'o mut Observer<'a>,
    /// What the observer was told of the best plan.
    shown: Progress,
    /// The end of the last search.
    last: Progress,
    /// The observer has had enough.
    stopped: bool,
}

impl Listener<'_, '_> {
    /// A plan of `program`; of a search that is not `told`, the observer learns only that it goes on. One that begins
    /// after the observer has had enough is not ended.
    fn plan(&mut self, program: Program, options: &Options, told: bool) -> Result<Plan, Diagnostics> {
        let (before, late) = (self.shown, self.stopped);
        search::best(program, options, &mut |now| {
            self.last = Progress { nodes: before.nodes + now.nodes, ..*now };
            let shown = if told { self.last } else { Progress { nodes: self.last.nodes, ..before } };
            self.stopped |= (self.observer)(&shown).is_break();
            if self.stopped && !late { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    }

    /// The last search found the best plan.
    fn adopt(&mut self) {
        self.shown = self.last;
        self.stopped |= (self.observer)(&self.shown).is_break();
    }

    /// The last search found nothing better.
    fn reject(&mut self) {
        self.shown.nodes = self.last.nodes;
        self.stopped |= (self.observer)(&self.shown).is_break();
    }
}

/// A step and the name of a variant.
type Change = (String, &'static str);

/// The fastest variants of those steps of `plan` that have others, those that gain the most first.
fn faster(plan: &Plan) -> Vec<Change> {
    let gain = |step: &Step| -> Option<(u64, Change)> {
        let now = step.variants.chosen()?.instructions;
        let Variant { name, instructions, .. } = step.variants.all.iter().min_by_key(|variant| variant.instructions)?;
        (*instructions < now).then(|| (now - instructions, (step.name.clone(), *name)))
    };
    let mut gains: Vec<(u64, Change)> = plan.program.steps.iter().filter_map(gain).collect();
    gains.sort_by_key(|(gain, _)| Reverse(*gain));
    gains.into_iter().map(|(_, change)| change).collect()
}

/// Smaller kernels for some steps.
struct Shrunk {
    changes: Vec<Change>,
    /// Bytes that no order of steps as that of the plan can save more.
    saved: usize,
    /// About how many instructions the network takes then.
    instructions: u64,
}

/// Smaller and smaller kernels for those steps of `plan` that need the most memory.
fn shrunk(plan: &Plan) -> Vec<Shrunk> {
    let Plan { program, order, .. } = plan;
    if program.steps.iter().all(|step| step.variants.all.is_empty()) {
        return Vec::new();
    }
    let uses = Uses::new(program, &plan.options, order);
    let mut needs = bounds::needs(program, order, &uses);
    needs.truncate(order.len());
    let all = needs.iter().copied().max().unwrap_or(0);
    let mut chosen: Vec<Option<&Variant>> = order.iter().map(|&step| program.steps[step].variants.chosen()).collect();
    let (mut changes, mut instructions) = (BTreeMap::new(), program.instructions());
    let mut found = Vec::new();
    while let Some(most) = needs.iter().copied().max() {
        for position in (0..needs.len()).filter(|position| needs[*position] == most).collect::<Vec<_>>() {
            let step = &program.steps[order[position]];
            let Some(now) = chosen[position] else { return found };
            let Some(smaller) = step.variants.smaller(now.bytes()) else { return found };
            needs[position] = most.saturating_sub(now.bytes() - smaller.bytes());
            instructions = (instructions + smaller.instructions).saturating_sub(now.instructions);
            chosen[position] = Some(smaller);
            changes.insert(step.name.clone(), smaller.name);
        }
        let most = needs.iter().copied().max().unwrap_or(0);
        let changes = changes.iter().map(|(step, name)| (step.clone(), *name)).collect();
        found.push(Shrunk { changes, saved: all - most, instructions });
    }
    found
}

/// The search for a choice.
struct Kernels<'a, 'o> {
    typed: &'a TypedModel,
    arch: Arch,
    options: &'a Options,
    listener: Listener<'a, 'o>,
    /// The most bytes that the arena may have.
    limit: usize,
    /// How many plans were made.
    trials: usize,
    /// What `best` has in place of the usual.
    choice: Choice,
    best: Plan,
}

impl Kernels<'_, '_> {
    /// Gives the steps that need the most memory smaller kernels if the plan costs less then.
    fn shrink(&mut self) -> Result<(), Diagnostics> {
        let limit = self.limit;
        // What misses the budget, then the arena times the instructions.
        let cost = |arena: usize, instructions| (arena.saturating_sub(limit), Prefer::Size.cost(arena, instructions));
        let arena = self.best.arena_bytes;
        let now = cost(arena, self.best.program.instructions());
        let hoped = |shrunk: &Shrunk| cost(arena.saturating_sub(shrunk.saved), shrunk.instructions);
        let mut found = shrunk(&self.best);
        found.retain(|shrunk| hoped(shrunk) < now);
        found.sort_by_key(hoped);
        for Shrunk { changes, .. } in found.into_iter().take(SHRINKS) {
            let costs_less = |plan: &Plan| cost(plan.arena_bytes, plan.program.instructions()) < now;
            if self.listener.stopped || self.adopt(&changes, self.quick(), costs_less)? {
                break;
            }
        }
        Ok(())
    }

    /// Gives all steps their smallest variants, if that makes the arena smaller.
    fn shrink_all(&mut self) -> Result<(), Diagnostics> {
        let smallest = |step: &Step| Some((step.name.clone(), step.variants.smallest()?.name));
        let changes: Vec<Change> = self.best.program.steps.iter().filter_map(smallest).collect();
        if changes.is_empty() {
            return Ok(());
        }
        // A budget may be met even if there is no time left.
        let effort = if self.listener.stopped { self.quick() } else { self.options.effort };
        let arena = self.best.arena_bytes;
        self.adopt(&changes, effort, |plan| plan.arena_bytes < arena).map(|_| ())
    }

    /// The effort for a plan that is one of many.
    fn quick(&self) -> Effort {
        self.options.effort.min(Effort::Default)
    }

    /// Searches for the best plan as long as was asked for, if that was not done.
    fn search_as_asked(&mut self) -> Result<(), Diagnostics> {
        if self.best.options.effort >= self.options.effort || self.listener.stopped {
            return Ok(());
        }
        let arena = self.best.arena_bytes;
        self.adopt(&[], self.options.effort, |plan| plan.arena_bytes <= arena).map(|_| ())
    }

    /// Makes all `changes` for which the arena stays within the limit: all at once, or those of each half. Returns
    /// whether it were all; it is known before if they are `too_many`.
    fn speed_up(&mut self, changes: &[Change], too_many: bool) -> Result<bool, Diagnostics> {
        if changes.is_empty() || !too_many && self.attempt(changes)? {
            return Ok(true);
        }
        if changes.len() > 1 {
            let (first, second) = changes.split_at(changes.len() / 2);
            let all = self.speed_up(first, false)?;
            self.speed_up(second, all)?;
        }
        Ok(false)
    }

    /// Makes `changes` if the arena stays within the limit, unless enough was tried.
    fn attempt(&mut self, changes: &[Change]) -> Result<bool, Diagnostics> {
        if self.trials == TRIALS || self.listener.stopped {
            return Ok(false);
        }
        self.trials += 1;
        let limit = self.limit;
        self.adopt(changes, self.quick(), |plan| plan.arena_bytes <= limit)
    }

    /// Makes `changes` if the plan is `wanted` that a search with `effort` finds then. Returns whether it is.
    fn adopt(
        &mut self,
        changes: &[Change],
        effort: Effort,
        wanted: impl FnOnce(&Plan) -> bool,
    ) -> Result<bool, Diagnostics> {
        let mut choice = self.choice.clone();
        choice.extend(changes.iter().map(|(step, name)| (step.clone(), (*name).to_owned())));
        let program = lower_with(self.typed, self.arch, &choice)?;
        let options = Options { effort, ..self.options.clone() };
        let plan = self.listener.plan(program, &options, effort > Effort::Default)?;
        let wanted = wanted(&plan);
        if wanted {
            (self.choice, self.best) = (choice, plan);
            self.listener.adopt();
        } else {
            self.listener.reject();
        }
        Ok(wanted)
    }
}
