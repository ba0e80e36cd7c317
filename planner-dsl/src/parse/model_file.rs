//! `"path" { .. }`: a network from a model file.

use super::block::docs;
use super::cursor::{Cursor, Result};
use super::expr::expr;
use super::plan;
use crate::ast::{Binding, Declaration, Ident, ModelFile, Port, Setting};
use planner_core::diagnostic::{Diagnostics, did_you_mean};
use planner_core::model::InputMode;
use planner_core::source::Src;
use proc_macro2::Delimiter;
use syn::Lit;

/// What may be said about a model file.
const STATEMENTS: [&str; 4] = ["plan", "bind", "input", "output"];

/// That an input or output is the file's integers.
const QUANTIZED: &str = "quantized";

/// What follows `mod name =`: the path, and what is said about the file, if anything is.
pub(super) fn model_file(cursor: &mut Cursor<'_>, found: &mut Diagnostics) -> Result<(Vec<Setting>, ModelFile)> {
    let src = cursor.src();
    let path = match cursor.literal() {
        Some(Lit::Str(path)) if path.suffix().is_empty() => path.value(),
        _ => return Err(cursor.expected("the path of a model file, a string")),
    };
    cursor.next();
    let mut file = ModelFile { path, src, bindings: Vec::new(), declarations: Vec::new() };
    let mut settings = Vec::new();
    if cursor.eat_punct(";") || cursor.at_end() {
        return Ok((settings, file));
    }
    let group = cursor.group(Delimiter::Brace, "`{` or `;` after the path")?;
    let mut inner = cursor.enter(&group)?;
    while !inner.at_end() {
        let start = inner.position();
        if let Err(diagnostic) = statement(&mut inner, &mut file, &mut settings, found) {
            found.push(diagnostic);
            skip(&mut inner, start);
        }
    }
    Ok((settings, file))
}

fn statement(
    cursor: &mut Cursor<'_>,
    file: &mut ModelFile,
    settings: &mut Vec<Setting>,
    found: &mut Diagnostics,
) -> Result<()> {
    let docs = docs(cursor)?;
    let word = cursor.word_at(0).unwrap_or_default();
    match word.as_str() {
        "plan" => {
            cursor.next();
            let group = cursor.group(Delimiter::Brace, "`{` after `plan`")?;
            settings.extend(plan::settings(&mut cursor.enter(&group)?, found));
            cursor.eat_punct(";");
            return Ok(());
        }
        "bind" => {
            cursor.next();
            let group = cursor.group(Delimiter::Parenthesis, "`(` after `bind`")?;
            file.bindings.extend(cursor.enter(&group)?.list(")", binding)?);
            cursor.eat_punct(";");
            return Ok(());
        }
        "input" => {
            let (name, quantized, mode) = port(cursor, &["kept", "borrowed"])?;
            let mode = match mode {
                None => InputMode::Plain,
                Some("kept") => InputMode::Kept,
                Some(_) => InputMode::Borrowed,
            };
            file.declarations.push(Declaration { docs, name, port: Port::Input(mode), quantized });
        }
        "output" => {
            let (name, quantized, mode) = port(cursor, &["kept"])?;
            let port = Port::Output { kept: mode.is_some() };
            file.declarations.push(Declaration { docs, name, port, quantized });
        }
        _ => {
            let names: Vec<String> = STATEMENTS.iter().map(|name| format!("`{name}`")).collect();
            let error = cursor.expected("a statement about the model file");
            let error = error.wanted(format!("one of {}", names.join(", ")));
            return Err(match did_you_mean(&word, STATEMENTS) {
                Some(close) => error.help(format!("did you mean `{close}`?")),
                None => error.help("the file defines everything else of the network"),
            });
        }
    }
    cursor.punct(";", "`;`")
}

/// `input name: quantized mode`, of which either may be left out, the mode one of `modes`.
fn port(cursor: &mut Cursor<'_>, modes: &[&'static str]) -> Result<(Ident, Option<Src>, Option<&'static str>)> {
    cursor.next();
    let name = cursor.name("the name of an input or output of the file")?;
    if !cursor.eat_punct(":") {
        return Ok((name, None, None));
    }
    let quantized = cursor.is_word(QUANTIZED).then(|| cursor.src());
    if quantized.is_some() {
        cursor.next();
        if cursor.is_punct(";") {
            return Ok((name, quantized, None));
        }
    }
    let mode = modes.iter().find(|mode| cursor.is_word(mode));
    let Some(mode) = mode else {
        let modes: Vec<&str> = modes.iter().copied().chain(quantized.is_none().then_some(QUANTIZED)).collect();
        let names: Vec<String> = modes.iter().map(|mode| format!("`{mode}`")).collect();
        let error = cursor.expected(&names.join(" or ")).info("the file defines the type");
        let word = cursor.word_at(0).unwrap_or_default();
        return Err(match did_you_mean(&word, modes.iter().copied()) {
            Some(close) => error.help(format!("did you mean `{close}`?")),
            None => error,
        });
    };
    cursor.next();
    Ok((name, quantized, Some(mode)))
}

/// `batch = size` or `input[dimension] = size`.
fn binding(cursor: &mut Cursor<'_>) -> Result<Binding> {
    let name = cursor.name("`batch` or the name of an input")?;
    let dimension = match cursor.eat_group(Delimiter::Bracket) {
        Some(group) => {
            let mut inner = cursor.enter(&group)?;
            let dimension = expr(&mut inner)?;
            inner.finish("`]`")?;
            Some(dimension)
        }
        None if name.name == "batch" => None,
        None => return Err(cursor.expected(&format!("`[dimension]` after `{}`", name.name))),
    };
    cursor.punct("=", "`= size`")?;
    Ok(Binding { name, dimension, size: expr(cursor)? })
}

/// Moves past the rest of a statement that started at `start`.
fn skip(cursor: &mut Cursor<'_>, start: usize) {
    if cursor.position() == start {
        cursor.next();
    }
    while !cursor.at_end() && !cursor.eat_punct(";") && !starts_statement(cursor) {
        cursor.next();
    }
}

fn starts_statement(cursor: &Cursor<'_>) -> bool {
    cursor.word_at(0).is_some_and(|word| STATEMENTS.contains(&word.as_str()))
}
