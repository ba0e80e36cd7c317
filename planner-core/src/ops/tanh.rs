//! `tanh`: the hyperbolic tangent.

use super::{Call, Lower, Lowered, Operator, Results, Signature, curve, lut, unary};
use crate::diagnostic::Diagnostic;
use crate::dtype::DType;
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct Tanh;

static SIGNATURE: Signature = Signature {
    name: "tanh",
    doc: "The hyperbolic tangent. An i8 result has scale 1/128 and zero point 0, \
          one of u8 1/128 and 128, one of i16 1/32768 and 0.",
    args: unary::ARGS,
    attrs: &[],
    results: Results::One,
};

impl Operator for Tanh {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        unary::fixed(call, [(1.0 / 128.0, 0), (1.0 / 128.0, 128), (1.0 / 32768.0, 0)])
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let Some(from) = lower.arg(0).quant.clone() else {
            return Ok(unary::elementwise(lower, "tanh_f32", unary::pure()));
        };
        if lower.arg(0).dtype == DType::I16 {
            return Ok(curve::lower(lower, "tanh_i16", &from, 1));
        }
        let table = lut::tanh(lower, &from);
        Ok(lut::lookup(lower, table))
    }
}
