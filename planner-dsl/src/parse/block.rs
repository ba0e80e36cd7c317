//! Runs of statements, and what to do after one that does not parse.

use super::cursor::{Cursor, Result};
use super::expr::expr;
use super::item::{for_header, starts_statement, statement};
use super::{plan, rust};
use crate::ast::{Broken, Expr, Fn, Ident, Item, Setting};
use planner_core::diagnostic::{Diagnostic, Diagnostics, Kind};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;

/// Where statements stand, which decides what may be among them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In the module: everything.
    Module,
    /// In a `fn`: `const`, `let`, `state`, assignments, `for`, and a result.
    Fn,
    /// In a `for`: the same without a result.
    For,
}

/// What the statements of a block are.
#[derive(Default)]
pub(super) struct Block {
    pub(super) items: Vec<Item>,
    pub(super) settings: Vec<Setting>,
    pub(super) result: Option<Expr>,
}

/// All statements up to the end of the group, and all that do not parse.
pub(super) fn block(cursor: &mut Cursor<'_>, place: Place, found: &mut Diagnostics) -> Block {
    let mut block = Block::default();
    while !cursor.at_end() {
        if cursor.eat_punct(";") {
            continue;
        }
        let (start, whole) = (cursor.position(), block.items.len());
        let done = one(cursor, place, &mut block, found);
        let done = done.and_then(|needs_end| if needs_end { end(cursor, found) } else { Ok(()) });
        if let Err(diagnostic) = done {
            found.push(diagnostic);
            block.items.truncate(whole);
            let broken = skip(cursor, start);
            block.items.push(Item::Broken(broken));
        }
    }
    block
}

/// One statement; true if a `;` must follow.
fn one(cursor: &mut Cursor<'_>, place: Place, block: &mut Block, found: &mut Diagnostics) -> Result<bool> {
    let docs = docs(cursor)?;
    let Some(keyword) = cursor.word_at(0) else {
        if place == Place::Fn && !cursor.at_end() {
            block.result = Some(result(cursor)?);
            return Ok(false);
        }
        return Err(cursor.expected("a statement"));
    };
    match keyword.as_str() {
        "for" => {
            let mut item = for_header(cursor)?;
            let group = cursor.group(Delimiter::Brace, "`{` after the range")?;
            item.body = self::block(&mut cursor.enter(&group)?, Place::For, found).items;
            block.items.push(Item::For(item));
            return Ok(false);
        }
        "fn" | "plan" | "input" | "param" | "output" if place != Place::Module && starts_statement(cursor, 0) => {
            let src = cursor.src();
            let inside = if place == Place::Fn { "fn" } else { "for" };
            let error = Diagnostic::new(Kind::Syntax, src, format!("`{keyword}` cannot stand inside a `{inside}`"));
            return Err(match keyword.as_str() {
                "param" if place == Place::For => {
                    error.help("declare it outside, with an index: `param w[i in 0..3]: ..`")
                }
                "output" if place == Place::Fn => error.help("the block's last expression is its result"),
                _ => error.help("move it to the module"),
            });
        }
        "fn" => {
            let item = function(cursor, found)?;
            block.items.push(Item::Fn(item));
            return Ok(false);
        }
        "plan" if cursor.is_group_at(1, Delimiter::Brace) => {
            cursor.next();
            let group = cursor.group(Delimiter::Brace, "`{` after `plan`")?;
            let settings = plan::settings(&mut cursor.enter(&group)?, found);
            block.settings.extend(settings);
            return Ok(false);
        }
        _ => {}
    }
    let assigns = cursor.is_punct_at(1, "=") || cursor.is_punct_at(1, "<-");
    if place == Place::Fn && !assigns && !starts_statement(cursor, 0) {
        block.result = Some(result(cursor)?);
        return Ok(false);
    }
    let item = statement(cursor, &keyword, docs)?;
    block.items.push(item);
    Ok(true)
}

