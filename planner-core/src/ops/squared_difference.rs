//! `squared_difference`: the square of the difference of two tensors.

use super::broadcast::{self, pairs, pairwise};
use super::{Call, Lower, Lowered, Operator, Results, Signature};
use crate::diagnostic::Diagnostic;
use crate::dtype::DType;
use crate::emit::Value;
use crate::fixed_point::Multiplier;
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct SquaredDifference;

static SIGNATURE: Signature = Signature {
    name: "squared_difference",
    doc: "`(a - b) * (a - b)`, broadcast.",
    args: broadcast::NARROW_ARGS,
    attrs: &[],
    results: Results::One,
};

impl Operator for SquaredDifference {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        call.want_dtype(0, &[DType::F32, DType::I8, DType::I32])?;
        broadcast::declared(call)
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let Some(quant) = &lower.result(0).quant else {
            let i32 = lower.arg(0).dtype == DType::I32;
            let kernel = if i32 { "squared_difference_i32" } else { "squared_difference_f32" };
            return Ok(pairwise(lower, kernel, pairs(lower)));
        };
        let args = [lower.quant(0)?, lower.quant(1)?];
        let common = 2.0 * f64::from(args[0].scale(0).max(args[1].scale(0)));
        // Both sides have seven fractional bits; the product with the result's scale is taken in f32.
        let steps = f64::from(16_384.0 * quant.scale(0));
        let result = Multiplier::new(common * common / steps);
        if result.shift > 0 {
            return Err(broadcast::out_of_range(lower, quant));
        }
        let result = [
            ("multiplier", result.value),
            ("shift", result.shift),
            ("zero_point", quant.zero_point()),
            ("min", -128),
            ("max", 127),
        ];
        let result = result.map(|(name, value)| (name, Value::Int(value.into())));
        Ok(pairwise(lower, "squared_difference_i8", broadcast::add_int(lower, args, common, 7, result)))
    }
}
