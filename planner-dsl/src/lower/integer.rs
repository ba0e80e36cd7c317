//! Integers that are known at compile time.

use super::Lowering;
use super::scope::{Binding, SIZE};
use crate::ast::{Expr, ExprKind, Index};
use planner_core::diagnostic::{Diagnostic, Kind};

impl Lowering<'_> {
    /// The value of `expr`, which `role` describes: "a dimension".
    pub(super) fn int(&mut self, expr: &Expr, role: &str) -> Option<i64> {
        match &expr.kind {
            ExprKind::Int(value) => Some(*value),
            ExprKind::Negative(inner) => {
                let value = self.int(inner, role)?.checked_neg();
                value.or_else(|| self.overflow(expr))
            }
            ExprKind::Binary { op, sides, .. } => {
                let [left, right] = sides.as_ref();
                // Both sides are looked at before giving up on one.
                let (left, divisor) = (self.int(left, role), self.int(right, role));
                let (left, divisor) = (left?, divisor?);
                if *op == '/' && divisor == 0 {
                    return self.fail(Diagnostic::new(Kind::Dimension, right.src, "division by zero"));
                }
                let value = match op {
                    '+' => left.checked_add(divisor),
                    '-' => left.checked_sub(divisor),
                    '*' => left.checked_mul(divisor),
                    _ => left.checked_div(divisor),
                };
                value.or_else(|| self.overflow(expr))
            }
            ExprKind::Name(name) => match self.scopes.get(name) {
                Some(Binding::Size(value)) => Some(value),
                Some(Binding::Broken) => None,
                Some(other) => self.fail(
                    Diagnostic::new(Kind::Syntax, expr.src, format!("{role} is an integer"))
                        .got(format!("`{name}`, {}", other.noun())),
                ),
                None => {
                    let error = self.unknown(name, expr.src, SIZE);
                    let error = if error.notes.is_empty() {
                        error.help(format!("define it: `const {name} = ..;`"))
                    } else {
                        error
                    };
                    self.fail(error)
                }
            },
            _ => {
                self.fail(Diagnostic::new(Kind::Syntax, expr.src, format!("{role} is an integer")).got(describe(expr)))
            }
        }
    }

    fn overflow(&mut self, expr: &Expr) -> Option<i64> {
        self.fail(Diagnostic::new(Kind::Dimension, expr.src, "the integer does not fit into 64 bits"))
    }

    /// The integers that `index` runs over, as the first and the number after the last.
    pub(super) fn range(&mut self, index: &Index) -> Option<(i64, i64)> {
        let (from, to) = (self.int(&index.from, "the start of a range"), self.int(&index.to, "the end of a range"));
        let (from, to) = (from?, to?);
        if from > to {
            return self.fail(
                Diagnostic::new(Kind::Dimension, index.to.src, "the range ends before it starts")
                    .got(format!("{from}..{to}")),
            );
        }
        Some((from, to))
    }

    /// What `expr` is meant to be, as far as its names tell.
    pub(super) fn sort(&self, expr: &Expr) -> Sort {
        match &expr.kind {
            ExprKind::Negative(inner) => self.sort(inner),
            ExprKind::Binary { sides, .. } => {
                let [left, right] = [&sides[0], &sides[1]].map(|side| self.sort(side));
                left.max(right)
            }
            ExprKind::Name(name) => match self.scopes.get(name) {
                Some(Binding::Broken) => Sort::Broken,
                Some(Binding::Tensor(_) | Binding::Family(_)) => Sort::Tensor,
                Some(Binding::Size(_)) | None => Sort::Int,
            },
            ExprKind::Indexed { .. } | ExprKind::Call(_) | ExprKind::Chain { .. } => Sort::Tensor,
            _ => Sort::Int,
        }
    }
}

/// What an expression is meant to be. The greatest of its parts decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sort {
    /// An integer.
    Int,
    /// A tensor.
    Tensor,
    /// Part of it has been reported.
    Broken,
}

/// What stands there instead, in a message.
pub(super) fn describe(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Name(name) => format!("`{name}`"),
        ExprKind::Int(value) => format!("{value}"),
        ExprKind::Float(text) => text.clone(),
        ExprKind::Bool(value) => format!("`{value}`"),
        ExprKind::File { key: None, .. } => "a string".into(),
        ExprKind::File { .. } => "a tensor of a file".into(),
        ExprKind::Path(path) => format!("the path `{}`", path.to_string().replace(' ', "")),
        ExprKind::List(_) => "a list".into(),
        ExprKind::Negative(inner) => format!("-{}", describe(inner)),
        ExprKind::Binary { .. } => "an expression".into(),
        ExprKind::Indexed { name, .. } => format!("`{}[..]`", name.name),
        ExprKind::Call(call) => format!("`{}(..)`", call.name.name),
        ExprKind::Chain { calls, .. } => {
            calls.last().map_or(String::new(), |call| format!("`..{}(..)`", call.name.name))
        }
        ExprKind::Type(_) => "a type".into(),
    }
}
