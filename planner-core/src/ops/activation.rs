//! Activations that an operator applies to its result before it is stored.

use super::{AttrSpec, AttrValue, Call, Form};
use crate::dtype::DType;
use crate::quant::Quant;
use std::borrow::Cow;

/// The attribute `act` of every operator that has one.
pub(super) const ACT: AttrSpec = AttrSpec {
    name: "act",
    form: Form::Choice(&["none", "relu", "relu6", "relu_n1_to_1"]),
    default: Some(AttrValue::Name(Cow::Borrowed("none"))),
    doc: "activation of the result",
};

/// The bounds that `act` puts on an f32 result.
pub(super) fn bounds_f32(call: &Call<'_>) -> [f32; 2] {
    match call.name("act") {
        Some("relu") => [0.0, f32::INFINITY],
        Some("relu6") => [0.0, 6.0],
        Some("relu_n1_to_1") => [-1.0, 1.0],
        _ => [f32::NEG_INFINITY, f32::INFINITY],
    }
}

/// The bounds that `act` puts on the integers of a result of `dtype`, as TFLite's `CalculateActivationRangeQuantized`.
pub(super) fn bounds(call: &Call<'_>, quant: &Quant, dtype: DType) -> [i32; 2] {
    bounds_f32(call).map(|bound| quantized(bound, quant, dtype))
}

/// `real` as an integer of `dtype` and `quant`.
#[allow(clippy::cast_possible_truncation, reason = "saturates")]
pub(super) fn quantized(real: f32, quant: &Quant, dtype: DType) -> i32 {
    let range = dtype.range().unwrap_or(0..=0);
    let steps = (real / quant.scale(0)).round() as i32;
    quant.zero_point().saturating_add(steps).clamp(*range.start(), *range.end())
}
