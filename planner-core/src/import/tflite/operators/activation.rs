//! Activations, on their own and fused into another operator.

use super::name;
use crate::diagnostic::Diagnostics;
use crate::dtype::DType;
use crate::import::tflite::graph::{Attr, Graph};
use crate::import::tflite::schema::Operator;
use crate::import::tflite::schema::options::{self, Activation};
use crate::model::TensorId;
use crate::ops::{self, AttrValue, Form};

/// A node of our operator `kind` whose result goes through `activation`: inside of it where it can, else by a node
/// more.
pub(super) fn fused(
    graph: &mut Graph<'_>,
    op: &Operator<'_>,
    kind: &'static str,
    args: &[TensorId],
    mut attrs: Vec<Attr>,
    activation: Activation,
) -> Result<(), Diagnostics> {
    match fuse(kind, activation) {
        Fusion::Inside(attr) => {
            attrs.extend(attr);
            graph.emit(op, kind, args, &attrs)
        }
        Fusion::After(act) => {
            let before = graph.step(op, kind, args, &attrs, graph.result_quant(op))?;
            graph.emit(op, act, &[before], &[])
        }
    }
}

/// As [`fused`], for a result on the way to that of `op`.
pub(super) fn fused_step(
    graph: &mut Graph<'_>,
    op: &Operator<'_>,
    kind: &'static str,
    args: &[TensorId],
    mut attrs: Vec<Attr>,
    activation: Activation,
) -> Result<TensorId, Diagnostics> {
    match fuse(kind, activation) {
        Fusion::Inside(attr) => {
            attrs.extend(attr);
            graph.step(op, kind, args, &attrs, graph.result_quant(op))
        }
        Fusion::After(act) => {
            let before = graph.step(op, kind, args, &attrs, graph.result_quant(op))?;
            graph.step(op, act, &[before], &[], graph.result_quant(op))
        }
    }
}

/// Where an activation takes place.
pub(super) enum Fusion {
    /// In the operator itself, by this attribute if any.
    Inside(Option<Attr>),
    /// In a node of this operator of ours.
    After(&'static str),
}

pub(super) fn fuse(kind: &str, activation: Activation) -> Fusion {
    let act = match activation {
        Activation::None => return Fusion::Inside(None),
        Activation::Relu => "relu",
        Activation::ReluN1To1 => "relu_n1_to_1",
        Activation::Relu6 => "relu6",
        Activation::Tanh => "tanh",
        Activation::SignBit => "sign_bit",
    };
    let spec = ops::find(kind).and_then(|operator| operator.signature().attrs.iter().find(|attr| attr.name == "act"));
    match spec.map(|spec| spec.form) {
        Some(Form::Choice(names)) if names.contains(&act) => Fusion::Inside(Some(("act", name(act)))),
        _ => Fusion::After(act),
    }
}

pub(super) fn leaky_relu(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let options: options::LeakyRelu = graph.options(op)?;
    let x = graph.read(op, 0)?;
    graph.emit(op, "leaky_relu", &[x], &[("alpha", AttrValue::Float(options.alpha))])
}

pub(super) fn gelu(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let options: options::Gelu = graph.options(op)?;
    let x = graph.read(op, 0)?;
    graph.emit(op, "gelu", &[x], &[("approximate", AttrValue::Bool(options.approximate))])
}

/// Over the last dimension.
pub(super) fn softmax(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let options: options::Softmax = graph.options(op)?;
    let x = graph.read(op, 0)?;
    let from = graph.ty(x).dtype;
    let widens = |to: DType| (from, to) == (DType::I8, DType::I16);
    if let Some(to) = graph.result_dtype(op).filter(|&to| to != from && !widens(to)) {
        return Err(graph.unsupported(format!("a softmax of {from} with a result of {to}")).wanted(from.name()).into());
    }
    graph.emit(op, "softmax", &[x], &[("beta", AttrValue::Float(options.beta))])
}

/// Over the last dimension.
pub(super) fn l2_normalization(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let options: options::L2Norm = graph.options(op)?;
    let x = graph.read(op, 0)?;
    fused(graph, op, "l2_normalize", &[x], Vec::new(), options.activation)
}
