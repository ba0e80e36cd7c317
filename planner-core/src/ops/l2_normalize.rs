//! `l2_normalize`: rows divided by their length.

use super::softmax::row;
use super::{Call, Lower, Lowered, Operator, Results, Signature, unary};
use crate::diagnostic::Diagnostic;
use crate::dtype::DType;
use crate::emit::{Struct, Value};
use crate::model::TensorType;
use crate::steps::Sharing;

/// See [`SIGNATURE`].
pub(super) struct L2Normalize;

static SIGNATURE: Signature = Signature {
    name: "l2_normalize",
    doc: "`x / sqrt(sum(x * x))` over the last dimension. An i8 result has scale 1/128 and zero point 0, one of u8 1/128 and 128.",
    args: unary::BYTE_ARGS,
    attrs: &[],
    results: Results::One,
};

/// Most i8 elements of a row: the sum of their squares has 31 bits.
const MAX_WIDTH_I8: usize = 33_000;

impl Operator for L2Normalize {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        row(call, MAX_WIDTH_I8)?;
        call.want_dtype(0, unary::BYTES)?;
        unary::fixed(call, [(1.0 / 128.0, 0), (1.0 / 128.0, 128), (1.0 / 32768.0, 0)])
    }

    fn macs(&self, call: &Call<'_>) -> u64 {
        call.arg(0).shape.elements() as u64
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let x = lower.arg(0);
        let width = row(lower, MAX_WIDTH_I8)?;
        let width_field = ("width", Value::size(width));
        let (kernel, params) = match &x.quant {
            None => ("l2_normalize_f32", Struct { name: "L2Normalize", fields: vec![width_field] }),
            Some(quant) => {
                let fields = vec![width_field, ("zero_point", Value::Int(quant.zero_point().into()))];
                let kernel = if x.dtype == DType::U8 { "l2_normalize_u8" } else { "l2_normalize_i8" };
                (kernel, Struct { name: "L2NormalizeInt", fields })
            }
        };
        let rows = x.shape.elements() / width;
        Ok(Lowered::one(kernel, params, vec![0], rows).sharing(Sharing::InPlace { arg: 0, result: 0 }))
    }
}
