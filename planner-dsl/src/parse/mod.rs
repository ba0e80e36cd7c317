//! Tokens to a syntax tree.
//!
//! A statement that does not parse is skipped up to its `;`, so that all
//! syntax errors come at once, and the names it would have defined are kept.
//! syn gives up at the first error, so it reads what is Rust (attributes, paths,
//! literals) and a `Cursor` of our own the statements.

mod block;
mod cursor;
mod expr;
mod item;
mod keywords;
mod literal;
mod model_file;
mod plan;
mod rust;
mod ty;

pub(crate) use keywords::STATEMENTS;
pub use keywords::is_rust_keyword;

use crate::ast::{Ast, Body};
use crate::spans::Spans;
use block::{Block, Place};
use cursor::{Cursor, Result};
use planner_core::diagnostic::{Diagnostic, Diagnostics, Kind};
use proc_macro2::{Delimiter, TokenStream};
use quote::ToTokens;

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
pub fn parse(tokens: TokenStream) -> Parsed {
    let mut spans = Spans::default();
    let mut found = Diagnostics::default();
    let mut cursor = Cursor::new(tokens, &mut spans);
    let ast = match module(&mut cursor, &mut found) {
        Ok(ast) => Some(ast),
        Err(diagnostic) => {
            found.push(diagnostic);
            None
        }
    };
    Parsed { ast, spans, found }
}

fn module(cursor: &mut Cursor<'_>, found: &mut Diagnostics) -> Result<Ast> {
    let attrs = rust::attributes(cursor)?.iter().map(ToTokens::to_token_stream).collect();
    let vis = rust::visibility(cursor)?.into_token_stream();
    if !cursor.eat_word("mod") {
        return Err(cursor.expected("a module").help("write the network inside `pub mod name { .. }`"));
    }
    let name = cursor.name("the name of the module")?;
    let (plan, body) = if cursor.eat_punct("=") {
        let (plan, file) = model_file::model_file(cursor, found)?;
        (plan, Body::File(file))
    } else {
        let group = cursor.group(Delimiter::Brace, &format!("`{{` after `mod {}`", name.name))?;
        let Block { items, settings, .. } = block::block(&mut cursor.enter(&group)?, Place::Module, found);
        (settings, Body::Statements(items))
    };
    if !cursor.at_end() {
        let src = cursor.src();
        let error = Diagnostic::new(Kind::Syntax, src, "nothing may follow the module");
        found.push(error.help("each `graph!` holds one network"));
    }
    Ok(Ast { attrs, vis, name, plan, body, broken: !found.0.is_empty() })
}
