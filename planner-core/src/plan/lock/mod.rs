//! Plans as files, so that a long search is made once and reviewed.
//!
//! A line a fact, in this order, and a section for each plan:
//!
//! ```text
//! # What the file is and how it is made.
//! waterline lock 1
//! network digits
//!
//! machines portable dsp
//! hash 6a1f0c5e0e0c2f11
//! order optimal
//! layout exact
//! arena 2560
//! step h
//! step scores
//! kernel portable h
//! share scores over logits
//! buffer h 0 512
//! buffer scratch of h 512 64
//! end
//! ```
//!
//! Machines may have kernels of their own, with scratch and distances of their own, so that a network may need another
//! plan on each; where it does not, they share a section. Steps stand in the order of execution, those that became
//! views included; sharing and buffers are sorted, and so are kernels, those that steps have in place of their usual
//! ones. A buffer has the name of the tensor that founded it, its offset and its size. Empty lines and those that start
//! with `#` say nothing.

mod apply;
mod error;
mod hash;
mod read;
mod rules;

pub use error::LockError;
pub use hash::hash;

use super::Plan;
use crate::arch::Arch;
use crate::variants::Choice;
use std::fmt;

/// The first line that says something: the form of the file and its version.
const FORM: &str = "waterline lock 1";

/// The plans of one network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lock {
    /// The name of the network.
    pub network: String,
    /// The plans, by machine.
    pub plans: Vec<LockedPlan>,
}

/// A plan without its program: what [`Lock::plan`] needs to make it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockedPlan {
    /// The names of the machines that it was made for.
    pub machines: Vec<String>,
    /// The [`hash`] of program and options.
    pub hash: u64,
    /// How the order was found.
    pub order: String,
    /// How the offsets were found.
    pub layout: String,
    /// Bytes of the arena.
    pub arena: usize,
    /// The name of each step, in order.
    pub steps: Vec<String>,
    /// The kernels that steps have in place of their usual ones.
    pub kernels: Choice,
    /// The rules of sharing that are applied.
    pub sharing: Vec<String>,
    /// The buffers.
    pub buffers: Vec<LockedBuffer>,
}

/// A buffer of a [`LockedPlan`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LockedBuffer {
    /// The name of the tensor that founded it, or `scratch of` a step.
    pub name: String,
    /// Bytes from the arena's start.
    pub offset: usize,
    /// Size in bytes.
    pub size: usize,
}

impl Lock {
    /// No plans yet.
    #[must_use]
    pub fn new(network: &str) -> Self {
        Self { network: network.to_owned(), plans: Vec::new() }
    }

    /// Makes `plan` that of its machines, in the place of those that they had.
    pub fn insert(&mut self, plan: LockedPlan) {
        for other in &mut self.plans {
            other.machines.retain(|machine| !plan.machines.contains(machine));
        }
        self.plans.push(plan);
        self.plans.retain(|plan| !plan.machines.is_empty());
        // As machines are listed everywhere; those of other versions come last.
        let rank = |name: &String| Arch::ALL.iter().position(|arch| arch.name() == name).unwrap_or(usize::MAX);
        self.plans.iter_mut().for_each(|plan| plan.machines.sort_by_key(rank));
        self.plans.sort_by_key(|plan| rank(&plan.machines[0]));
    }
}

impl LockedPlan {
    /// `plan` for `machines`.
    #[must_use]
    pub fn new(plan: &Plan, machines: &[Arch]) -> Self {
        let Plan { program, options, .. } = plan;
        let buffer = |buffer: &super::Buffer| LockedBuffer {
            name: buffer.name.clone(),
            offset: buffer.offset,
            size: buffer.size,
        };
        let mut buffers: Vec<LockedBuffer> = plan.buffers.iter().map(buffer).collect();
        buffers.sort();
        let kernels =
            program.steps.iter().filter_map(|step| Some((step.name.clone(), step.variants.unusual()?.into())));
        Self {
            machines: machines.iter().map(|machine| machine.name().to_owned()).collect(),
            hash: hash(program, options),
            order: options.order.name().to_owned(),
            layout: options.layout.name().to_owned(),
            arena: plan.arena_bytes,
            steps: plan.order.iter().map(|&step| program.steps[step].name.clone()).collect(),
            kernels: kernels.collect(),
            sharing: rules::applied(program, &plan.applied),
            buffers,
        }
    }
}

impl fmt::Display for Lock {
    /// The text of the file, without a comment above it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{FORM}")?;
        writeln!(f, "network {}", self.network)?;
        self.plans.iter().try_for_each(|plan| write!(f, "\n{plan}"))
    }
}

impl fmt::Display for LockedPlan {
    /// A section of the file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "machines {}", self.machines.join(" "))?;
        writeln!(f, "hash {:016x}", self.hash)?;
        writeln!(f, "order {}", self.order)?;
        writeln!(f, "layout {}", self.layout)?;
        writeln!(f, "arena {}", self.arena)?;
        self.steps.iter().try_for_each(|step| writeln!(f, "step {step}"))?;
        self.kernels.iter().try_for_each(|(step, name)| writeln!(f, "kernel {name} {step}"))?;
        self.sharing.iter().try_for_each(|rule| writeln!(f, "share {rule}"))?;
        for LockedBuffer { name, offset, size } in &self.buffers {
            writeln!(f, "buffer {name} {offset} {size}")?;
        }
        writeln!(f, "end")
    }
}
