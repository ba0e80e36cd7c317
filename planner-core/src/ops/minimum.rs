//! `minimum`: the smaller elements of two tensors.

use super::{Call, Lower, Lowered, Operator, Results, Signature, broadcast};
use crate::diagnostic::Diagnostic;
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct Minimum;

static SIGNATURE: Signature = Signature {
    name: "minimum",
    doc: "The smaller of `a` and `b`, element by element, broadcast. i8 arguments have one scale and zero point.",
    args: broadcast::ARGS,
    attrs: &[],
    results: Results::One,
};

impl Operator for Minimum {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        broadcast::selected(call)
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        Ok(broadcast::selection(lower, ["minimum_f32", "minimum_i8", "minimum_u8", "minimum_i16", "minimum_i32"]))
    }
}
