//! `log_softmax`: the logarithm of softmax.

use super::softmax::{MAX_WIDTH_I8, exponentials, multiplier, row};
use super::{Call, Lower, Lowered, Operator, Results, Signature, lut, unary};
use crate::diagnostic::Diagnostic;
use crate::dtype::DType;
use crate::emit::{Struct, Value};
use crate::fixed_point::Multiplier;
use crate::model::TensorType;
use crate::steps::Sharing;

/// See [`SIGNATURE`].
pub(super) struct LogSoftmax;

static SIGNATURE: Signature = Signature {
    name: "log_softmax",
    doc: "`x - log(sum(exp(x)))` over the last dimension. An i8 result has scale 1/16 and zero point 127, one of u8 1/16 and 255.",
    args: unary::BYTE_ARGS,
    attrs: &[],
    results: Results::One,
};

impl Operator for LogSoftmax {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        row(call, MAX_WIDTH_I8)?;
        call.want_dtype(0, unary::BYTES)?;
        unary::fixed(call, [(1.0 / 16.0, 127), (1.0 / 16.0, 255), (1.0 / 16.0, 0)])
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let x = lower.arg(0).clone();
        let width = row(lower, MAX_WIDTH_I8)?;
        let width_field = ("width", Value::size(width));
        let (kernel, params) = match &x.quant {
            None => ("log_softmax_f32", Struct { name: "LogSoftmax", fields: vec![width_field] }),
            Some(quant) => {
                let name = format!("{}_exponentials", lower.result_name());
                let table = lower.static_i32(name, &exponentials(quant, 1.0), false);
                let forth = multiplier(quant, 1.0);
                // `PreprocessLogSoftmaxScalingExp`.
                let back = Multiplier::new(2f64.powi(31 - forth.shift) / f64::from(forth.value));
                let fields = vec![
                    width_field,
                    ("exponentials", Value::Slice(table)),
                    ("multiplier", Value::Int(forth.value.into())),
                    ("shift", Value::Int(forth.shift.into())),
                    ("back_multiplier", Value::Int(back.value.into())),
                    ("back_shift", Value::Int(back.shift.into())),
                    ("least", Value::Int((-lut::input_radius(5, forth.shift)).into())),
                ];
                let kernel = if x.dtype == DType::U8 { "log_softmax_u8" } else { "log_softmax_i8" };
                (kernel, Struct { name: "LogSoftmaxI8", fields })
            }
        };
        let rows = x.shape.elements() / width;
        Ok(Lowered::one(kernel, params, vec![0], rows).sharing(Sharing::InPlace { arg: 0, result: 0 }))
    }
}
