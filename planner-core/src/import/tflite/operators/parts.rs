//! Tensors put together and cut apart.

use super::activation::fused;
use super::{ints, name};
use crate::diagnostic::Diagnostics;
use crate::dtype::DType;
use crate::import::tflite::graph::Graph;
use crate::import::tflite::schema::Operator;
use crate::import::tflite::schema::options;
use crate::import::tflite::slice_lists::slice_lists;
use crate::ops::AttrValue;
use crate::shape::MAX_RANK;

/// Most parts of a list that is cut.
const MAX_PARTS: usize = 1024;

pub(super) fn concatenation(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let options: options::Concatenation = graph.options(op)?;
    let args = graph.read_all(op)?;
    fused(graph, op, "concat", &args, vec![("axis", ints([options.axis.into()]))], options.activation)
}

pub(super) fn pack(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let options: options::Pack = graph.options(op)?;
    let parts = graph.read_all(op)?;
    graph.emit(op, "pack", &parts, &[("axis", AttrValue::Int(options.axis.into()))])
}

pub(super) fn unpack(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let options: options::Unpack = graph.options(op)?;
    let x = graph.read(op, 0)?;
    let parts = i64::try_from(op.outputs.len()).unwrap_or(i64::MAX);
    graph.emit(op, "unpack", &[x], &[("parts", AttrValue::Int(parts)), ("axis", AttrValue::Int(options.axis.into()))])
}

/// The axis comes first, then the tensor.
pub(super) fn split(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let options: options::Split = graph.options(op)?;
    let axis = graph.ints(op, 0, "axis", 1)?;
    let x = graph.read(op, 1)?;
    graph.emit(op, "split", &[x], &[("parts", AttrValue::Int(options.parts.into())), ("axis", ints(axis))])
}

/// Parts of given sizes, one of which may be -1 for what is left.
pub(super) fn split_v(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let x = graph.read(op, 0)?;
    let mut sizes = graph.ints(op, 1, "list of sizes", MAX_PARTS)?;
    let axis = graph.ints(op, 2, "axis", 1)?;
    let shape = &graph.ty(x).shape;
    let index =
        axis.first().map_or(0, |&axis| if axis < 0 { axis + i64::try_from(shape.rank()).unwrap_or(0) } else { axis });
    let whole =
        usize::try_from(index).ok().and_then(|axis| shape.get(axis)).map_or(0, |&n| i64::try_from(n).unwrap_or(0));
    let given: i64 = sizes.iter().filter(|size| **size >= 0).fold(0, |sum, size| sum.saturating_add(*size));
    if let Some(open) = sizes.iter_mut().find(|size| **size == -1) {
        *open = whole - given;
    }
    graph.emit(op, "split", &[x], &[("parts", ints(sizes)), ("axis", ints(axis))])
}

pub(super) fn slice(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let x = graph.read(op, 0)?;
    let begin = graph.ints(op, 1, "beginning", MAX_RANK)?;
    let size = graph.ints(op, 2, "size", MAX_RANK)?;
    graph.emit_moved(op, "slice", x, &[("begin", ints(begin)), ("size", ints(size))])
}

/// Zeros around a tensor.
pub(super) fn pad(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let x = graph.read(op, 0)?;
    let paddings = graph.ints(op, 1, "list of paddings", 2 * MAX_RANK)?;
    graph.emit(op, "pad", &[x], &[("paddings", ints(paddings))])
}

/// As [`pad`], with another value than zero.
pub(super) fn pad_v2(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let x = graph.read(op, 0)?;
    let paddings = graph.ints(op, 1, "list of paddings", 2 * MAX_RANK)?;
    let value = graph.real(op, 2, "value")?;
    graph.emit(op, "pad", &[x], &[("paddings", ints(paddings)), ("value", AttrValue::Float(value))])
}

pub(super) fn mirror_pad(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let options: options::MirrorPad = graph.options(op)?;
    let x = graph.read(op, 0)?;
    let paddings = graph.ints(op, 1, "list of paddings", 2 * MAX_RANK)?;
    let mode = name(if options.symmetric { "symmetric" } else { "reflect" });
    graph.emit(op, "mirror_pad", &[x], &[("paddings", ints(paddings)), ("mode", mode)])
}

pub(super) fn tile(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    listed(graph, op, "tile", "repeats")
}

pub(super) fn broadcast_to(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    listed(graph, op, "broadcast_to", "shape")
}

pub(super) fn reverse(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    listed(graph, op, "reverse", "axes")
}

/// Our operator `kind` with a list of integers as its attribute `attr`.
fn listed(graph: &mut Graph<'_>, op: &Operator<'_>, kind: &'static str, attr: &'static str) -> Result<(), Diagnostics> {
    let x = graph.read(op, 0)?;
    let list = graph.ints(op, 1, attr, MAX_RANK)?;
    graph.emit(op, kind, &[x], &[(attr, ints(list))])
}

/// Parts along one dimension.
pub(super) fn gather(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let options: options::Gather = graph.options(op)?;
    let args = [graph.read(op, 0)?, graph.read(op, 1)?];
    let attrs =
        [("axis", AttrValue::Int(options.axis.into())), ("batch_dims", AttrValue::Int(options.batch_dims.into()))];
    graph.emit(op, "gather", &args, &attrs)
}

/// Rows of a table; the indices come first.
pub(super) fn embedding_lookup(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let (indices, table) = (graph.read(op, 0)?, graph.read(op, 1)?);
    if (graph.ty(table).dtype, graph.result_dtype(op)) == (DType::I8, Some(DType::F32)) {
        let quant = graph.ty(table).quant.clone();
        let rows = graph.step(op, "gather", &[table, indices], &[], quant)?;
        return graph.emit(op, "dequantize", &[rows], &[]);
    }
    graph.emit(op, "gather", &[table, indices], &[])
}

/// One number as often as the result has elements.
pub(super) fn fill(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let dims = graph.ints(op, 0, "shape", MAX_RANK)?;
    let value = graph.read(op, 1)?;
    graph.emit(op, "broadcast_to", &[value], &[("shape", ints(dims))])
}

/// Zero as often as the argument has elements.
pub(super) fn zeros_like(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let x = graph.read(op, 0)?;
    let dims: Vec<i64> = graph.ty(x).shape.iter().map(|&dim| i64::try_from(dim).unwrap_or(i64::MAX)).collect();
    let zero = graph.zero(op)?;
    graph.emit(op, "broadcast_to", &[zero], &[("shape", ints(dims))])
}

pub(super) fn strided_slice(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let x = graph.read(op, 0)?;
    let dims = graph.ty(x).shape.to_vec();
    let lists = slice_lists(graph, op, &dims)?;
    let entries = lists.entries();
    let attrs = [
        ("begin", ints(entries.begin)),
        ("end", ints(entries.end)),
        ("stride", ints(entries.stride)),
        ("begin_mask", AttrValue::Int(entries.begin_mask)),
        ("end_mask", AttrValue::Int(entries.end_mask)),
        ("ellipsis_mask", AttrValue::Int(entries.ellipsis_mask)),
        ("new_axis_mask", AttrValue::Int(entries.new_axis_mask)),
        ("shrink_axis_mask", AttrValue::Int(entries.shrink_axis_mask)),
    ];
    graph.emit_moved(op, "strided_slice", x, &attrs)
}
