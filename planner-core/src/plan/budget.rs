//! The error of a plan that exceeds its budget.

use super::{Options, Plan};
use crate::diagnostic::{Diagnostic, Kind};

/// `plan`, if it fits.
pub(super) fn check(plan: Plan, options: &Options) -> Result<Plan, Diagnostic> {
    let Some((budget, src)) = options.budget.filter(|(budget, _)| plan.arena_bytes > *budget) else { return Ok(plan) };
    let message = format!("the plan needs {} bytes", plan.arena_bytes);
    Err(Diagnostic::new(Kind::Budget, src, message).got(format!("a budget of {budget} bytes")))
}
