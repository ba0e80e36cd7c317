//! Types: `f32[1, 8]`, `i8[1, 8] q(0.5, -3)`, `i8 q(0.5, -3)`.

use super::cursor::{Cursor, Result};
use super::expr::{call, expr};
use crate::ast::{Expr, ExprKind, Type};
use proc_macro2::Delimiter;

/// What is written of a type.
pub(super) fn ty(cursor: &mut Cursor<'_>) -> Result<Type> {
    let start = cursor.position();
    let dtype = cursor.name("a type, such as `f32[1, 8]`")?;
    let dims = match cursor.eat_group(Delimiter::Bracket) {
        Some(group) => Some(cursor.enter(&group)?.list("]", expr)?),
        None => None,
    };
    let quant = if cursor.is_word("q") {
        let name = cursor.name("`q`")?;
        let group = cursor.group(Delimiter::Parenthesis, "`(scale, zero_point)` after `q`")?;
        Some(call(cursor, name, &group)?)
    } else {
        None
    };
    Ok(Type { dtype, dims, quant, src: cursor.src_since(start) })
}

/// A type as the value of `out`.
pub(super) fn as_expr(cursor: &mut Cursor<'_>) -> Result<Expr> {
    let ty = ty(cursor)?;
    let src = ty.src;
    Ok(Expr { kind: ExprKind::Type(Box::new(ty)), src })
}
