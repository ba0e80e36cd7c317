//! `relu_n1_to_1`: between -1 and 1.

use super::{Call, Lower, Lowered, Operator, Results, Signature, unary};
use crate::diagnostic::Diagnostic;
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct ReluN1To1;

static SIGNATURE: Signature = Signature {
    name: "relu_n1_to_1",
    doc: "`min(max(x, -1), 1)`. An i8 result may have another scale and zero point.",
    args: unary::ARGS,
    attrs: &[],
    results: Results::One,
};

impl Operator for ReluN1To1 {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        unary::free(call)
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        Ok(unary::clamp(lower, [-1.0, 1.0]))
    }
}
