//! Names that the generated interface needs for itself.

use planner_core::diagnostic::{Diagnostic, Kind};
use planner_core::source::Src;

/// What a name is to become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A method of `Frame`, and a parameter of `run`.
    Input,
    /// A method of `Outputs`.
    Output,
    /// The name of a `let`.
    Let,
    /// Another name inside the network.
    Inner,
}

/// Names that inputs cannot have, and who has them.
const INPUTS: [(&str, &str); 4] = [
    ("run", "`Frame::run` starts the network"),
    ("run_with", "`Frame::run_with` starts the network with an observer"),
    ("steps", "`Frame::steps` runs the network step by step"),
    ("arena", "`run` takes the arena under this name"),
];

/// Checks that `name` is free for `role`.
pub(crate) fn check(name: &str, role: Role, src: Src) -> Result<(), Diagnostic> {
    let error = |reason: &str| {
        Err(Diagnostic::new(Kind::ReservedName, src, format!("the name `{name}` is reserved")).info(reason))
    };
    if name.starts_with("__") {
        return error("names that start with `__` are those of generated code");
    }
    match INPUTS.iter().find(|(reserved, _)| role == Role::Input && *reserved == name) {
        Some((_, reason)) => error(reason),
        None => Ok(()),
    }
}
