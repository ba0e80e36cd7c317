//! Reductions over dimensions.

use super::ints;
use crate::diagnostic::Diagnostics;
use crate::import::tflite::graph::Graph;
use crate::import::tflite::schema::options;
use crate::import::tflite::schema::{ElementType, Operator};
use crate::ops::AttrValue;
use crate::shape::MAX_RANK;

/// Our operator `kind` over the axes of the second tensor.
pub(super) fn reduce(graph: &mut Graph<'_>, op: &Operator<'_>, kind: &'static str) -> Result<(), Diagnostics> {
    let options: options::Reducer = graph.options(op)?;
    let x = graph.read(op, 0)?;
    let axes = graph.ints(op, 1, "axes", MAX_RANK)?;
    graph.emit(op, kind, &[x], &[("axes", ints(axes)), ("keep_dims", AttrValue::Bool(options.keep_dims))])
}

pub(super) fn arg_max(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let options: options::ArgMax = graph.options(op)?;
    arg(graph, op, "arg_max", options.element)
}

pub(super) fn arg_min(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let options: options::ArgMin = graph.options(op)?;
    arg(graph, op, "arg_min", options.element)
}

fn arg(graph: &mut Graph<'_>, op: &Operator<'_>, kind: &'static str, element: ElementType) -> Result<(), Diagnostics> {
    if element != ElementType::I32 {
        return Err(graph
            .unsupported(format!("its indices are {element}"))
            .help("ask for i32: `output_type=tf.int32`")
            .into());
    }
    let x = graph.read(op, 0)?;
    let axis = graph.ints(op, 1, "axis", 1)?;
    graph.emit(op, kind, &[x], &[("axis", ints(axis))])
}

pub(super) fn cumsum(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let options: options::Cumsum = graph.options(op)?;
    let x = graph.read(op, 0)?;
    let axis = graph.ints(op, 1, "axis", 1)?;
    let attrs = [
        ("axis", ints(axis)),
        ("exclusive", AttrValue::Bool(options.exclusive)),
        ("reverse", AttrValue::Bool(options.reverse)),
    ];
    graph.emit(op, "cumsum", &[x], &attrs)
}
