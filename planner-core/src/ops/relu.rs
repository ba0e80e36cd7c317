//! `relu`: max(x, 0).

use super::{Call, Lower, Lowered, Operator, Results, Signature, unary};
use crate::diagnostic::Diagnostic;
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct Relu;

static SIGNATURE: Signature = Signature {
    name: "relu",
    doc: "`max(x, 0)`. An i8 result may have another scale and zero point.",
    args: unary::ARGS,
    attrs: &[],
    results: Results::One,
};

impl Operator for Relu {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        unary::free(call)
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        Ok(unary::clamp(lower, [0.0, f32::INFINITY]))
    }
}
