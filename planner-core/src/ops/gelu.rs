//! `gelu`: `x` times the share of a normal distribution below it.

use super::{AttrSpec, AttrValue, Call, Form, Lower, Lowered, Operator, Results, Signature, lut, unary};
use crate::diagnostic::Diagnostic;
use crate::error_function::erfc;
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct Gelu;

static SIGNATURE: Signature = Signature {
    name: "gelu",
    doc: "`x` times the share of a normal distribution below it.",
    args: unary::ARGS,
    attrs: &[AttrSpec {
        name: "approximate",
        form: Form::Bool,
        default: Some(AttrValue::Bool(false)),
        doc: "by `tanh`: `x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))`",
    }],
    results: Results::One,
};

impl Operator for Gelu {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        unary::free_symmetric(call)
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let approximate = lower.bool("approximate");
        let Some((from, to)) = lower.arg(0).quant.clone().zip(lower.result(0).quant.clone()) else {
            let kernel = if approximate { "gelu_tanh_f32" } else { "gelu_f32" };
            return Ok(unary::elementwise(lower, kernel, unary::pure()));
        };
        Ok(lut::real(lower, &from, &to, if approximate { by_tanh } else { exact }))
    }
}

#[allow(clippy::cast_possible_truncation, reason = "rounded once, to f32")]
fn exact(x: f32) -> f32 {
    0.5 * x * erfc(f64::from(x * -std::f32::consts::FRAC_1_SQRT_2)) as f32
}

#[allow(clippy::cast_possible_truncation, reason = "rounded once, to f32")]
fn by_tanh(x: f32) -> f32 {
    const SQRT_2_PI: f32 = std::f32::consts::FRAC_2_SQRT_PI * std::f32::consts::FRAC_1_SQRT_2;
    let inner = SQRT_2_PI * (x + 0.044_715 * x * x * x);
    0.5 * x * (1.0 + f64::from(inner).tanh() as f32)
}
