//! `dequantize`: integers as real numbers.

use super::kernel::by_type;
use super::{ArgSpec, Call, Lower, Lowered, Operator, Results, Role, Signature, quantize, unary};
use crate::diagnostic::Diagnostic;
use crate::dtype::DType;
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct Dequantize;

static SIGNATURE: Signature = Signature {
    name: "dequantize",
    doc: "Integers as real numbers.",
    args: &[ArgSpec { name: "x", role: Role::Any, doc: "i8, u8 or i16" }],
    attrs: &[],
    results: Results::One,
};

impl Operator for Dequantize {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        call.want_dtype(0, &DType::QUANTIZED)?;
        call.quant(0)?;
        Ok(vec![TensorType::plain(DType::F32, call.arg(0).shape.clone())])
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let params = quantize::params(lower.quant(0)?);
        let kernel = by_type(lower.arg(0).dtype, ["", "dequantize_i8", "dequantize_u8", "dequantize_i16"]);
        Ok(unary::converting(lower, kernel, params))
    }
}
