//! `sigmoid`: 1 / (1 + exp(-x)).

use super::{Call, Lower, Lowered, Operator, Results, Signature, lut, unary};
use crate::diagnostic::Diagnostic;
use crate::model::TensorType;
use crate::quant::Quant;

/// See [`SIGNATURE`].
pub(super) struct Sigmoid;

static SIGNATURE: Signature = Signature {
    name: "sigmoid",
    doc: "`1 / (1 + exp(-x))`. An i8 result has scale 1/256 and zero point -128.",
    args: unary::ARGS,
    attrs: &[],
    results: Results::One,
};

impl Operator for Sigmoid {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        let fixed = Quant::per_tensor(1.0 / 256.0, -128).expect("a quantisation");
        unary::typed(call, |_| call.fixed_quant(0, &fixed))
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        Ok(match lower.arg(0).quant.clone() {
            Some(from) => {
                let table = lut::sigmoid(lower, &from);
                lut::lookup(lower, table)
            }
            None => unary::elementwise(lower, "sigmoid_f32", unary::pure()),
        })
    }
}
