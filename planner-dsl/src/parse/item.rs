//! Statements.

use super::cursor::{Cursor, Result};
use super::expr::expr;
use super::keywords::STATEMENTS;
use super::ty::ty;
use crate::ast::{Assign, Const, Expr, For, Ident, Index, Input, Item, Let, Output, Param, State, Update};
use planner_core::diagnostic::{Diagnostic, Kind, did_you_mean};
use planner_core::model::InputMode;
use proc_macro2::{Delimiter, TokenStream};

/// A statement at the cursor, whose first word is `keyword`; blocks with bodies are the caller's.
pub(super) fn statement(cursor: &mut Cursor<'_>, keyword: &str, docs: TokenStream) -> Result<Item> {
    if cursor.is_punct_at(1, "=") {
        return assign(cursor);
    }
    if cursor.is_punct_at(1, "<-") {
        return update(cursor);
    }
    match keyword {
        "const" => constant(cursor),
        "input" => input(cursor, docs),
        "param" => param(cursor),
        "let" => binding(cursor),
        "output" => output(cursor, docs),
        "state" => state(cursor),
        _ => Err(unknown(cursor, keyword)),
    }
}

fn unknown(cursor: &mut Cursor<'_>, word: &str) -> Diagnostic {
    let names: Vec<String> = STATEMENTS.iter().map(|name| format!("`{name}`")).collect();
    let error = cursor.expected("a statement").wanted(format!("one of {}", names.join(", ")));
    match did_you_mean(word, STATEMENTS) {
        Some(close) => error.help(format!("did you mean `{close}`?")),
        None if cursor.is_group_at(1, Delimiter::Parenthesis) || cursor.is_punct_at(1, ".") => {
            error.help("give the result a name: `let name = ..;`")
        }
        None => error,
    }
}

fn constant(cursor: &mut Cursor<'_>) -> Result<Item> {
    cursor.next();
    let name = cursor.name("a name after `const`")?;
    if cursor.is_punct(":") {
        return Err(cursor.expected("`=`").help("a named size is an integer and has no type"));
    }
    cursor.punct("=", "`=`")?;
    Ok(Item::Const(Const { name, value: expr(cursor)? }))
}

fn input(cursor: &mut Cursor<'_>, docs: TokenStream) -> Result<Item> {
    cursor.next();
    let name = cursor.name("a name after `input`")?;
    cursor.punct(":", &format!("`: type` after `{}`", name.name))?;
    let ty = ty(cursor)?;
    let mode = match cursor.word_at(0).as_deref() {
        Some("kept") => InputMode::Kept,
        Some("borrowed") => InputMode::Borrowed,
        Some(word) if !starts_statement(cursor, 0) => {
            let src = cursor.src();
            let error = Diagnostic::new(Kind::UnknownName, src, format!("an input cannot be `{word}`"))
                .wanted("`kept`, `borrowed` or nothing");
            return Err(match did_you_mean(word, ["kept", "borrowed"]) {
                Some(close) => error.help(format!("did you mean `{close}`?")),
                None => error,
            });
        }
        _ => InputMode::Plain,
    };
    if mode != InputMode::Plain {
        cursor.next();
    }
    Ok(Item::Input(Input { docs, name, ty, mode }))
}

fn param(cursor: &mut Cursor<'_>) -> Result<Item> {
    cursor.next();
    let name = cursor.name("a name after `param`")?;
    let index = match cursor.eat_group(Delimiter::Bracket) {
        Some(group) => {
            let mut inner = cursor.enter(&group)?;
            let index = index(&mut inner)?;
            inner.finish("`]`")?;
            Some(index)
        }
        None => None,
    };
    cursor.punct(":", &format!("`: type` after `{}`", name.name))?;
    let ty = ty(cursor)?;
    if !cursor.eat_punct("=") {
        return Err(cursor
            .expected("`= source` after the type")
            .wanted("a file, the path of a constant array, `zeros`, `splat(value)` or `random(seed)`"));
    }
    Ok(Item::Param(Param { name, index, ty, source: expr(cursor)? }))
}

