//! `logical_not`: the opposite of a truth.

use super::{ArgSpec, Call, Lower, Lowered, Operator, Results, Role, Signature, unary};
use crate::diagnostic::Diagnostic;
use crate::dtype::DType;
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct LogicalNot;

static SIGNATURE: Signature = Signature {
    name: "logical_not",
    doc: "The opposite of each truth.",
    args: &[ArgSpec { name: "x", role: Role::Any, doc: "bool" }],
    attrs: &[],
    results: Results::One,
};

impl Operator for LogicalNot {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        call.want_dtype(0, &[DType::Bool])?;
        Ok(vec![call.arg(0).clone()])
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        Ok(unary::elementwise(lower, "logical_not_1", unary::pure()))
    }
}
