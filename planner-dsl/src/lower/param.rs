//! Params and where their elements come from.

use super::integer::describe;
use super::scope::{Binding, Family};
use super::{External, Lowering, elements, suggest};
use crate::ast::{Call, Expr, ExprKind, Ident, Param};
use crate::reserved::Role;
use planner_core::diagnostic::{Diagnostic, Kind};
use planner_core::dtype::DType;
use planner_core::model::{self, Data, Origin, TensorId, TensorType};
use planner_core::quant::Quant;
use planner_core::source::Src;
use proc_macro2::TokenStream;
use std::rc::Rc;

/// Largest constant of the user's crate, in bytes: the compiler folds them slowly.
const MAX_EXTERNAL: usize = 64 * 1024;

/// Most bytes that all params may have: more than any device holds, less than would stop the compiler.
const MAX_BYTES: usize = 1 << 28;

/// What a param can be made of.
const SOURCES: &str = "a file, the path of a constant array, `zeros`, `splat(value)` or `random(seed)`";

impl<'a> Lowering<'a> {
    pub(super) fn param(&mut self, item: &'a Param) {
        let binding = match &item.index {
            None => {
                let name = self.names.own(&item.name.name);
                self.single(item, name).map_or(Binding::Broken, Binding::Tensor)
            }
            Some(index) => match self.range(index) {
                Some((from, to)) => self.family(item, &index.name, from, to),
                None => Binding::Broken,
            },
        };
        self.define(&item.name, binding, false, Role::Inner);
    }

    fn family(&mut self, item: &'a Param, index: &Ident, from: i64, to: i64) -> Binding {
        let mut tensors = Vec::new();
        for i in from..to {
            if self.work(index.src).is_none() {
                return Binding::Broken;
            }
            self.scopes.push(&[], false);
            self.define(index, Binding::Size(i), false, Role::Inner);
            let name = self.names.fresh(&format!("{}_{i}", item.name.name).replace('-', "minus_"));
            tensors.push(self.single(item, name));
            self.scopes.pop();
        }
        Binding::Family(Rc::new(Family { from, tensors }))
    }

    /// One param.
    fn single(&mut self, item: &'a Param, name: String) -> Option<TensorId> {
        let (declared, complete) = self.complete(&item.ty, "a param");
        let ty = complete?;
        if !self.affords(item.ty.src, &ty) {
            return None;
        }
        // Without its elements, which has been said, its type still gives those of results to the stub.
        let data = self.data(&item.source, &name, &ty);
        let (data, placeholder) = data.unwrap_or_else(|| (Data::Bytes(vec![0; ty.bytes()].into()), false));
        let origin = Origin::Param(self.out.model.params.len());
        let tensor = self.source(name, item.name.src, declared, origin);
        self.out.model.params.push(model::Param { tensor, data, placeholder, src: item.source.src });
        Some(tensor)
    }

    /// All params and states together are not too large with one of type `ty`.
    pub(super) fn affords(&mut self, src: Src, ty: &TensorType) -> bool {
        self.param_bytes += ty.bytes();
        if self.param_bytes > MAX_BYTES {
            let message = format!("the params come to more than {} MiB", MAX_BYTES >> 20);
            self.report(Diagnostic::new(Kind::Param, src, message));
        }
        self.param_bytes <= MAX_BYTES
    }

