//! `sub`: the difference of two tensors.

use super::{Call, Lower, Lowered, Operator, Results, Signature, broadcast};
use crate::diagnostic::Diagnostic;
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct Sub;

static SIGNATURE: Signature = Signature {
    name: "sub",
    doc: "`a - b`, broadcast.",
    args: broadcast::ARGS,
    attrs: broadcast::ATTRS,
    results: Results::One,
};

impl Operator for Sub {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        broadcast::declared(call)
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        broadcast::sum(lower, ["sub_f32", "sub_i8", "sub_u8", "sub_i16", "sub_i32"])
    }
}
