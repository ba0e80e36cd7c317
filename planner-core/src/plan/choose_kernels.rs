//! Which kernels steps get that could have several: the fastest that fit.

use super::search::unchecked;
use super::{Effort, Observer, Options, Plan, Prefer, budget};
use crate::arch::Arch;
use crate::diagnostic::Diagnostics;
use crate::model::TypedModel;
use crate::steps::{Step, lower_with};
use crate::variants::{Choice, Variant};
use std::cmp::Reverse;
use std::ops::ControlFlow;

/// Most plans that are made to choose.
const TRIALS: usize = 40;

/// Lowers a checked model to kernels of `arch` and plans it.
///
/// Steps that could have several kernels have their usual one. If the arena exceeds the budget, they get those with the
/// least scratch instead. Then as many as possible get faster ones, those that gain the most first, as long as the
/// arena stays within the budget where that was exceeded or [`Prefer::Speed`] is asked for, and else no larger than it
/// was.
///
/// # Errors
/// Those of [`lower_with`] and of [`plan`](super::plan).
pub fn plan_for(typed: &TypedModel, arch: Arch, options: &Options) -> Result<Plan, Diagnostics> {
    plan_for_observed(typed, arch, options, &mut |_| ControlFlow::Continue(()))
}

/// As [`plan_for`]; `observer` is told how far the search with the usual kernels is, and it ends with the best so far
/// when it breaks.
///
/// # Errors
/// As for [`plan_for`].
pub fn plan_for_observed(
    typed: &TypedModel,
    arch: Arch,
    options: &Options,
    observer: &mut Observer<'_>,
) -> Result<Plan, Diagnostics> {
    let usual = unchecked(lower_with(typed, arch, &Choice::new())?, options, observer)?;
    let budget = options.budget.map_or(usize::MAX, |(budget, _)| budget);
    let missed = usual.arena_bytes > budget;
    let limit = if missed || options.prefer == Prefer::Speed { budget } else { usual.arena_bytes };
    // They are many, and the arena that they may need is set.
    let effort = options.effort.min(Effort::Default);
    let options = &Options { effort, ..options.clone() };
    let mut kernels = Kernels { typed, arch, options, limit, trials: 0, choice: Choice::new(), best: usual };
    if missed {
        kernels.shrink()?;
    }
    if kernels.best.arena_bytes <= limit {
        let faster = faster(&kernels.best);
        kernels.speed_up(&faster, false)?;
    }
    budget::check(kernels.best, options).map_err(Diagnostics::from)
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

/// The search for a choice.
struct Kernels<'a> {
    typed: &'a TypedModel,
    arch: Arch,
    options: &'a Options,
    /// The most bytes that the arena may have.
    limit: usize,
    /// How many plans were made.
    trials: usize,
    /// What `best` has in place of the usual.
    choice: Choice,
    best: Plan,
}

impl Kernels<'_> {
    /// Gives all steps the variants with the least scratch, if that makes the arena smaller.
    fn shrink(&mut self) -> Result<(), Diagnostics> {
        let smallest = |step: &Step| Some((step.name.clone(), step.variants.smallest()?.name));
        let changes: Vec<Change> = self.best.program.steps.iter().filter_map(smallest).collect();
        if changes.is_empty() {
            return Ok(());
        }
        let below = self.best.arena_bytes - 1;
        self.adopt(&changes, below).map(|_| ())
    }

    /// Makes all `changes` for which the arena stays within the limit: all at once, or those of each half. Returns whether
    /// it were all; it is known before if they are `too_many`.
    fn speed_up(&mut self, changes: &[Change], too_many: bool) -> Result<bool, Diagnostics> {
        if changes.is_empty() || !too_many && self.adopt(changes, self.limit)? {
            return Ok(true);
        }
        if changes.len() > 1 {
            let (first, second) = changes.split_at(changes.len() / 2);
            let all = self.speed_up(first, false)?;
            self.speed_up(second, all)?;
        }
        Ok(false)
    }

    /// Makes `changes` if the arena has at most `limit` bytes then.
    fn adopt(&mut self, changes: &[Change], limit: usize) -> Result<bool, Diagnostics> {
        if self.trials == TRIALS {
            return Ok(false);
        }
        self.trials += 1;
        let mut choice = self.choice.clone();
        choice.extend(changes.iter().map(|(step, name)| (step.clone(), (*name).to_owned())));
        let program = lower_with(self.typed, self.arch, &choice)?;
        let plan = unchecked(program, self.options, &mut |_| ControlFlow::Continue(()))?;
        let fits = plan.arena_bytes <= limit;
        if fits {
            (self.choice, self.best) = (choice, plan);
        }
        Ok(fits)
    }
}