/// The last expression of a `fn`.
fn result(cursor: &mut Cursor<'_>) -> Result<Expr> {
    let result = expr(cursor)?;
    if cursor.is_punct(";") {
        let src = cursor.src();
        return Err(Diagnostic::new(Kind::Syntax, src, "the result of a `fn` has no `;`")
            .help("remove it, or give the value a name: `let name = ..;`"));
    }
    cursor.finish("`}` after the result")?;
    Ok(result)
}

fn function(cursor: &mut Cursor<'_>, found: &mut Diagnostics) -> Result<Fn> {
    cursor.next();
    let name = cursor.name("a name after `fn`")?;
    let group = cursor.group(Delimiter::Parenthesis, &format!("`(` after `{}`", name.name))?;
    let params = cursor.enter(&group)?.list(")", |cursor| {
        let name = cursor.name("the name of an argument")?;
        if cursor.is_punct(":") {
            return Err(cursor.expected("`,` or `)`").help("arguments have no type: each call gives them one"));
        }
        Ok(name)
    })?;
    let group = cursor.group(Delimiter::Brace, "`{` after the arguments")?;
    let before = found.0.len();
    let mut inner = cursor.enter(&group)?;
    let Block { items: body, result, .. } = block(&mut inner, Place::Fn, found);
    if result.is_none() && found.0.len() == before {
        found.push(inner.expected("the result of the block, an expression"));
    }
    Ok(Fn { name, params, body, result })
}

/// The `;` after a statement. Where the next statement follows at once, the one before it is still whole.
fn end(cursor: &mut Cursor<'_>, found: &mut Diagnostics) -> Result<()> {
    if cursor.eat_punct(";") {
        return Ok(());
    }
    if !cursor.at_end() && !starts_statement(cursor, 0) {
        return Err(cursor.expected("`;`"));
    }
    let next = cursor.word_at(0).map_or("the end".into(), |word| format!("`{word}`"));
    let src = cursor.src();
    found.push(Diagnostic::new(Kind::Syntax, src, format!("expected `;` before {next}")));
    Ok(())
}

/// Doc comments before a statement.
pub(super) fn docs(cursor: &mut Cursor<'_>) -> Result<TokenStream> {
    let attributes = rust::attributes(cursor)?;
    if let Some(other) = attributes.iter().find(|attribute| !attribute.path().is_ident("doc")) {
        let src = cursor.spans.add(other.pound_token.span);
        return Err(Diagnostic::new(Kind::Syntax, src, "only doc comments, `/// ..`, may stand before a statement"));
    }
    Ok(attributes.iter().map(ToTokens::to_token_stream).collect())
}

/// Moves past the rest of a statement that started at `start`, and says what it would have defined.
fn skip(cursor: &mut Cursor<'_>, start: usize) -> Broken {
    let stopped = cursor.position();
    if stopped == start {
        cursor.next();
    }
    while !cursor.at_end() && !cursor.eat_punct(";") && !starts_statement(cursor, 0) {
        let body = cursor.is_group(Delimiter::Brace);
        cursor.next();
        if body {
            break;
        }
    }
    let tokens = cursor.since(start).to_vec();
    defined(&tokens, cursor)
}

/// The keyword in the tokens of a statement, and the name or names right after it.
fn defined(tokens: &[TokenTree], cursor: &mut Cursor<'_>) -> Broken {
    let mut tokens = tokens.iter().peekable();
    while matches!(tokens.peek(), Some(TokenTree::Punct(punct)) if punct.as_char() == '#') {
        tokens.nth(1);
    }
    let Some(TokenTree::Ident(keyword)) = tokens.next() else { return Broken::default() };
    let pattern: TokenStream = match tokens.find(|token| !matches!(token, TokenTree::Ident(word) if word == "mut")) {
        Some(TokenTree::Group(group)) if keyword == "let" => group.stream(),
        Some(TokenTree::Ident(name)) => TokenTree::Ident(name.clone()).into(),
        _ => TokenStream::new(),
    };
    let names = pattern.into_iter().filter_map(|token| match token {
        TokenTree::Ident(name) if name != "_" => {
            Some(Ident { name: name.to_string(), src: cursor.spans.add(name.span()) })
        }
        _ => None,
    });
    Broken { names: names.collect(), keyword: keyword.to_string() }
}
