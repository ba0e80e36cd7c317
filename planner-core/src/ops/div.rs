//! `div`: the quotient of two tensors.

use super::broadcast::{self, arithmetic_f32, pairs, pairwise};
use super::{Call, Lower, Lowered, Operator, Results, Signature};
use crate::diagnostic::Diagnostic;
use crate::dtype::DType;
use crate::emit::{Struct, Value};
use crate::fixed_point::Multiplier;
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct Div;

static SIGNATURE: Signature = Signature {
    name: "div",
    doc: "`a / b`, broadcast; of i32 towards zero. An i8 or i32 `b` of zero gives no error: \
          the largest result of the sign of `a` in i8, 0 in i32.",
    args: broadcast::NARROW_ARGS,
    attrs: broadcast::ATTRS,
    results: Results::One,
};

impl Operator for Div {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        call.want_dtype(0, &[DType::F32, DType::I8, DType::I32])?;
        broadcast::declared(call)
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let Some(quant) = &lower.result(0).quant else {
            return Ok(if lower.arg(0).dtype == DType::I32 {
                pairwise(lower, "div_i32", pairs(lower))
            } else {
                pairwise(lower, "div_f32", arithmetic_f32(lower))
            });
        };
        let [a, b] = [lower.quant(0)?, lower.quant(1)?];
        // The factor is taken in f32, as TensorFlow Lite Micro does.
        let multiplier = Multiplier::new((a.scale(0) / (b.scale(0) * quant.scale(0))).into());
        // The quotient of an integer and at least 1 has as many bits.
        if multiplier.shift > 20 {
            return Err(broadcast::out_of_range(lower, quant));
        }
        let zero_points = [a, b].map(crate::quant::Quant::zero_point);
        let mut fields = vec![("pairs", Value::Struct(pairs(lower))), ("arg_zero_points", Value::ints(zero_points))];
        fields.extend(broadcast::requantized(lower, quant, multiplier));
        Ok(pairwise(lower, "div_i8", Struct { name: "MulInt", fields }))
    }
}
