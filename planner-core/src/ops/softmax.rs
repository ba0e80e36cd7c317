//! `softmax`: exponentials as shares of their sum.

use super::{AttrSpec, AttrValue, Call, Form, Lower, Lowered, Operator, Results, Signature, lut, unary};
use crate::diagnostic::{Diagnostic, Kind};
use crate::dtype::DType;
use crate::emit::{Struct, Value};
use crate::fixed_math;
use crate::fixed_point::Multiplier;
use crate::model::TensorType;
use crate::quant::Quant;
use crate::steps::Sharing;

/// See [`SIGNATURE`].
pub(super) struct Softmax;

static SIGNATURE: Signature = Signature {
    name: "softmax",
    doc: "`exp(beta * x) / sum(exp(beta * x))` over the last dimension. \
          An i8 result has scale 1/256 and zero point -128.",
    args: unary::ARGS,
    attrs: &[AttrSpec {
        name: "beta",
        form: Form::Float,
        default: Some(AttrValue::Float(1.0)),
        doc: "factor of the exponents, positive",
    }],
    results: Results::One,
};

/// Most i8 elements of a row: their sum of exponentials has 12 integer bits.
const MAX_WIDTH_I8: usize = 4095;

impl Operator for Softmax {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        let x = call.arg(0);
        let Some(&width) = x.shape.last() else {
            return Err(call.arg_error(Kind::Rank, 0, "`x` has no dimensions").got(x.to_string()));
        };
        let beta = call.float("beta");
        if beta <= 0.0 {
            return Err(call.attr_error(Kind::Attribute, "beta", "`beta` is not positive").got(beta.to_string()));
        }
        if x.dtype == DType::I8 && width > MAX_WIDTH_I8 {
            let message = format!("an i8 row has {width} elements");
            let error = call.arg_error(Kind::Unsupported, 0, message).got(x.to_string());
            return Err(error.wanted(format!("at most {MAX_WIDTH_I8}")).help("`dequantize` it first"));
        }
        let fixed = Quant::per_tensor(1.0 / 256.0, -128).expect("a quantisation");
        unary::typed(call, |_| call.fixed_quant(0, &fixed))
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let x = lower.arg(0).clone();
        let width = x.shape.last().copied().unwrap_or(1);
        let beta = lower.float("beta");
        let width_field = ("width", Value::size(width));
        let (kernel, params) = match &x.quant {
            None => {
                let fields = vec![width_field, ("beta", Value::F32(beta))];
                ("softmax_f32", Struct { name: "Softmax", fields })
            }
            Some(quant) => {
                let name = format!("{}_exponentials", lower.result_name());
                let table = lower.static_i32(name, &exponentials(quant, beta), false);
                let fields = vec![width_field, ("exponentials", Value::Slice(table))];
                ("softmax_i8", Struct { name: "SoftmaxI8", fields })
            }
        };
        let rows = x.shape.elements() / width;
        Ok(Lowered::one(kernel, params, vec![0], rows).sharing(Sharing::InPlace { arg: 0, result: 0 }))
    }
}

/// `exp(-beta * scale * d)` in `Q0` for `d` = 0, 1, .. as far as TFLite Micro counts them.
fn exponentials(quant: &Quant, beta: f32) -> Vec<i32> {
    // `PreprocessSoftmaxScaling`, to five integer bits.
    let real = f64::from(beta) * f64::from(quant.scale(0)) * f64::from(1 << 26);
    let multiplier = Multiplier::new(real.min(f64::from(i32::MAX)));
    let radius = lut::input_radius(5, multiplier.shift);
    let mut values: Vec<i32> =
        (0..=radius.min(255)).map(|distance| fixed_math::exp(multiplier.apply(-distance), 5)).collect();
    while values.last() == Some(&0) {
        values.pop();
    }
    values
}
