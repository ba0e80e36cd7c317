//! `max`: the maximum over dimensions.

use super::kernel::by_number;
use super::reduce::{self, ARGS, ATTRS};
use super::{Call, Lower, Lowered, Operator, Results, Signature};
use crate::diagnostic::Diagnostic;
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct Max;

static SIGNATURE: Signature = Signature {
    name: "max",
    doc: "The maximum over dimensions; `maximum` compares two tensors.",
    args: ARGS,
    attrs: ATTRS,
    results: Results::One,
};

impl Operator for Max {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        reduce::infer(call, &reduce::axes(call)?, || call.fixed_quant(0, call.quant(0)?))
    }

    fn macs(&self, call: &Call<'_>) -> u64 {
        call.arg(0).shape.elements() as u64
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let axes = reduce::axes(lower)?;
        let (shape, results) = reduce::shape(lower, &axes);
        let kernel = by_number(lower.arg(0).dtype, ["max_f32", "max_i8", "max_u8", "max_i16", "max_i32"]);
        Ok(Lowered::one(kernel, shape, vec![0], results).lead(lower, 0, reduce::lead(lower, &axes)))
    }
}
