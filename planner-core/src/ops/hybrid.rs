//! Layers of f32 whose weights are i8: the argument is quantised when it is known.

use super::folded::{Fold, folded};
use super::lead::Lead;
use super::weights::{BIAS, WEIGHTS};
use super::{AttrSpec, AttrValue, Call, Form, Lower, Lowered};
use crate::diagnostic::{Diagnostic, Kind};
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

/// Refuses the attribute where nothing is quantised.
///
/// # Errors
/// It is `true` in a layer that is no such one.
pub(super) fn check(call: &Call<'_>) -> Result<(), Diagnostic> {
    if !is_known_to(call) || !call.bool(ASYMMETRIC.name) || is(call) {
        return Ok(());
    }
    let error = call.attr_error(Kind::Attribute, ASYMMETRIC.name, "nothing is quantised while this layer runs");
    Err(error.got(format!("{} and {}", call.arg(0), call.arg(WEIGHTS))).wanted("f32 and i8 weights"))
}

/// The parameter structure `WeightsHybrid`; `sums` are those of the weights of each channel, or nothing.
pub(super) fn weights(lower: &mut Lower<'_>, scales: &[f32], sums: &[i32], result: Value) -> Value {
    let name = lower.static_name(WEIGHTS);
    let weights = Value::Slice(lower.weights(WEIGHTS));
    let scales = Value::Slice(lower.static_f32(format!("{name}_scales"), scales, true));
    let sums = match sums {
        [] => Value::Empty,
        _ => Value::Slice(lower.static_i32(format!("{name}_sums"), sums, true)),
    };
    let bias = if lower.opt_arg(BIAS).is_some() { Value::Slice(lower.weights(BIAS)) } else { Value::Empty };
    let fields = vec![("weights", weights), ("scales", scales), ("sums", sums), ("bias", bias), ("result", result)];
    Value::Struct(Struct { name: "WeightsHybrid", fields })
}

/// The sum of the weights at `place` for each of `channels`; empty where zero lies in the middle.
///
/// # Errors
/// As for [`folded`].
pub(super) fn sums(lower: &mut Lower<'_>, place: usize, channels: usize) -> Result<Value, Diagnostic> {
    if !lower.bool(ASYMMETRIC.name) {
        return Ok(Value::Empty);
    }
    folded(lower, Fold { weights: place, bias: None, zero_point: -1, channels })
}

/// The argument as integers, in scratch.
pub(super) struct Quantize {
    /// The call that puts it there.
    pub(super) call: emit::Call,
    /// The parameter structure `Dynamic`, for the call that works on it.
    pub(super) x: Value,
    /// The scratch.
    pub(super) scratch: Scratch,
}

/// The argument quantised in `batches` that have a scale each.
pub(super) fn quantize(lower: &Lower<'_>, batches: usize) -> Quantize {
    let elements = lower.arg(0).shape.elements();
    let fields = vec![
        ("batches", Value::size(batches)),
        ("size", Value::size(elements / batches)),
        ("asymmetric", Value::Bool(lower.bool(ASYMMETRIC.name))),
    ];
    let dynamic = Struct { name: "Dynamic", fields };
    let x = Value::Struct(dynamic.clone());
    let call = emit::Call {
        kernel: "quantize_dynamic_f32",
        params: dynamic,
        operands: vec![Operand::Read(0), Operand::Scratch],
        units: batches,
        elided_by: None,
    };
    Quantize { call, x, scratch: Scratch { bytes: batches * HEADER + elements, dtype: DType::I8 } }
}

/// Two calls: the argument, in `batches` that have a scale each, is quantised into scratch; `kernel` works on that.
pub(super) fn calls(
    lower: &Lower<'_>,
    batches: usize,
    (kernel, name): (&'static str, &'static str),
    [shape, layer]: [Value; 2],
    units: usize,
) -> Lowered {
    let Quantize { call, x, scratch } = quantize(lower, batches);
    let layer = emit::Call {
        kernel,
        params: Struct { name, fields: vec![("shape", shape), ("x", x), ("layer", layer)] },
        operands: vec![Operand::Scratch, Operand::Write(0)],
        units,
        elided_by: None,
    };
    Lowered { reads: vec![0], calls: vec![call, layer], scratch: Some(scratch), ..Lowered::default() }
        // The argument is not read any more when the first result is written.
        .lead(lower, 0, Lead::new(lower, 0))
}
