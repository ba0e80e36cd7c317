//! The plan that a lock stands for.

use super::{Lock, LockError, LockedPlan, hash, rules};
use crate::arch::Arch;
use crate::layout::search::LIMIT;
use crate::options::{Layout, Options, Order};
use crate::plan::assemble::Candidate;
use crate::plan::search::{Best, Ordered, Placed, effective, finish};
use crate::plan::{Plan, budget};
use crate::planned::Rules;
use crate::steps::{Program, Sharing, Source};
use crate::uses::Uses;
use crate::variants::Choice;
use std::collections::BTreeMap;
use std::rc::Rc;

impl Lock {
    /// The plan of `program`, which is for `arch`, that this lock holds, proved as every plan is.
    ///
    /// Of `options` those count that say what a plan may be, its budget included; order, layout and effort do not. A
    /// plan made for another machine serves as well if it is one of the same program.
    ///
    /// # Errors
    /// See [`LockError`].
    pub fn plan(&self, program: Program, options: &Options, arch: Arch) -> Result<Plan, LockError> {
        match self.find(&program, options, arch) {
            Some(plan) => {
                // What another machine calls its kernels says nothing here.
                if plan.is_for(arch) {
                    plan.check_kernels(&program)?;
                }
                plan.plan(program, options)
            }
            None => Err(self.refusal(program, options, arch)),
        }
    }

    /// The plan that suits `program`, that of `arch` before others.
    #[must_use]
    pub fn find(&self, program: &Program, options: &Options, arch: Arch) -> Option<&LockedPlan> {
        let others = self.plans.iter().filter(|plan| !plan.is_for(arch));
        self.of(arch).into_iter().chain(others).find(|plan| plan.hash == plan.wanted(program, options))
    }

    /// The kernels that steps have in the plan that was made for `arch`, in place of their usual ones: the program that
    /// [`Lock::plan`] takes is lowered with them.
    #[must_use]
    pub fn kernels(&self, arch: Arch) -> Choice {
        self.of(arch).map(|plan| plan.kernels.clone()).unwrap_or_default()
    }

    /// The plan that was made for `arch`.
    fn of(&self, arch: Arch) -> Option<&LockedPlan> {
        self.plans.iter().find(|plan| plan.is_for(arch))
    }

    /// Why no plan suits `program`.
    fn refusal(&self, program: Program, options: &Options, arch: Arch) -> LockError {
        match self.of(arch) {
            _ if self.network != program.name => LockError::Network { got: self.network.clone(), wanted: program.name },
            Some(plan) => LockError::Stale { got: plan.hash, wanted: plan.wanted(&program, options) },
            None => {
                let got = self.plans.iter().flat_map(|plan| plan.machines.iter().cloned()).collect();
                LockError::Machine { got, wanted: arch }
            }
        }
    }
}

impl LockedPlan {
    fn is_for(&self, arch: Arch) -> bool {
        self.machines.iter().any(|machine| machine == arch.name())
    }

    /// The hash of `program` with `options` under this plan's layout.
    fn wanted(&self, program: &Program, options: &Options) -> u64 {
        let layout = called(&self.layout, Layout::ALL).unwrap_or(Layout::Auto);
        hash(program, &effective(&Options { layout, ..options.clone() }))
    }

    /// Whether the steps of `program` have the kernels that it names.
    fn check_kernels(&self, program: &Program) -> Result<(), LockError> {
        for (step, kernel) in &self.kernels {
            let Some(found) = program.steps.iter().find(|found| found.name == *step) else {
                return Err(names("has a kernel of a step that there is not", step));
            };
            if found.variants.unusual() != Some(kernel) {
                return Err(names("has a kernel that its step does not have", &format!("{kernel} {step}")));
            }
        }
        Ok(())
    }

    /// The plan of `program`, whose hash is that of this one.
    fn plan(&self, program: Program, options: &Options) -> Result<Plan, LockError> {
        let asked = options;
        let order = called(&self.order, Order::ALL).ok_or_else(|| names("has an unknown order", &self.order))?;
        let layout = called(&self.layout, Layout::ALL).ok_or_else(|| names("has an unknown layout", &self.layout))?;
        let options = &effective(&Options { order, layout, ..asked.clone() });
        let order = Ordered::new(&program, options, order, self.steps(&program)?);
        let rules = self.rules(&program, &order.uses)?;
        let candidate = Candidate::new(&program, options, &order.steps, &order.uses, &rules);
        let applied = rules::applied(&program, &candidate.resolved.applied);
        if let Some(rule) = self.sharing.iter().find(|rule| applied.binary_search(rule).is_err()) {
            return Err(names("shares what cannot share there", rule));
        }
        let offsets = self.offsets(&program, &candidate)?;
        let height = candidate.problem.height(&offsets);
        let placed = Placed { layout, offsets, height };
        let best = Best { order: Rc::new(order), candidate: Rc::new(candidate), placed };
        let plan = finish(program, options, best).map_err(LockError::Unsound)?;
        if plan.arena_bytes != self.arena {
            return Err(number("arena", self.arena, plan.arena_bytes.to_string()));
        }
        budget::check(plan, asked).map_err(|error| LockError::Budget(Box::new(error)))
    }

