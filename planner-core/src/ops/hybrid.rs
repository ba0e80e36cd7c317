//! Layers of f32 whose weights are i8: the argument is quantised when it is known.

use super::lead::Lead;
use super::weights::{BIAS, WEIGHTS};
use super::{AttrSpec, AttrValue, Call, Form, Lower, Lowered};
use crate::dtype::DType;
use crate::emit::{self, Operand, Struct, Value};
use crate::steps::Scratch;

/// The attribute `asymmetric`.
pub(super) const ASYMMETRIC: AttrSpec = AttrSpec {
    name: "asymmetric",
    form: Form::Bool,
    default: Some(AttrValue::Bool(false)),
    doc: "how an f32 argument of i8 weights is quantised while it runs: with a zero point",
};

/// Bytes of scratch before the integers, for each batch: a scale and a zero point.
const HEADER: usize = 8;

/// Whether an operator can be such a layer.
pub(super) fn is_known_to(call: &Call<'_>) -> bool {
    call.node.op.signature().attr(ASYMMETRIC.name).is_some()
}

/// Whether the weights of a layer of f32 are i8.
pub(super) fn is(call: &Call<'_>) -> bool {
    call.arg(0).dtype == DType::F32 && call.arg(WEIGHTS).dtype == DType::I8
}

/// The parameter structure `WeightsHybrid`; `sums` are those of the weights of each channel, if they are known.
pub(super) fn weights(lower: &mut Lower<'_>, scales: &[f32], sums: &[i32], result: Value) -> Value {
    let name = lower.static_name(WEIGHTS);
    let weights = Value::Slice(lower.weights(WEIGHTS));
    let scales = Value::Slice(lower.static_f32(format!("{name}_scales"), scales, true));
    let sums = if lower.bool("asymmetric") {
        Value::Slice(lower.static_i32(format!("{name}_sums"), sums, true))
    } else {
        Value::Empty
    };
    let bias = if lower.opt_arg(BIAS).is_some() { Value::Slice(lower.weights(BIAS)) } else { Value::Empty };
    let fields = vec![("weights", weights), ("scales", scales), ("sums", sums), ("bias", bias), ("result", result)];
    Value::Struct(Struct { name: "WeightsHybrid", fields })
}

/// Two calls: the argument, in `batches` that have a scale each, is quantised into scratch; `kernel` works on that.
pub(super) fn calls(
    lower: &Lower<'_>,
    batches: usize,
    (kernel, name): (&'static str, &'static str),
    [shape, layer]: [Value; 2],
    units: usize,
) -> Lowered {
    let elements = lower.arg(0).shape.elements();
    let fields = vec![
        ("batches", Value::size(batches)),
        ("size", Value::size(elements / batches)),
        ("asymmetric", Value::Bool(lower.bool("asymmetric"))),
    ];
    let dynamic = Struct { name: "Dynamic", fields };
    let x = ("x", Value::Struct(dynamic.clone()));
    let quantize = emit::Call {
        kernel: "quantize_dynamic_f32",
        params: dynamic,
        operands: vec![Operand::Read(0), Operand::Scratch],
        units: batches,
        elided_by: None,
    };
    let layer = emit::Call {
        kernel,
        params: Struct { name, fields: vec![("shape", shape), x, ("layer", layer)] },
        operands: vec![Operand::Scratch, Operand::Write(0)],
        units,
        elided_by: None,
    };
    Lowered {
        reads: vec![0],
        calls: vec![quantize, layer],
        scratch: Some(Scratch { bytes: batches * HEADER + elements, align: 1 }),
        ..Lowered::default()
    }
    // The argument is not read any more when the first result is written.
    .lead(0, Lead::new(lower, 0))
}
