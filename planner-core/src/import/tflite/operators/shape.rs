//! The same elements under other dimensions, or in another order.

use super::ints;
use crate::diagnostic::Diagnostics;
use crate::import::tflite::graph::Graph;
use crate::import::tflite::schema::Operator;
use crate::import::tflite::schema::options;
use crate::ops::AttrValue;
use crate::shape::MAX_RANK;

/// The dimensions are a constant, else an option.
pub(super) fn reshape(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let x = graph.read(op, 0)?;
    let mut dims = match op.inputs.get(1) {
        Some(Some(_)) => graph.ints(op, 1, "shape", MAX_RANK)?,
        _ => graph.options::<options::Reshape>(op)?.new_shape.into_iter().map(i64::from).collect(),
    };
    // Old converters write a scalar's dimensions so.
    if dims == [0] {
        dims.clear();
    }
    graph.emit_moved(op, "reshape", x, &[("shape", ints(dims))])
}

pub(super) fn squeeze(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let options: options::Squeeze = graph.options(op)?;
    let x = graph.read(op, 0)?;
    let axes: Vec<i64> = options.axes.into_iter().map(i64::from).collect();
    graph.emit_moved(op, "squeeze", x, &[("axes", ints(axes))])
}

pub(super) fn expand_dims(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let x = graph.read(op, 0)?;
    let axis = graph.ints(op, 1, "axis", 1)?;
    graph.emit_moved(op, "expand_dims", x, &[("axis", ints(axis))])
}

pub(super) fn space_to_depth(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let options: options::SpaceToDepth = graph.options(op)?;
    let x = graph.read(op, 0)?;
    graph.emit(op, "space_to_depth", &[x], &[("block", AttrValue::Int(options.block_size.into()))])
}

pub(super) fn depth_to_space(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let options: options::DepthToSpace = graph.options(op)?;
    let x = graph.read(op, 0)?;
    graph.emit(op, "depth_to_space", &[x], &[("block", AttrValue::Int(options.block_size.into()))])
}

/// Blocks of space become images of the batch, after padding.
pub(super) fn space_to_batch(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    blocks(graph, op, "space_to_batch", "paddings")
}

/// Images of the batch become blocks of space, which is cropped.
pub(super) fn batch_to_space(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    blocks(graph, op, "batch_to_space", "crops")
}

fn blocks(
    graph: &mut Graph<'_>,
    op: &Operator<'_>,
    kind: &'static str,
    sides: &'static str,
) -> Result<(), Diagnostics> {
    let x = graph.read(op, 0)?;
    let block = graph.ints(op, 1, "block", MAX_RANK)?;
    let amounts = graph.ints(op, 2, sides, 2 * MAX_RANK)?;
    graph.emit(op, kind, &[x], &[("block", ints(block)), (sides, ints(amounts))])
}

pub(super) fn transpose(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let x = graph.read(op, 0)?;
    let perm = graph.ints(op, 1, "permutation", MAX_RANK)?;
    let rank = i64::try_from(graph.ty(x).shape.rank()).unwrap_or(0);
    let perm: Vec<i64> = perm.into_iter().map(|axis| if axis < 0 { axis + rank } else { axis }).collect();
    graph.emit_moved(op, "transpose", x, &[("perm", ints(perm))])
}
