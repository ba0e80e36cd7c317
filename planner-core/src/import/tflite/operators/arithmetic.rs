//! Operators that work element by element.

use super::activation::fused;
use crate::diagnostic::Diagnostics;
use crate::dtype::DType;
use crate::import::tflite::constant::Constant;
use crate::import::tflite::graph::Graph;
use crate::import::tflite::schema::options::{self, Activation};
use crate::import::tflite::schema::{ElementType, Operator};

/// Our operator `kind` of one tensor, without attributes.
pub(super) fn unary(graph: &mut Graph<'_>, op: &Operator<'_>, kind: &'static str) -> Result<(), Diagnostics> {
    let x = graph.read(op, 0)?;
    graph.emit(op, kind, &[x], &[])
}

/// Our operator `kind` of two tensors that broadcast, without attributes.
pub(super) fn binary(graph: &mut Graph<'_>, op: &Operator<'_>, kind: &'static str) -> Result<(), Diagnostics> {
    activated(graph, op, kind, Activation::None)
}

/// Constant slopes of i8 under i16, as `TFLite` has them, become i16: without their zero point they are the same reals.
pub(super) fn prelu(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let x = graph.read(op, 0)?;
    let index = op.inputs.get(1).copied().flatten();
    let slopes = graph.constant(op, 1)?.filter(|constant| constant.element == ElementType::I8);
    let quantization = index.and_then(|index| graph.subgraph.tensors[index].quantization.clone());
    let (Some(index), Some(slopes), Some(mut quantization), DType::I16) =
        (index, slopes, quantization, graph.ty(x).dtype)
    else {
        return binary(graph, op, "prelu");
    };
    let zero_point = quantization.zero_points.first().copied().unwrap_or_default();
    let values: Vec<i64> =
        slopes.ints().unwrap_or_default().iter().map(|value| value.saturating_sub(zero_point)).collect();
    quantization.zero_points.fill(0);
    graph.charge(values.len() * 8)?;
    let Some(wide) = Constant::from_ints(ElementType::I16, slopes.dims, &values) else {
        return Err(graph.unsupported("the zero point of its slopes is out of range").into());
    };
    let slopes = graph.replace(index, Some(&quantization), &wide)?;
    graph.emit(op, "prelu", &[x, slopes], &[])
}

/// A choice between two tensors by a third.
pub(super) fn select(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let args = [graph.read(op, 0)?, graph.read(op, 1)?, graph.read(op, 2)?];
    graph.emit(op, "select", &args, &[])
}

pub(super) fn add(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let options: options::Add = graph.options(op)?;
    activated(graph, op, "add", options.activation)
}

pub(super) fn sub(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let options: options::Sub = graph.options(op)?;
    activated(graph, op, "sub", options.activation)
}

pub(super) fn mul(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let options: options::Mul = graph.options(op)?;
    activated(graph, op, "mul", options.activation)
}

pub(super) fn div(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let options: options::Div = graph.options(op)?;
    activated(graph, op, "div", options.activation)
}

fn activated(
    graph: &mut Graph<'_>,
    op: &Operator<'_>,
    kind: &'static str,
    activation: Activation,
) -> Result<(), Diagnostics> {
    let args = [graph.read(op, 0)?, graph.read(op, 1)?];
    fused(graph, op, kind, &args, Vec::new(), activation)
}
