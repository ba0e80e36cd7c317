//! Why a locked plan cannot be used.

use crate::arch::Arch;
use crate::diagnostic::{Diagnostic, Kind};
use crate::source::Src;
use crate::verify::Violation;
use std::fmt;

/// Why a locked plan cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LockError {
    /// The text does not follow its form, or ends early.
    Malformed {
        /// The line, from 1.
        line: usize,
        /// What stands there.
        got: String,
        /// What should stand there.
        wanted: String,
    },
    /// It is the plan of another network.
    Network {
        /// The name of the one that it is of.
        got: String,
        /// The name of this one.
        wanted: String,
    },
    /// The network, its rules of sharing or a switch has changed since.
    Stale {
        /// The hash of what it is the plan of.
        got: u64,
        /// The hash of what is there.
        wanted: u64,
    },
    /// It has no plan for this machine, which needs one of its own.
    Machine {
        /// The machines that it has plans for.
        got: Vec<String>,
        /// This one.
        wanted: Arch,
    },
    /// It names something that there is not, leaves something out or says it twice.
    Names {
        /// What is wrong.
        why: &'static str,
        /// The name.
        got: String,
    },
    /// A number of it is not what it must be.
    Number {
        /// The number.
        what: String,
        /// What it says.
        got: usize,
        /// What is right.
        wanted: String,
    },
    /// Its plan would lose bytes.
    Unsound(Violation),
    /// Its arena exceeds the budget.
    Budget(Box<Diagnostic>),
}

impl LockError {
    /// The same for people, about a file that is named at `src`.
    #[must_use]
    pub fn diagnostic(&self, src: Src) -> Diagnostic {
        let error = |message: &str| Diagnostic::new(Kind::Lock, src, message);
        match self {
            Self::Malformed { line, got, wanted } => {
                error(&format!("the locked plan is damaged: line {line}")).got(got).wanted(wanted)
            }
            Self::Network { got, wanted } => error("the locked plan is that of another network")
                .got(format!("a plan of `{got}`"))
                .wanted(format!("one of `{wanted}`")),
            Self::Stale { got, wanted } => error("the locked plan is stale: the network has changed since")
                .got(format!("a plan for {got:016x}"))
                .wanted(format!("one for {wanted:016x}"))
                .info("operators, shapes, attributes, rules of sharing and scratch count; weights only by the number of channels that are dead"),
            Self::Machine { got, wanted } => {
                let got = got.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
                error("the locked plan is not for this machine")
                    .got(if got.is_empty() { "no plan".to_owned() } else { format!("plans for {got}") })
                    .wanted(format!("one for `{}`", wanted.name()))
                    .info("kernels, their scratch and what they may overlap depend on the machine")
            }
            Self::Names { why, got } => error(&format!("the locked plan {why}")).got(format!("`{got}`")),
            Self::Number { what, got, wanted } => {
                error(&format!("the locked plan has a wrong number: {what}")).got(got.to_string()).wanted(wanted)
            }
            Self::Budget(error) => error.as_ref().clone(),
            Self::Unsound(violation) => error("the locked plan would lose bytes").info(violation.to_string()),
        }
    }
}

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.diagnostic(Src::default()).fmt(f)
    }
}

impl std::error::Error for LockError {}
