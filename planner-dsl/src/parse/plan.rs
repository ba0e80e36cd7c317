//! The `plan` block.

use super::cursor::{Cursor, Result};
use super::expr::expr;
use super::literal;
use crate::ast::{Expr, ExprKind, Ident, Setting, SettingValue};
use planner_core::diagnostic::Diagnostics;
use proc_macro2::Delimiter;

/// The settings of a block. One that does not parse is skipped up to its comma.
pub(super) fn settings(cursor: &mut Cursor<'_>, found: &mut Diagnostics) -> Vec<Setting> {
    let mut settings = Vec::new();
    while !cursor.at_end() {
        match setting(cursor) {
            Ok(setting) => settings.push(setting),
            Err(diagnostic) => {
                found.push(diagnostic);
                while !cursor.at_end() && !cursor.is_punct(",") {
                    cursor.next();
                }
                cursor.eat_punct(",");
            }
        }
    }
    settings
}

fn setting(cursor: &mut Cursor<'_>) -> Result<Setting> {
    let name = cursor.name("the name of an option")?;
    cursor.punct("=", &format!("`=` after `{}`", name.name))?;
    let start = cursor.position();
    let value = match cursor.eat_group(Delimiter::Bracket) {
        Some(group) => SettingValue::List(cursor.enter(&group)?.list("]", quantity)?),
        None => quantity(cursor).map(|(value, unit)| SettingValue::One(value, unit))?,
    };
    let src = cursor.src_since(start);
    if !cursor.eat_punct(",") {
        cursor.finish("`,` or `}`")?;
    }
    Ok(Setting { name, value, src })
}

/// A value and its unit: `4 KiB` or `4KiB`.
fn quantity(cursor: &mut Cursor<'_>) -> Result<(Expr, Option<Ident>)> {
    if let Some((value, name)) = literal::quantity(cursor) {
        let src = cursor.src();
        cursor.next();
        return Ok((Expr { kind: ExprKind::Int(value), src }, Some(Ident { name, src })));
    }
    let value = expr(cursor)?;
    let unit = match cursor.word_at(0) {
        Some(_) => Some(cursor.name("a unit")?),
        None => None,
    };
    Ok((value, unit))
}
