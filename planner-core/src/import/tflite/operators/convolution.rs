//! Convolutions. Filters keep the file's layout, OHWI.

use super::activation::fused;
use super::weights::{asymmetric, check_sums, filtered, is_hybrid};
use super::{ints, name};
use crate::diagnostic::Diagnostics;
use crate::import::tflite::graph::{Attr, Graph};
use crate::import::tflite::schema::Operator;
use crate::import::tflite::schema::options::{self, Padding};
use crate::model::TensorId;
use crate::ops::AttrValue;

pub(super) fn conv2d(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let options: options::Conv2d = graph.options(op)?;
    check_sums(graph, op, options.bias)?;
    let args = filtered(graph, op)?;
    // The schema has no number of groups: the filter's depth says how many channels each has.
    let depth = |id, rank| graph.ty(id).shape.get(rank).copied().filter(|_| graph.ty(id).shape.rank() == 4);
    let groups = match (depth(args[0], 3), depth(args[1], 3)) {
        (Some(channels), Some(each)) if channels % each == 0 => channels / each,
        _ => 1,
    };
    let attrs = vec![
        ("stride", ints(options.stride)),
        ("dilation", ints(options.dilation)),
        padding(options.padding),
        ("groups", AttrValue::Int(i64::try_from(groups).unwrap_or(i64::MAX))),
        asymmetric(graph, &args),
    ];
    fused(graph, op, "conv2d", &args, attrs, options.activation)
}

pub(super) fn depthwise_conv2d(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let options: options::DepthwiseConv2d = graph.options(op)?;
    let args = filtered(graph, op)?;
    let attrs = vec![
        ("stride", ints(options.stride)),
        ("dilation", ints(options.dilation)),
        padding(options.padding),
        dynamic(graph, &args),
    ];
    fused(graph, op, "depthwise_conv2d", &args, attrs, options.activation)
}

/// The size of the result comes first, then the filter, then the input.
pub(super) fn transpose_conv(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let options: options::TransposeConv = graph.options(op)?;
    check_sums(graph, op, options.bias)?;
    let size = graph.ints(op, 0, "size", 4)?;
    let (filter, x) = (graph.read(op, 1)?, graph.read(op, 2)?);
    let mut args = vec![x, filter];
    args.extend(graph.read_bias(op, 3)?);
    let attrs = vec![
        ("stride", ints(options.stride)),
        padding(options.padding),
        ("size", ints(size.get(1..3).unwrap_or_default())),
        dynamic(graph, &args),
    ];
    fused(graph, op, "transpose_conv2d", &args, attrs, options.activation)
}

/// The attribute that says whether an f32 input is quantised with a zero point: if its weights are i8, however many
/// scales they have.
fn dynamic(graph: &Graph<'_>, args: &[TensorId]) -> Attr {
    ("asymmetric", AttrValue::Bool(is_hybrid(graph, args)))
}

/// The attribute for `padding`.
pub(super) fn padding(padding: Padding) -> Attr {
    ("padding", name(if padding == Padding::Same { "same" } else { "valid" }))
}
