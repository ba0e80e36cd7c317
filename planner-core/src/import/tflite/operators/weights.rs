//! The arguments of operators with weights.

use crate::diagnostic::{Diagnostic, Diagnostics, Kind};
use crate::dtype::DType;
use crate::import::tflite::constant::{Bytes, Constant};
use crate::import::tflite::graph::{Attr, Graph};
use crate::import::tflite::schema::{ElementType, Operator};
use crate::model::TensorId;
use crate::ops::AttrValue;
use std::sync::Arc;

/// Input, weights and perhaps a bias.
pub(super) fn filtered(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<Vec<TensorId>, Diagnostics> {
    let x = graph.read(op, 0)?;
    let mut args = vec![x];
    if let Some(mirrored) = mirrored(graph, op)? {
        args.extend(mirrored);
    } else {
        args.push(graph.read(op, 1)?);
        args.extend(graph.read_bias(op, 2)?);
    }
    check_bias(graph, op, args[0], args[1])?;
    Ok(args)
}

/// Whether `args` are an f32 input and i8 weights.
pub(super) fn is_hybrid(graph: &Graph<'_>, args: &[TensorId]) -> bool {
    (graph.ty(args[0]).dtype, graph.ty(args[1]).dtype) == (DType::F32, DType::I8)
}

/// The attribute that says whether the f32 input of `conv2d` is quantised with a zero point: if its i8 weights
/// have a scale for each channel.
pub(super) fn asymmetric(graph: &Graph<'_>, args: &[TensorId]) -> Attr {
    let per_channel = graph.ty(args[1]).quant.as_ref().is_some_and(|quant| quant.axis().is_some());
    ("asymmetric", AttrValue::Bool(is_hybrid(graph, args) && per_channel))
}

/// Refuses sums of another width than ours: those of `TFLite`'s default, and of i16 both, as the bias says.
pub(super) fn check_sums(graph: &Graph<'_>, op: &Operator<'_>, sums: ElementType) -> Result<(), Diagnostic> {
    let result = op.outputs.first().map(|&index| graph.subgraph.tensors[index].element);
    match sums {
        // Absent, the option reads as f32.
        ElementType::F32 | ElementType::I32 => Ok(()),
        ElementType::I64 if result == Some(ElementType::I16) => Ok(()),
        other => Err(graph.unsupported(format!("its sums are {other}; only i32 is supported"))),
    }
}

/// Weights and bias in place of some with negative scales: the channels of those are negated, scale and all.
///
/// A sum and its multiplier then both change their sign, and nothing that is computed from their product does.
fn mirrored(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<Option<Vec<TensorId>>, Diagnostic> {
    let Some(index) = op.inputs.get(1).copied().flatten() else { return Ok(None) };
    let tensor = &graph.subgraph.tensors[index];
    let Some(quantization) = tensor.quantization.as_ref().filter(|q| q.scales.iter().any(|scale| *scale < 0.0)) else {
        return Ok(None);
    };
    let Some(weights) = graph.constant(op, 1)?.filter(|constant| constant.element == ElementType::I8) else {
        return Ok(None);
    };
    let axis = usize::try_from(quantization.axis).unwrap_or(usize::MAX);
    let channels = quantization.scales.len();
    if channels > 1 && weights.dims.get(axis) != Some(&channels) {
        return Ok(None);
    }
    // Beside a dimension of zero others may be of any size.
    let run = weights.dims.iter().skip(axis.saturating_add(1)).fold(1usize, |run, &dim| run.saturating_mul(dim));
    let negative = |channel: usize| quantization.scales[channel % channels] < 0.0;
    graph.charge(weights.data.len())?;
    let data: Option<Arc<[u8]>> = weights
        .data
        .iter()
        .enumerate()
        .map(|(i, &byte)| {
            if negative(i / run.max(1)) { byte.cast_signed().checked_neg().map(i8::cast_unsigned) } else { Some(byte) }
        })
        .collect();
    let Some(data) = data else {
        return Err(graph.unsupported("its weights have a negative scale and hold -128, which has no opposite"));
    };
    let mut positive = quantization.clone();
    positive.scales.iter_mut().for_each(|scale| *scale = scale.abs());
    let mut args = vec![graph.replace(index, Some(&positive), &Constant { data: Bytes::Computed(data), ..weights })?];
    if let (Some(index), Some(bias)) = (op.inputs.get(2).copied().flatten(), graph.constant(op, 2)?) {
        let values = bias.ints().unwrap_or_default().into_iter().enumerate();
        let values: Vec<i64> =
            values.map(|(c, value)| if negative(c) { value.wrapping_neg() } else { value }).collect();
        let negated = Constant::from_ints(bias.element, bias.dims, &values).ok_or_else(|| {
            graph.unsupported("its bias is negated where weights have a negative scale, and overflows")
        })?;
        args.push(graph.replace(index, None, &negated)?);
    }
    Ok(Some(args))
}

/// A bias is added to products of input and weights, so its scale has to be the product of theirs.
///
/// The tolerance is that of `TFLite`, as is that the file's scale is not used beyond this.
fn check_bias(graph: &Graph<'_>, op: &Operator<'_>, x: TensorId, w: TensorId) -> Result<(), Diagnostic> {
    let Some(index) = op.inputs.get(2).copied().flatten() else { return Ok(()) };
    let (Some(bias), Some(out)) = (&graph.subgraph.tensors[index].quantization, graph.result_quant(op)) else {
        return Ok(());
    };
    let (Some(x), Some(w)) = (&graph.ty(x).quant, &graph.ty(w).quant) else { return Ok(()) };
    let tolerance = 0.02 * f64::from(out.scale(0));
    let agrees = |(channel, scale): (usize, &f32)| {
        (f64::from(x.scale(0)) * f64::from(w.scale(channel)) - f64::from(scale.abs())).abs() <= tolerance
    };
    if bias.zero_points.iter().all(|&zero| zero == 0) && bias.scales.iter().enumerate().all(agrees) {
        return Ok(());
    }
    Err(graph
        .error(Kind::Quantization, "the scale of its bias is not the product of those of its input and weights")
        .got(format!("{:?}, zero point {:?}", bias.scales[0], bias.zero_points[0]))
        .wanted(format!("{:?}, zero point 0", x.scale(0) * w.scale(0))))
}
