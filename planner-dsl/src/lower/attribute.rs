//! Values of attributes.

use super::Lowering;
use super::integer::describe;
use super::scope::Binding;
use crate::ast::{Expr, ExprKind, Ident};
use planner_core::diagnostic::{Diagnostic, Kind};
use planner_core::ops::{AttrValue, Form, Operator};

impl Lowering<'_> {
    /// The value of the attribute `name` of `op`, whose form and range the operator checks.
    pub(super) fn attribute(&mut self, op: &dyn Operator, name: &Ident, value: &Expr) -> Option<AttrValue> {
        let signature = op.signature();
        let form = signature.attr(&name.name).map(|index| signature.attrs[index].form);
        let role = format!("`{}`", name.name);
        match &value.kind {
            ExprKind::Bool(value) => Some(AttrValue::Bool(*value)),
            // A name is one of the attribute's own choices, or a named size.
            ExprKind::Name(word) if matches!(form, Some(Form::Choice(_) | Form::Padding | Form::Bool) | None) => {
                Some(AttrValue::Name(word.clone().into()))
            }
            ExprKind::Float(_) => self.number(value, &role).map(AttrValue::Float),
            ExprKind::Negative(inner) if matches!(inner.kind, ExprKind::Float(_)) => {
                self.number(value, &role).map(AttrValue::Float)
            }
            ExprKind::Int(_) | ExprKind::Negative(_) | ExprKind::Binary { .. } => {
                self.int(value, &role).map(AttrValue::Int)
            }
            ExprKind::Name(word) if !matches!(self.scopes.get(word), Some(Binding::Tensor(_) | Binding::Family(_))) => {
                self.int(value, &role).map(AttrValue::Int)
            }
            ExprKind::List(items) => {
                let role = format!("an element of `{}`", name.name);
                let items: Vec<Option<i64>> = items.iter().map(|item| self.int(item, &role)).collect();
                items.into_iter().collect::<Option<Vec<i64>>>().map(|items| AttrValue::Ints(items.into()))
            }
            _ => match form {
                Some(form) => {
                    let message = format!("attribute `{}` of `{}` has the wrong form", name.name, signature.name);
                    self.fail(
                        Diagnostic::new(Kind::Attribute, value.src, message)
                            .got(describe(value))
                            .wanted(form.to_string()),
                    )
                }
                // The operator has no such attribute and says so.
                None => Some(AttrValue::Bool(false)),
            },
        }
    }
}