    /// The steps in order, each once, behind all that it needs.
    fn steps(&self, program: &Program) -> Result<Vec<usize>, LockError> {
        let indices: BTreeMap<&str, usize> = program.steps.iter().map(|step| step.name.as_str()).zip(0..).collect();
        let mut positions = vec![None; program.steps.len()];
        let mut order = Vec::with_capacity(program.steps.len());
        for name in &self.steps {
            let Some(&step) = indices.get(name.as_str()) else {
                return Err(names("has a step that there is not", name));
            };
            if positions[step].replace(order.len()).is_some() {
                return Err(names("has a step twice", name));
            }
            order.push(step);
        }
        if let Some(missing) = positions.iter().position(Option::is_none) {
            return Err(names("lacks a step", &program.steps[missing].name));
        }
        let mut written = vec![None; program.tensors.len()];
        for (step, at) in program.steps.iter().zip(&positions) {
            step.writes.iter().for_each(|result| written[result.0] = *at);
        }
        for ((step, waits), at) in program.steps.iter().zip(program.waits()).zip(&positions) {
            let reads = step.reads.iter().filter(|read| program.tensor(**read).source == Source::Step);
            let reads_early = reads.map(|read| written[read.0]).any(|written| written >= *at);
            if reads_early || waits.iter().any(|&before| positions[before] >= *at) {
                return Err(names("has a step before what it needs", &step.name));
            }
        }
        Ok(order)
    }

    /// The rules of sharing that it names.
    fn rules(&self, program: &Program, uses: &Uses) -> Result<Rules, LockError> {
        let mut rules: Rules = program.steps.iter().map(|step| vec![false; step.sharing.len()]).collect();
        let mut named: BTreeMap<String, Vec<(usize, usize)>> = BTreeMap::new();
        for (index, step) in program.steps.iter().enumerate() {
            for (rule, &sharing) in step.sharing.iter().enumerate() {
                // An update is spared without its rule if the value is in its place anyway.
                if uses.allowed[index][rule] || matches!(sharing, Sharing::Update { .. }) {
                    named.entry(rules::text(program, step, sharing)).or_default().push((index, rule));
                }
            }
        }
        for rule in &self.sharing {
            let places = named.get_mut(rule).ok_or_else(|| names("shares by a rule that there is not", rule))?;
            if places.is_empty() {
                return Err(names("shares by a rule twice", rule));
            }
            // Those of one name are of an argument that is read more than once.
            let (step, rule) = places.remove(0);
            rules[step][rule] = true;
        }
        Ok(rules)
    }

    /// The offset of each buffer of `candidate`.
    fn offsets(&self, program: &Program, candidate: &Candidate) -> Result<Vec<usize>, LockError> {
        if self.arena >= LIMIT {
            return Err(number("arena", self.arena, format!("less than {LIMIT}")));
        }
        let mut locked = BTreeMap::new();
        for buffer in &self.buffers {
            if locked.insert(buffer.name.as_str(), buffer).is_some() {
                return Err(names("has a buffer twice", &buffer.name));
            }
        }
        let mut offsets = Vec::with_capacity(candidate.problem.buffers.len());
        for (name, wanted) in candidate.names(program).iter().zip(&candidate.problem.buffers) {
            let Some(buffer) = locked.remove(name.as_str()) else { return Err(names("lacks a buffer", name)) };
            if buffer.size != wanted.size {
                return Err(number(&format!("size of buffer `{name}`"), buffer.size, wanted.size.to_string()));
            }
            let highest = self.arena.checked_sub(buffer.size).filter(|highest| buffer.offset <= *highest);
            if highest.is_none() || !buffer.offset.is_multiple_of(wanted.align) {
                let (align, arena) = (wanted.align, self.arena);
                let wanted = format!("a multiple of {align}, its buffer within the {arena} bytes of the arena");
                return Err(number(&format!("offset of buffer `{name}`"), buffer.offset, wanted));
            }
            offsets.push(buffer.offset);
        }
        match locked.keys().next() {
            Some(name) => Err(names("has a buffer that there is not", name)),
            None => Ok(offsets),
        }
    }
}

/// The one of `all` that is called `name`.
fn called<T, const N: usize>(name: &str, all: [(&'static str, T); N]) -> Option<T> {
    all.into_iter().find(|(other, _)| *other == name).map(|(_, value)| value)
}

fn names(why: &'static str, got: &str) -> LockError {
    LockError::Names { why, got: got.to_owned() }
}

fn number(what: &str, got: usize, wanted: String) -> LockError {
    LockError::Number { what: what.to_owned(), got, wanted }
}
