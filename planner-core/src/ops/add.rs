//! `add`: the sum of two tensors.

use super::{Call, Lower, Lowered, Operator, Results, Signature, broadcast};
use crate::diagnostic::Diagnostic;
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct Add;

static SIGNATURE: Signature = Signature {
    name: "add",
    doc: "`a + b`, broadcast.",
    args: broadcast::ARGS,
    attrs: broadcast::ATTRS,
    results: Results::One,
};

impl Operator for Add {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        broadcast::declared(call)
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        broadcast::sum(lower, ["add_f32", "add_i8", "add_u8", "add_i16", "add_i32"])
    }
}
