//! `dequantize`: i8 as real numbers.

use super::{ArgSpec, Call, Lower, Lowered, Operator, Results, Role, Signature, quantize};
use crate::diagnostic::Diagnostic;
use crate::dtype::DType;
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct Dequantize;

static SIGNATURE: Signature = Signature {
    name: "dequantize",
    doc: "i8 as real numbers.",
    args: &[ArgSpec { name: "x", role: Role::Any, doc: "i8" }],
    attrs: &[],
    results: Results::One,
};

impl Operator for Dequantize {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        call.want_dtype(0, &[DType::I8])?;
        call.quant(0)?;
        Ok(vec![TensorType::plain(DType::F32, call.arg(0).shape.clone())])
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let elements = lower.arg(0).shape.elements();
        let params = quantize::params(lower.quant(0)?);
        Ok(Lowered::one("dequantize_i8", params, vec![0], elements))
    }
}
