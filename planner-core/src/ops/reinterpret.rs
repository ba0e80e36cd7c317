//! `reinterpret`: the same integers, said to stand for other reals.

use super::{ArgSpec, Call, Lower, Lowered, Operator, Results, Role, Signature, copy};
use crate::diagnostic::Diagnostic;
use crate::dtype::DType;
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct Reinterpret;

static SIGNATURE: Signature = Signature {
    name: "reinterpret",
    doc: "The same integers under the scale and zero point of the result. A view: costs nothing.",
    args: &[ArgSpec { name: "x", role: Role::Any, doc: "i8, u8 or i16" }],
    attrs: &[],
    results: Results::One,
};

impl Operator for Reinterpret {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        call.want_dtype(0, &DType::QUANTIZED)?;
        Ok(vec![TensorType { quant: Some(call.declared_quant(0)?), ..call.arg(0).clone() }])
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        Ok(copy::same_elements(lower))
    }
}