fn state(cursor: &mut Cursor<'_>) -> Result<Item> {
    cursor.next();
    let name = cursor.name("a name after `state`")?;
    if cursor.is_group_at(0, Delimiter::Bracket) {
        let src = cursor.src();
        let error = Diagnostic::new(Kind::Syntax, src, "a state has no index");
        return Err(error.help("declare it inside the `for` or `fn` that uses it: each turn and each call has its own"));
    }
    cursor.punct(":", &format!("`: type` after `{}`", name.name))?;
    let ty = ty(cursor)?;
    if !cursor.eat_punct("=") {
        let error = cursor.expected("`= source` after the type");
        return Err(
            error.wanted("what the first run finds: `zeros`, `splat(value)`, a file or the path of a constant array")
        );
    }
    Ok(Item::State(State { name, ty, source: expr(cursor)? }))
}

/// `i in 0..n`
pub(super) fn index(cursor: &mut Cursor<'_>) -> Result<Index> {
    let name = cursor.name("a name and its range, `i in 0..n`")?;
    if !cursor.eat_word("in") {
        return Err(cursor.expected(&format!("`in` after `{}`", name.name)));
    }
    let from = expr(cursor)?;
    let dots = cursor.position();
    if cursor.eat_punct("..=") {
        let error = Diagnostic::new(Kind::Syntax, cursor.src_since(dots), "expected `..`").got("`..=`");
        return Err(error.help("a range ends before its last number: `0..3` is 0, 1, 2"));
    }
    cursor.punct("..", "`..`")?;
    Ok(Index { name, from, to: expr(cursor)? })
}

fn binding(cursor: &mut Cursor<'_>) -> Result<Item> {
    cursor.next();
    let mutable = cursor.eat_word("mut");
    let group = cursor.eat_group(Delimiter::Parenthesis);
    let tuple = group.is_some();
    let names = match group {
        Some(group) => cursor.enter(&group)?.list(")", name_or_nothing)?,
        None => vec![name_or_nothing(cursor)?],
    };
    let ty = if cursor.eat_punct(":") { Some(ty(cursor)?) } else { None };
    cursor.punct("=", "`=`")?;
    Ok(Item::Let(Let { mutable, names, tuple, ty, value: expr(cursor)? }))
}

fn name_or_nothing(cursor: &mut Cursor<'_>) -> Result<Option<Ident>> {
    if cursor.eat_word("_") { Ok(None) } else { cursor.name("a name").map(Some) }
}

fn assign(cursor: &mut Cursor<'_>) -> Result<Item> {
    let name = cursor.name("a name")?;
    cursor.punct("=", "`=`")?;
    Ok(Item::Assign(Assign { name, value: expr(cursor)? }))
}

fn update(cursor: &mut Cursor<'_>) -> Result<Item> {
    let name = cursor.name("a name")?;
    cursor.punct("<-", "`<-`")?;
    Ok(Item::Update(Update { name, value: expr(cursor)? }))
}

fn output(cursor: &mut Cursor<'_>, docs: TokenStream) -> Result<Item> {
    cursor.next();
    let name = cursor.name("a name after `output`")?;
    let ty = if cursor.eat_punct(":") { Some(ty(cursor)?) } else { None };
    let kept = cursor.eat_word("kept");
    let value: Option<Expr> = if cursor.eat_punct("=") { Some(expr(cursor)?) } else { None };
    if value.is_none() && !cursor.is_punct(";") && !cursor.at_end() && !starts_statement(cursor, 0) {
        return Err(cursor.expected("`:`, `kept`, `=` or `;`"));
    }
    Ok(Item::Output(Output { docs, name, ty, kept, value }))
}

/// `for i in 0..n`, without its body.
pub(super) fn for_header(cursor: &mut Cursor<'_>) -> Result<For> {
    cursor.next();
    Ok(For { index: index(cursor)?, body: Vec::new() })
}

/// A statement starts at the token `n` ahead.
pub(super) fn starts_statement(cursor: &Cursor<'_>, n: usize) -> bool {
    let Some(word) = cursor.word_at(n) else { return cursor.is_punct_at(n, "#") };
    match word.as_str() {
        "plan" => cursor.is_group_at(n + 1, Delimiter::Brace),
        "const" | "let" | "fn" | "for" => true,
        "input" | "param" | "output" | "state" => cursor.word_at(n + 1).is_some(),
        _ => false,
    }
}
