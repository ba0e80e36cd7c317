//! `squared_difference`: the square of the difference of two tensors.

use super::broadcast::{self, pairs, pairwise};
use super::kernel::by_number;
use super::{ArgSpec, Call, Lower, Lowered, Operator, Results, Role, Signature, rescale};
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
    args: &[
        ArgSpec { name: "a", role: Role::Any, doc: "f32, i8, i16 or i32" },
        ArgSpec { name: "b", role: Role::Any, doc: "of the same element type, of a shape that broadcasts" },
    ],
    attrs: &[],
    results: Results::One,
};

impl Operator for SquaredDifference {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        call.want_dtype(0, &[DType::F32, DType::I8, DType::I16, DType::I32])?;
        broadcast::declared_symmetric(call)
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let dtype = lower.arg(0).dtype;
        let kernel = by_number(
            dtype,
            ["squared_difference_f32", "squared_difference_i8", "", "squared_difference_i16", "squared_difference_i32"],
        );
        let Some(quant) = &lower.result(0).quant else {
            return Ok(pairwise(lower, kernel, pairs(lower)));
        };
        let args = [lower.quant(0)?, lower.quant(1)?];
        let common = 2.0 * f64::from(args[0].scale(0).max(args[1].scale(0)));
        // Fractional bits of both sides; the product with the result's scale is taken in f32.
        let (bits, steps) = if dtype == DType::I16 { (0, 1.0) } else { (7, 16_384.0) };
        let steps = f64::from(steps * quant.scale(0));
        let result = Multiplier::new(common * common / steps);
        if result.shift > 0 {
            return Err(broadcast::out_of_range(lower, quant));
        }
        let [min, max] = rescale::whole(dtype);
        let result = [
            ("multiplier", result.value),
            ("shift", result.shift),
            ("zero_point", quant.zero_point()),
            ("min", min),
            ("max", max),
        ];
        let result = result.map(|(name, value)| (name, Value::Int(value.into())));
        Ok(pairwise(lower, kernel, broadcast::add_int(lower, args, common, bits, result)))
    }
}
