//! The finished plan: every step, every byte, proved.

mod assemble;
mod budget;
mod choose_kernels;
mod choose_sharing;
pub mod lock;
mod search;
mod watch;

pub use crate::planned::{Buffer, Plan};
pub use choose_kernels::{plan_for, plan_for_observed};
pub use search::MAX_ALIGN;
pub use watch::Observer;

use crate::diagnostic::Diagnostics;
use crate::options::Options;
use crate::steps::Program;
use std::ops::ControlFlow;

/// Plans `program`.
///
/// # Errors
/// [`Kind::Budget`](crate::diagnostic::Kind::Budget) if the arena exceeds the budget,
/// [`Kind::PlanOption`](crate::diagnostic::Kind::PlanOption) for an alignment that is no power of two or above
/// [`MAX_ALIGN`], [`Kind::Internal`](crate::diagnostic::Kind::Internal) if the plan fails its own verification.
pub fn plan(program: Program, options: &Options) -> Result<Plan, Diagnostics> {
    plan_observed(program, options, &mut |_| ControlFlow::Continue(()))
}

/// As [`plan`]; `observer` is told how far the search is, and it ends with the best so far when it breaks.
///
/// # Errors
/// As for [`plan`].
pub fn plan_observed(program: Program, options: &Options, observer: &mut Observer<'_>) -> Result<Plan, Diagnostics> {
    budget::check(search::best(program, options, observer)?, options).map_err(Diagnostics::from)
}
