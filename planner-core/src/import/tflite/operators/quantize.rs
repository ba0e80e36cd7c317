//! Between reals and integers.

use super::name;
use crate::diagnostic::Diagnostics;
use crate::dtype::DType;
use crate::import::tflite::graph::Graph;
use crate::import::tflite::schema::Operator;

/// From f32, or from another scale.
pub(super) fn quantize(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let x = graph.read(op, 0)?;
    if let [result] = op.outputs[..]
        && graph.is_given(result)
    {
        graph.alias(result, x);
        return Ok(());
    }
    let kind = if graph.ty(x).dtype == DType::F32 { "quantize" } else { "requantize" };
    graph.emit(op, kind, &[x], &[])
}

pub(super) fn dequantize(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let x = graph.read(op, 0)?;
    graph.emit(op, "dequantize", &[x], &[])
}

/// To the element type of the result, by i32 where neither it nor that of the argument is f32 or i32.
pub(super) fn cast(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let mut x = graph.read(op, 0)?;
    let from = graph.ty(x).dtype;
    let wide = |dtype: DType| matches!(dtype, DType::F32 | DType::I32);
    if !wide(from) && graph.result_dtype(op).is_some_and(|to| to != from && !wide(to)) {
        x = graph.step(op, "cast", &[x], &[("to", name("i32"))], None)?;
    }
    let to = op.outputs.first().map_or("f32", |&index| graph.subgraph.tensors[index].element.name());
    graph.emit(op, "cast", &[x], &[("to", name(to))])
}
