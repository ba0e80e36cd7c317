//! Tokens to a syntax tree.

use crate::ast::Ast;
use crate::spans::Spans;
use planner_core::diagnostic::Diagnostics;
use proc_macro2::TokenStream;

/// A syntax tree and what is wrong with it.
#[derive(Debug)]
pub struct Parsed {
    /// The tree; statements that do not parse are [`Broken`](crate::ast::Broken). `None` without a module header.
    pub ast: Option<Ast>,
    /// Where everything stands.
    pub spans: Spans,
    /// All syntax errors.
    pub found: Diagnostics,
}

/// Parses the input of `graph!` as the user wrote it.
#[must_use]
pub fn parse(_tokens: TokenStream) -> Parsed {
    todo!()
}
