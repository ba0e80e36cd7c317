//! `maximum`: the larger elements of two tensors.

use super::{Call, Lower, Lowered, Operator, Results, Signature, broadcast};
use crate::diagnostic::Diagnostic;
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct Maximum;

static SIGNATURE: Signature = Signature {
    name: "maximum",
    doc: "The larger of `a` and `b`, element by element, broadcast. i8 arguments have one scale and zero point.",
    args: broadcast::ARGS,
    attrs: &[],
    results: Results::One,
};

impl Operator for Maximum {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        broadcast::selected(call)
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        Ok(broadcast::selection(lower, ["maximum_f32", "maximum_i8", "maximum_u8", "maximum_i16", "maximum_i32"]))
    }
}
