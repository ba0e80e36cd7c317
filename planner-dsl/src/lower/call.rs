//! Calls of operators.

use super::scope::Binding;
use super::value::Target;
use super::{Lowering, suggest};
use crate::ast::{Call, Expr, ExprKind, Ident};
use planner_core::diagnostic::{Diagnostic, Kind};
use planner_core::model::{Declared, Node, Origin, Tensor, TensorId};
use planner_core::ops::{self, Argument, Operator, Results};
use planner_core::source::Src;

impl<'a> Lowering<'a> {
    /// The results of `call` with what stands before its dot as the first argument.
    pub(super) fn call(
        &mut self,
        call: &'a Call,
        receiver: Option<(Binding, Src)>,
        target: Target,
    ) -> Option<Vec<TensorId>> {
        self.work(call.name.src)?;
        let mut args: Vec<(Binding, Src)> = receiver.into_iter().collect();
        for arg in &call.args {
            args.push((self.operand(arg, &target.base), arg.src));
        }
        if let Some(function) = self.functions.get_mut(call.name.name.as_str()) {
            function.used = true;
            let item = function.item?;
            return self.inline(item, call, args, target);
        }
        match ops::find(&call.name.name) {
            Some(op) => self.apply(op, call, &args, target),
            None => self.unknown_operator(&call.name),
        }
    }

    fn unknown_operator<T>(&mut self, name: &Ident) -> Option<T> {
        let message = format!("unknown operator `{}`", name.name);
        let error = Diagnostic::new(Kind::UnknownName, name.src, message);
        let blocks = self.functions.keys().copied();
        let names: Vec<&str> = ops::TABLE.iter().map(|op| op.signature().name).chain(blocks).collect();
        self.fail(suggest(error, &name.name, names))
    }

    fn apply(
        &mut self,
        op: &'static dyn Operator,
        call: &'a Call,
        args: &[(Binding, Src)],
        mut target: Target,
    ) -> Option<Vec<TensorId>> {
        let tensors: Vec<(Option<TensorId>, Src)> =
            args.iter().map(|(binding, src)| (self.argument(op, binding, *src), *src)).collect();
        let mut whole = tensors.iter().all(|(id, _)| id.is_some());
        let mut written: Vec<Argument> = Vec::new();
        let mut out = None;
        for (name, value) in &call.named {
            if let ExprKind::Type(ty) = &value.kind {
                let (declared, sound) = self.declared(ty);
                whole &= sound;
                if out.replace(declared).is_some() {
                    self.report(Diagnostic::new(Kind::DuplicateName, name.src, "`out` is given twice"));
                    whole = false;
                }
            } else if let Some(index) = op.signature().args.iter().position(|arg| arg.name == name.name) {
                self.named_tensor(op, index, name);
                whole = false;
            } else if let Some(value) = self.attribute_value(op, name, value) {
                written.push(value);
            } else {
                whole = false;
            }
        }
        // Arguments that are broken still count, so that only what is wrong besides is reported.
        let places: Vec<(TensorId, Src)> = tensors.iter().map(|(id, src)| (id.unwrap_or(TensorId(0)), *src)).collect();
        let node = match ops::bind(op, call.name.src, &places, &written) {
            Ok(node) => node,
            Err(found) => {
                // What is missing or too much may be what is broken.
                let news = |d: &Diagnostic| whole || (d.kind != Kind::Arity && d.src != call.name.src);
                for diagnostic in found.0.into_iter().filter(news) {
                    self.report(diagnostic);
                }
                return None;
            }
        };
        // The type of a state's new value is that of the state.
        if let Results::States(_) = op.signature().results {
            for slot in target.slots.iter_mut().skip(1) {
                slot.declared = Declared { src: slot.src, ..Declared::default() };
            }
        }
        if let Some(out) = out {
            self.declare_results(op, &mut target, &out)?;
        }
        if whole { self.add(node, target) } else { None }
    }

    /// An argument of an operator, which must be a tensor.
    fn argument(&mut self, op: &dyn Operator, binding: &Binding, src: Src) -> Option<TensorId> {
        if !matches!(binding, Binding::Size(_)) {
            return self.tensor(binding, src);
        }
        let signature = op.signature();
        let error = |message: &str| {
            Diagnostic::new(Kind::Arity, src, format!("`{}` takes {message}", signature.name)).got("an integer")
        };
        let names: Vec<String> = signature.attrs.iter().map(|attr| format!("`{} = ..`", attr.name)).collect();
        self.fail(match names.as_slice() {
            [] => error("tensors only"),
            [name] => error("its attribute by name").wanted(name),
            _ => error("attributes by name").wanted(format!("one of {}", names.join(", "))),
        })
    }

    /// `bias = b`
    fn named_tensor(&mut self, op: &dyn Operator, index: usize, name: &Ident) {
        let signature = op.signature();
        let names: Vec<&str> = signature.args[..=index].iter().map(|arg| arg.name).collect();
        let message = format!("`{}` of `{}` is a tensor, which has no name in a call", name.name, signature.name);
        let help = format!("write it in its place: `{}({})`", signature.name, names.join(", "));
        self.report(Diagnostic::new(Kind::Arity, name.src, message).help(help));
    }

    fn attribute_value(&mut self, op: &dyn Operator, name: &Ident, value: &Expr) -> Option<Argument> {
        let attribute = self.attribute(op, name, value)?;
        Some((name.name.clone(), name.src, attribute, value.src))
    }

    /// Joins `out = type` with what is written at the names of the results.
    fn declare_results(&mut self, op: &dyn Operator, target: &mut Target, out: &Declared) -> Option<()> {
        let declared = if let Results::States(_) = op.signature().results { 1 } else { target.slots.len() };
        for slot in target.slots.iter_mut().take(declared) {
            if slot.declared.dtype.is_some() {
                return self.fail(
                    Diagnostic::new(
                        Kind::DuplicateName,
                        out.src,
                        format!("the type of `{}` is written twice", slot.name),
                    )
                    .help("write it at the name or as `out`, not both"),
                );
            }
            slot.declared = out.clone();
        }
        Some(())
    }

    /// Adds `node` to the model, its results named as `target` says.
    fn add(&mut self, mut node: Node, target: Target) -> Option<Vec<TensorId>> {
        let signature = node.op.signature();
        let results = signature.result_count(&node.attrs);
        if results != target.slots.len() {
            let message = format!("`{}` defines {}", signature.name, super::count(results, "tensor"));
            let error = Diagnostic::new(Kind::Arity, node.src, message).got(super::count(target.slots.len(), "name"));
            return self.fail(match results {
                0 | 1 => error,
                2 => error.help("name both: `let (a, b) = ..;`"),
                _ => error.help("name each: `let (a, b, ..) = ..;`"),
            });
        }
        let model = &mut self.out.model;
        let index = model.nodes.len();
        for (result, slot) in target.slots.into_iter().enumerate() {
            node.results.push(TensorId(model.tensors.len()));
            model.tensors.push(Tensor {
                name: if slot.own { self.names.own(&slot.name) } else { self.names.fresh(&slot.name) },
                src: slot.src,
                declared: slot.declared,
                origin: Origin::Result { node: index, index: result },
                may_be_unused: slot.may_be_unused,
            });
        }
        let results = node.results.clone();
        model.nodes.push(node);
        Some(results)
    }
}
