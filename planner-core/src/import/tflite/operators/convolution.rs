//! Convolutions. Filters keep the file's layout, OHWI.

use super::activation::fused;
use super::{ints, name};
use crate::diagnostic::{Diagnostic, Diagnostics, Kind};
use crate::import::tflite::graph::{Attr, Graph};
use crate::import::tflite::schema::Operator;
use crate::import::tflite::schema::options::{self, Padding};
use crate::model::TensorId;

pub(super) fn conv2d(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let options: options::Conv2d = graph.options(op)?;
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
        ("groups", crate::ops::AttrValue::Int(i64::try_from(groups).unwrap_or(i64::MAX))),
    ];
    fused(graph, op, "conv2d", &args, attrs, options.activation)
}

pub(super) fn depthwise_conv2d(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let options: options::DepthwiseConv2d = graph.options(op)?;
    let args = filtered(graph, op)?;
    let attrs =
        vec![("stride", ints(options.stride)), ("dilation", ints(options.dilation)), padding(options.padding)];
    fused(graph, op, "depthwise_conv2d", &args, attrs, options.activation)
}

/// The attribute for `padding`.
pub(super) fn padding(padding: Padding) -> Attr {
    ("padding", name(if padding == Padding::Same { "same" } else { "valid" }))
}

/// The arguments of an operator with an input, weights and perhaps a bias.
pub(super) fn filtered(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<Vec<TensorId>, Diagnostic> {
    let mut args = vec![graph.read(op, 0)?, graph.read(op, 1)?];
    if let Some(bias) = graph.read_optional(op, 2)? {
        check_bias(graph, op, args[0], args[1])?;
        args.push(bias);
    }
    Ok(args)
}

/// A bias is added to products of input and weights, so its scale has to be the product of theirs.
///
/// The tolerance is TFLite's, as is that the file's scale is not used beyond this.
fn check_bias(graph: &Graph<'_>, op: &Operator<'_>, x: TensorId, w: TensorId) -> Result<(), Diagnostic> {
    let Some(index) = op.inputs[2] else { return Ok(()) };
    let (Some(bias), Some(out)) = (&graph.subgraph.tensors[index].quantization, graph.result_quant(op)) else {
        return Ok(());
    };
    let (Some(x), Some(w)) = (&graph.ty(x).quant, &graph.ty(w).quant) else { return Ok(()) };
    let tolerance = 0.02 * f64::from(out.scale(0));
    let agrees = |(channel, scale): (usize, &f32)| {
        (f64::from(x.scale(0)) * f64::from(w.scale(channel)) - f64::from(*scale)).abs() <= tolerance
    };
    if bias.zero_points.iter().all(|&zero| zero == 0) && bias.scales.iter().enumerate().all(agrees) {
        return Ok(());
    }
    Err(graph
        .error(Kind::Quantization, "the scale of its bias is not the product of those of its input and weights")
        .got(format!("{:?}, zero points {:?}", &bias.scales[..bias.scales.len().min(4)], bias.zero_points.first()))
        .wanted(format!("{:?}.., zero points 0", x.scale(0) * w.scale(0))))
}
