//! Names that the generated interface needs for itself.

use crate::parse::is_rust_keyword;
use planner_core::diagnostic::{Diagnostic, Kind};
use planner_core::source::Src;

/// What a name is to become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A method of `Frame`, a parameter of `run` and, if it is borrowed, a field.
    Input,
    /// A method of `Outputs`.
    Output,
    /// A method of `Outputs` and of `Frame`.
    KeptOutput,
    /// The name of a `let`.
    Let,
    /// Another name inside the network.
    Inner,
}

/// Names that methods of `Frame` cannot have, and who has them.
const FRAME: [(&str, &str); 4] = [
    ("run", "`Frame::run` starts the network"),
    ("run_with", "`Frame::run_with` starts the network with an observer"),
    ("steps", "`Frame::steps` runs the network step by step"),
    ("outputs", "`Frame` has a method of this name"),
];

/// Names that only inputs cannot have.
const INPUT: [(&str, &str); 2] =
    [("arena", "`run` takes the arena under this name"), ("words", "`Outputs` has a field of this name")];

/// Whether no input or output of a model file may be called `name`.
pub(crate) fn is_reserved(name: &str) -> bool {
    is_rust_keyword(name) || FRAME.iter().chain(&INPUT).any(|(reserved, _)| *reserved == name)
}

/// Checks that `name` is free for `role`.
pub(crate) fn check(name: &str, role: Role, src: Src) -> Result<(), Diagnostic> {
    let taken: &[&[(&str, &str)]] = match role {
        Role::Input => &[&FRAME, &INPUT],
        Role::KeptOutput => &[&FRAME],
        Role::Output | Role::Let | Role::Inner => &[],
    };
    let reason = match taken.concat().into_iter().find(|(reserved, _)| *reserved == name) {
        Some((_, reason)) => reason,
        None if name.starts_with("__") => "names that start with `__` are those of generated code",
        None => return Ok(()),
    };
    Err(Diagnostic::new(Kind::ReservedName, src, format!("the name `{name}` is reserved")).info(reason))
}
