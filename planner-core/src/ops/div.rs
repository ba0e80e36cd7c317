//! `div`: the quotient of two tensors.

use super::broadcast::{self, arithmetic_f32, pairs, pairwise};
use super::kernel::by_number;
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
    doc: "`a / b`, broadcast; of i32 towards zero. An integer `b` of zero gives no error: \
          0 in i32, the largest result of the sign of `a` in other types.",
    args: broadcast::ARGS,
    attrs: broadcast::ATTRS,
    results: Results::One,
};

impl Operator for Div {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        broadcast::declared_symmetric(call)
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let dtype = lower.arg(0).dtype;
        let kernel = by_number(dtype, ["div_f32", "div_i8", "div_u8", "div_i16", "div_i32"]);
        let Some(quant) = &lower.result(0).quant else {
            return Ok(pairwise(lower, kernel, if dtype == DType::I32 { pairs(lower) } else { arithmetic_f32(lower) }));
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
        Ok(pairwise(lower, kernel, Struct { name: "MulInt", fields }))
    }
}