    /// The elements of a param or state, and whether they are placeholders.
    pub(super) fn data(&mut self, source: &Expr, name: &str, ty: &TensorType) -> Option<(Data, bool)> {
        let bytes = |bytes: Vec<u8>| Some((Data::Bytes(bytes.into()), false));
        match &source.kind {
            ExprKind::File { .. } => self.file_bytes(source, ty).and_then(bytes),
            ExprKind::Path(path) => self.external(source, path.clone(), ty),
            ExprKind::Name(word) if word == "zeros" => bytes(zeros(ty)),
            // A constant is written in capitals, so a word without any is meant for one of the others.
            ExprKind::Name(word) if word.chars().any(char::is_uppercase) => {
                let ident = proc_macro2::Ident::new(word, self.spans.first(source.src));
                self.external(source, TokenStream::from(proc_macro2::TokenTree::Ident(ident)), ty)
            }
            ExprKind::Call(call) if call.name.name == "splat" => {
                let value = self.only_argument(call, "the value of each element")?;
                self.splat(value, ty).and_then(bytes)
            }
            ExprKind::Call(call) if call.name.name == "random" => {
                let seed = self.only_argument(call, "a seed")?;
                let seed = self.int(seed, "a seed")?;
                Some((Data::Bytes(elements::random(seed, name, ty).into()), true))
            }
            ExprKind::Name(word) => {
                let error = Diagnostic::new(Kind::UnknownName, source.src, format!("unknown source `{word}`"));
                self.fail(suggest(error.wanted(SOURCES), word, ["zeros", "splat", "random"]))
            }
            ExprKind::Call(Call { name, .. }) => {
                let error = Diagnostic::new(Kind::UnknownName, name.src, format!("unknown source `{}`", name.name));
                self.fail(suggest(error.wanted(SOURCES), &name.name, ["zeros", "splat", "random"]))
            }
            _ => self.fail(
                Diagnostic::new(Kind::Param, source.src, "this is no source of a param")
                    .got(describe(source))
                    .wanted(SOURCES),
            ),
        }
    }

    fn only_argument<'c>(&mut self, call: &'c Call, what: &str) -> Option<&'c Expr> {
        match (call.args.as_slice(), call.named.is_empty()) {
            ([arg], true) => Some(arg),
            _ => self.fail(Diagnostic::new(
                Kind::Arity,
                call.name.src,
                format!("`{}` takes {what} and nothing else", call.name.name),
            )),
        }
    }

    fn splat(&mut self, value: &Expr, ty: &TensorType) -> Option<Vec<u8>> {
        let error = |got: String| {
            Diagnostic::new(Kind::Param, value.src, "the value does not fit into the element type")
                .got(got)
                .wanted(ty.dtype.name())
        };
        let element = match ty.dtype {
            DType::F32 => {
                let number = self.number(value, "the value")?;
                if !number.is_finite() {
                    return self.fail(error(describe(value)));
                }
                number.to_le_bytes().to_vec()
            }
            integer => {
                let number = self.int(value, "the value")?;
                let range = match integer {
                    DType::I64 => i64::MIN..=i64::MAX,
                    DType::Bool => 0..=1,
                    other => {
                        let range = other.range().unwrap_or(i32::MIN..=i32::MAX);
                        i64::from(*range.start())..=i64::from(*range.end())
                    }
                };
                if !range.contains(&number) {
                    return self.fail(error(number.to_string()));
                }
                // Little-endian: the low bytes alone are the same number in fewer bits.
                number.to_le_bytes()[..integer.bytes()].to_vec()
            }
        };
        Some(element.repeat(ty.shape.elements()))
    }

    fn external(&mut self, source: &Expr, path: TokenStream, ty: &TensorType) -> Option<(Data, bool)> {
        if ty.bytes() > MAX_EXTERNAL {
            return self.fail(
                Diagnostic::new(Kind::Param, source.src, "the constant is too large to be folded by the compiler")
                    .got(format!("{} bytes", ty.bytes()))
                    .wanted(format!("at most {MAX_EXTERNAL} bytes"))
                    .help("write it to a file: `.npy`, `.safetensors` or raw `.bin`"),
            );
        }
        self.out.externals.push(External { path, ty: ty.clone(), src: source.src });
        Some((Data::External(self.out.externals.len() - 1), false))
    }
}

/// Elements that stand for 0.
fn zeros(ty: &TensorType) -> Vec<u8> {
    let zero = ty.quant.as_ref().filter(|quant| quant.axis().is_none()).map_or(0, Quant::zero_point);
    let element = zero.to_le_bytes().into_iter().chain([0; 4]).take(ty.dtype.bytes());
    let element: Vec<u8> = element.collect();
    element.repeat(ty.shape.elements())
}
