//! `tanh`: the hyperbolic tangent.

use super::{Call, Lower, Lowered, Operator, Results, Signature, lut, unary};
use crate::diagnostic::Diagnostic;
use crate::model::TensorType;
use crate::quant::Quant;

/// See [`SIGNATURE`].
pub(super) struct Tanh;

static SIGNATURE: Signature = Signature {
    name: "tanh",
    doc: "The hyperbolic tangent. An i8 result has scale 1/128 and zero point 0.",
    args: unary::ARGS,
    attrs: &[],
    results: Results::One,
};

impl Operator for Tanh {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        let fixed = Quant::per_tensor(1.0 / 128.0, 0).expect("a quantisation");
        unary::typed(call, |_| call.fixed_quant(0, &fixed))
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        Ok(match lower.arg(0).quant.clone() {
            Some(from) => {
                let table = lut::tanh(lower, &from);
                lut::lookup(lower, table)
            }
            None => unary::elementwise(lower, "tanh_f32", unary::pure()),
        })
    }
}
