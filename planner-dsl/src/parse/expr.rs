//! Expressions: tensors, integers and values of attributes share one grammar.

use super::cursor::{Cursor, MAX_DEPTH, Result};
use super::literal::literal;
use super::{rust, ty};
use crate::ast::{Call, Expr, ExprKind, Ident};
use planner_core::diagnostic::{Diagnostic, Kind};
use planner_core::source::Src;
use proc_macro2::{Delimiter, Group, TokenTree};
use quote::ToTokens;

/// What stands where an expression is wanted, in messages.
const WANTED: &str = "an expression";

/// A sum of products.
pub(super) fn expr(cursor: &mut Cursor<'_>) -> Result<Expr> {
    binary(cursor, &['+', '-'], |cursor| binary(cursor, &['*', '/'], unary))
}

/// `a op b op c`, grouped from the left.
fn binary(cursor: &mut Cursor<'_>, ops: &[char], operand: impl Fn(&mut Cursor<'_>) -> Result<Expr>) -> Result<Expr> {
    let mut left = operand(cursor)?;
    let mut count = cursor.depth;
    while let Some(op) = peek_op(cursor, ops) {
        let op_src = cursor.src();
        count += 1;
        if count > MAX_DEPTH {
            return Err(too_deep(op_src));
        }
        cursor.next();
        let right = operand(cursor)?;
        let src = cursor.spans.join(left.src, right.src);
        left = Expr { kind: ExprKind::Binary { op, op_src, sides: Box::new([left, right]) }, src };
    }
    Ok(left)
}

fn peek_op(cursor: &Cursor<'_>, ops: &[char]) -> Option<char> {
    match cursor.peek() {
        Some(TokenTree::Punct(punct)) => ops.iter().copied().find(|op| *op == punct.as_char()),
        _ => None,
    }
}

fn too_deep(src: Src) -> Diagnostic {
    Diagnostic::new(Kind::Syntax, src, format!("nested deeper than {MAX_DEPTH} levels"))
}

fn unary(cursor: &mut Cursor<'_>) -> Result<Expr> {
    let start = cursor.position();
    if !cursor.is_punct("-") {
        return postfix(cursor);
    }
    let src = cursor.src();
    if cursor.depth == MAX_DEPTH {
        return Err(too_deep(src));
    }
    cursor.next();
    cursor.depth += 1;
    let operand = unary(cursor);
    cursor.depth -= 1;
    Ok(Expr { kind: ExprKind::Negative(Box::new(operand?)), src: cursor.src_since(start) })
}

/// A value and the calls chained to it.
fn postfix(cursor: &mut Cursor<'_>) -> Result<Expr> {
    let start = cursor.position();
    let base = primary(cursor)?;
    let mut calls = Vec::new();
    while cursor.is_punct(".") && !cursor.is_punct("..") {
        cursor.next();
        let name = cursor.name("the name of an operator or block after `.`")?;
        let group = cursor.group(Delimiter::Parenthesis, &format!("`(` after `.{}`", name.name))?;
        calls.push(call(cursor, name, &group)?);
    }
    if calls.is_empty() {
        return Ok(base);
    }
    Ok(Expr { kind: ExprKind::Chain { base: Box::new(base), calls }, src: cursor.src_since(start) })
}

fn primary(cursor: &mut Cursor<'_>) -> Result<Expr> {
    let start = cursor.position();
    let kind = if let Some(group) = cursor.eat_group(Delimiter::Parenthesis) {
        let mut inner = cursor.enter(&group)?;
        let expr = expr(&mut inner)?;
        inner.finish("`)`")?;
        return Ok(expr);
    } else if let Some(group) = cursor.eat_group(Delimiter::Bracket) {
        ExprKind::List(cursor.enter(&group)?.list("]", expr)?)
    } else if matches!(cursor.peek(), Some(TokenTree::Literal(_))) {
        literal(cursor, WANTED)?
    } else if starts_path(cursor) {
        ExprKind::Path(rust::path(cursor)?.into_token_stream())
    } else if cursor.is_word("true") || cursor.is_word("false") {
        let value = cursor.is_word("true");
        cursor.next();
        ExprKind::Bool(value)
    } else {
        let name = cursor.name(WANTED)?;
        if let Some(group) = cursor.eat_group(Delimiter::Parenthesis) {
            ExprKind::Call(call(cursor, name, &group)?)
        } else if let Some(group) = cursor.eat_group(Delimiter::Bracket) {
            let mut inner = cursor.enter(&group)?;
            let index = Box::new(expr(&mut inner)?);
            inner.finish("`]`")?;
            ExprKind::Indexed { name, index }
        } else {
            ExprKind::Name(name.name)
        }
    };
    Ok(Expr { kind, src: cursor.src_since(start) })
}

fn starts_path(cursor: &Cursor<'_>) -> bool {
    let root = ["crate", "self", "super", "Self", "$crate"].iter().any(|word| cursor.is_word(word));
    root || cursor.is_punct("::") || (cursor.word_at(0).is_some() && cursor.is_punct_at(1, "::"))
}

/// The call of `name` with the arguments in `group`, which has just been read.
pub(super) fn call(cursor: &mut Cursor<'_>, name: Ident, group: &Group) -> Result<Call> {
    let close = cursor.spans.add(group.span_close());
    let src = cursor.spans.join(name.src, close);
    let mut args = Vec::new();
    let mut named: Vec<(Ident, Expr)> = Vec::new();
    cursor.enter(group)?.list(")", |cursor| {
        if cursor.word_at(0).is_some() && cursor.is_punct_at(1, "=") {
            let name = cursor.name("the name of an attribute")?;
            cursor.next();
            let value = if name.name == "out" { ty::as_expr(cursor)? } else { expr(cursor)? };
            named.push((name, value));
            return Ok(());
        }
        let arg = expr(cursor)?;
        if let Some((first, _)) = named.first() {
            return Err(Diagnostic::new(Kind::Syntax, arg.src, "an argument without a name follows a named one")
                .help(format!("write it before `{} = ..`", first.name)));
        }
        args.push(arg);
        Ok(())
    })?;
    Ok(Call { name, args, named, src })
}
