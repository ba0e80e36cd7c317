//! `requantize`: i8 of another scale and zero point.

use super::{ArgSpec, Call, Lower, Lowered, Operator, Results, Role, Signature, lut};
use crate::diagnostic::Diagnostic;
use crate::dtype::DType;
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct Requantize;

static SIGNATURE: Signature = Signature {
    name: "requantize",
    doc: "i8 of a declared scale and zero point for i8 of any.",
    args: &[ArgSpec { name: "x", role: Role::Any, doc: "i8" }],
    attrs: &[],
    results: Results::One,
};

impl Operator for Requantize {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        call.want_dtype(0, &[DType::I8])?;
        call.quant(0)?;
        let shape = call.arg(0).shape.clone();
        Ok(vec![TensorType { dtype: DType::I8, shape, quant: Some(call.declared_quant(0)?) }])
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let (from, to) = (lower.quant(0)?.clone(), lower.declared_quant(0)?);
        let table = lut::requantize(lower, &from, &to);
        Ok(lut::lookup(lower, table))
    }
}
