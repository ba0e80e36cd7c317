//! Proof that a plan loses no byte, independent of everything that made it.
//!
//! [`bytes`] runs the plan over an arena whose every byte is known by the value that it holds: each
//! argument must be found whole, whatever lies where. [`tables`] compares what the plan says of
//! itself with what its steps do.

mod bytes;
mod memory;
mod tables;
mod values;

pub use bytes::bytes;
pub use tables::tables;

use crate::planned::Plan;
use std::fmt;

/// Checks `plan`.
///
/// # Errors
/// The first violation.
pub fn verify(plan: &Plan) -> Result<(), Violation> {
    tables(plan)?;
    bytes(plan)
}

/// What is wrong with a plan. Tensors and steps are named as the user named them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// Bytes that a step or the caller needs hold something else.
    Damaged {
        /// The tensor that is needed.
        tensor: String,
        /// The step that needs it; `None` for the caller after the run.
        step: Option<String>,
        /// What holds the bytes instead; `None` if nothing has been written there.
        by: Option<String>,
    },
    /// Within one step, bytes are used twice and no rule allows it.
    Overlap {
        /// The step.
        step: String,
        /// What is written there.
        written: String,
        /// What else is there.
        other: String,
    },
    /// A tensor, or the scratch of a step, is not where it may be.
    Misplaced {
        /// The tensor or scratch.
        name: String,
        /// What is wrong with its place.
        why: &'static str,
    },
    /// A call is missing or repeated, or is spared by a rule that does not hold.
    Calls {
        /// The step.
        step: String,
        /// What is wrong.
        why: &'static str,
    },
    /// The plan says that something is dead when it is used, or says nothing of it.
    Lifetime {
        /// The tensor or buffer.
        name: String,
        /// A step at which it is in use.
        step: usize,
    },
    /// The arena's own numbers are wrong.
    Arena(&'static str),
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Damaged { tensor, step, by } => {
                let reader = step.as_ref().map_or("the caller".into(), |step| format!("step `{step}`"));
                match by {
                    Some(by) => write!(f, "{reader} reads `{tensor}`, but {by} has taken its bytes"),
                    None => write!(f, "{reader} reads `{tensor}`, but nothing has written all of it"),
                }
            }
            Self::Overlap { step, written, other } => {
                write!(f, "step `{step}` writes {written} over {other}, and no rule allows it")
            }
            Self::Misplaced { name, why } => write!(f, "{name} {why}"),
            Self::Calls { step, why } => write!(f, "step `{step}` {why}"),
            Self::Lifetime { name, step } => write!(f, "{name} is in use at step {step}, outside its lifetime"),
            Self::Arena(why) => write!(f, "the arena {why}"),
        }
    }
}

impl std::error::Error for Violation {}
