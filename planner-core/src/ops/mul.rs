//! `mul`: the product of two tensors, element by element.

use super::{Call, Lower, Lowered, Operator, Results, Signature, broadcast};
use crate::diagnostic::Diagnostic;
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct Mul;

static SIGNATURE: Signature = Signature {
    name: "mul",
    doc: "`a * b`, element by element, broadcast.",
    args: broadcast::ARGS,
    attrs: broadcast::ATTRS,
    results: Results::One,
};

impl Operator for Mul {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        broadcast::declared_symmetric(call)
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        broadcast::product(lower)
    }
}
