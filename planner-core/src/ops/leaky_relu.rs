//! `leaky_relu`: x, or a fraction of it where negative.

use super::{AttrSpec, AttrValue, Call, Form, Lower, Lowered, Operator, Results, Signature, rescale, unary};
use crate::diagnostic::Diagnostic;
use crate::emit::{Struct, Value};
use crate::fixed_point::Multiplier;
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct LeakyRelu;

static SIGNATURE: Signature = Signature {
    name: "leaky_relu",
    doc: "`x` where positive, else `alpha * x`. An i8 result may have another scale and zero point.",
    args: unary::ARGS,
    attrs: &[AttrSpec {
        name: "alpha",
        form: Form::Float,
        default: Some(AttrValue::Float(0.01)),
        doc: "the slope where x is negative",
    }],
    results: Results::One,
};

impl Operator for LeakyRelu {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        unary::free(call)
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let alpha = lower.float("alpha");
        let quants = lower.arg(0).quant.clone().zip(lower.result(0).quant.clone());
        let Some((from, to)) = quants else {
            let params = Struct { name: "LeakyRelu", fields: vec![("alpha", Value::F32(alpha))] };
            return Ok(unary::elementwise(lower, "leaky_relu_f32", params));
        };
        // f32 products, as TFLite Micro has them (`QuantizeLeakyRelu`).
        let identity = Multiplier::new((from.scale(0) / to.scale(0)).into());
        let sloped = Multiplier::new((from.scale(0) * alpha / to.scale(0)).into());
        Ok(rescale::by(lower, [sloped, identity], rescale::whole(lower.arg(0).dtype)))
    }
}
