//! Expressions that stand for tensors.

use super::Lowering;
use super::integer::{Sort, describe};
use super::scope::{Binding, TENSOR};
use crate::ast::{Call, Expr, ExprKind, Ident};
use planner_core::diagnostic::{Diagnostic, Kind};
use planner_core::model::{Declared, TensorId};
use planner_core::source::Src;

/// What the tensors of an expression are to be called.
pub(super) struct Target {
    /// What the names of tensors on the way start with.
    pub(super) base: String,
    /// One a result.
    pub(super) slots: Vec<Slot>,
}

/// A name for a result.
pub(super) struct Slot {
    /// The name.
    pub(super) name: String,
    /// A statement of the module defines it, so that it keeps this name as it is.
    pub(super) own: bool,
    /// Where it stands.
    pub(super) src: Src,
    /// What is written of its type.
    pub(super) declared: Declared,
    /// Nobody has to read it.
    pub(super) may_be_unused: bool,
}

impl Target {
    /// A tensor on the way to `base`.
    fn between(base: &str, call: &Call) -> Self {
        let slot = Slot {
            name: format!("{base}_{}", call.name.name),
            own: false,
            src: call.name.src,
            declared: Declared { src: call.name.src, ..Declared::default() },
            may_be_unused: true,
        };
        Self { base: base.into(), slots: vec![slot] }
    }
}

impl<'a> Lowering<'a> {
    /// The tensors that `expr` defines.
    pub(super) fn results(&mut self, expr: &'a Expr, target: Target) -> Option<Vec<TensorId>> {
        self.nested(expr.src, |this| match &expr.kind {
            ExprKind::Call(call) => this.call(call, None, target),
            ExprKind::Chain { base, calls } => this.chain(base, calls, target),
            _ => {
                let binding = this.operand(expr, &target.base);
                let id = this.tensor(&binding, expr.src)?;
                this.alias(id, expr.src, target).map(|id| vec![id])
            }
        })
    }

    fn chain(&mut self, base: &'a Expr, calls: &'a [Call], target: Target) -> Option<Vec<TensorId>> {
        let (last, before) = calls.split_last()?;
        let mut receiver = (self.operand(base, &target.base), base.src);
        for call in before {
            let ids = self.call(call, Some(receiver), Target::between(&target.base, call));
            receiver = (first(ids), call.src);
        }
        self.call(last, Some(receiver), target)
    }

    /// What stands in an argument's place; tensors on the way are named after `base`.
    pub(super) fn operand(&mut self, expr: &'a Expr, base: &str) -> Binding {
        let missing = match &expr.kind {
            ExprKind::Name(name) => match self.scopes.get(name) {
                Some(binding) => return binding,
                None => self.unknown(name, expr.src, TENSOR),
            },
            ExprKind::Indexed { name, index } => {
                return self.indexed(name, index).map_or(Binding::Broken, Binding::Tensor);
            }
            ExprKind::Call(call) => {
                return first(self.results(expr, Target::between(base, call)));
            }
            ExprKind::Chain { calls, .. } => {
                let Some(last) = calls.last() else { return Binding::Broken };
                return first(self.results(expr, Target::between(base, last)));
            }
            ExprKind::Int(_) | ExprKind::Negative(_) | ExprKind::Binary { .. } => match self.sort(expr) {
                Sort::Int => return self.int(expr, "an argument").map_or(Binding::Broken, Binding::Size),
                Sort::Tensor => arithmetic(expr),
                Sort::Broken => return Binding::Broken,
            },
            ExprKind::Float(number) => Diagnostic::new(Kind::Syntax, expr.src, "expected a tensor")
                .got(number)
                .help(format!("name a tensor that holds it: `param k: f32[1] = splat({number});`")),
            _ => Diagnostic::new(Kind::Syntax, expr.src, "expected a tensor").got(describe(expr)),
        };
        self.report(missing);
        Binding::Broken
    }

    /// `binding` as a tensor.
    pub(super) fn tensor(&mut self, binding: &Binding, src: Src) -> Option<TensorId> {
        let error = Diagnostic::new(Kind::Syntax, src, "expected a tensor").got(binding.noun());
        match binding {
            Binding::Tensor(id) => Some(*id),
            Binding::Broken => None,
            Binding::Size(_) => self.fail(error.help("a named size is `const n = ..;`, an attribute is `name = n`")),
            Binding::Family(_) => self.fail(error.help("choose one of them: `w[0]`")),
        }
    }

    /// `w[i]`
    fn indexed(&mut self, name: &Ident, index: &Expr) -> Option<TensorId> {
        let family = match self.scopes.get(&name.name) {
            Some(Binding::Family(family)) => family,
            Some(Binding::Broken) => return None,
            Some(other) => {
                let message = format!("`{}` is {}, not a family of params", name.name, other.noun());
                return self.fail(
                    Diagnostic::new(Kind::Syntax, name.src, message)
                        .help("a part of a tensor is `slice(x, ..)`; a family is `param w[i in 0..3]: ..`"),
                );
            }
            None => {
                let error = self.unknown(&name.name, name.src, TENSOR);
                return self.fail(error);
            }
        };
        let value = self.int(index, "an index")?;
        let tensor = value
            .checked_sub(family.from)
            .and_then(|place| usize::try_from(place).ok())
            .and_then(|place| family.tensors.get(place));
        if let Some(tensor) = tensor {
            return *tensor;
        }
        let end = family.from.saturating_add(i64::try_from(family.tensors.len()).unwrap_or(i64::MAX));
        self.fail(
            Diagnostic::new(Kind::UnknownName, index.src, format!("there is no `{}[{value}]`", name.name))
                .wanted(format!("an index in {}..{end}", family.from)),
        )
    }
}

/// What to say of arithmetic with tensors.
fn arithmetic(expr: &Expr) -> Diagnostic {
    let error = |src, op: char| Diagnostic::new(Kind::Syntax, src, format!("tensors have no `{op}`"));
    match &expr.kind {
        ExprKind::Binary { op, op_src, .. } => error(*op_src, *op).help(match op {
            '+' => "write `add(a, b)`",
            '-' => "write `sub(a, b)`",
            '*' => "write `mul(a, b)`",
            _ => "write `mul(a, b)` with the reciprocal of `b`",
        }),
        _ => error(expr.src, '-').help("write `mul(x, m)` with `param m: f32[1] = splat(-1.0);`"),
    }
}

/// The one tensor of an expression on the way.
fn first(ids: Option<Vec<TensorId>>) -> Binding {
    ids.and_then(|ids| ids.first().copied()).map_or(Binding::Broken, Binding::Tensor)
}
