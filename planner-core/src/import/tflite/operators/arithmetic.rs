//! Operators that work element by element.

use super::activation::fused;
use crate::diagnostic::Diagnostics;
use crate::import::tflite::graph::Graph;
use crate::import::tflite::schema::Operator;
use crate::import::tflite::schema::options::{self, Activation};

/// Our operator `kind` of one tensor, without attributes.
pub(super) fn unary(graph: &mut Graph<'_>, op: &Operator<'_>, kind: &'static str) -> Result<(), Diagnostics> {
    let x = graph.read(op, 0)?;
    graph.emit(op, kind, &[x], &[])
}

/// Our operator `kind` of two tensors that broadcast, without attributes.
pub(super) fn binary(graph: &mut Graph<'_>, op: &Operator<'_>, kind: &'static str) -> Result<(), Diagnostics> {
    activated(graph, op, kind, Activation::None)
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
