//! `requantize`: integers of another scale, zero point or width.

use super::quantize::declared_dtype;
use super::{ArgSpec, Call, Lower, Lowered, Operator, Results, Role, Signature, rescale};
use crate::diagnostic::Diagnostic;
use crate::dtype::DType;
use crate::model::TensorType;

const DTYPES: [DType; 4] = [DType::I8, DType::U8, DType::I16, DType::I32];

/// See [`SIGNATURE`].
pub(super) struct Requantize;

static SIGNATURE: Signature = Signature {
    name: "requantize",
    doc: "Integers of a declared scale and zero point for those of any. \
          i8 stays i8, and so on, unless the declared type is another; i32 too.",
    args: &[ArgSpec { name: "x", role: Role::Any, doc: "i8, u8, i16 or i32" }],
    attrs: &[],
    results: Results::One,
};

impl Operator for Requantize {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        let from = call.want_dtype(0, &DTYPES)?;
        call.quant(0)?;
        let shape = call.arg(0).shape.clone();
        let dtype = declared_dtype(call, from, &DTYPES)?;
        Ok(vec![TensorType { dtype, shape, quant: Some(call.declared_quant(0)?) }])
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let (from, to) = (lower.quant(0)?.clone(), lower.declared_quant(0)?);
        let bounds = rescale::whole(lower.result(0).dtype);
        Ok(rescale::by(lower, [rescale::factor(&from, &to); 2], bounds))
    }
}
