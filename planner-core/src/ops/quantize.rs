//! `quantize`: real numbers as integers.

use super::kernel::by_type;
use super::{ArgSpec, Call, Lower, Lowered, Operator, Results, Role, Signature, unary};
use crate::diagnostic::{Diagnostic, Kind};
use crate::dtype::DType;
use crate::emit::{Struct, Value};
use crate::model::TensorType;
use crate::quant::Quant;

/// See [`SIGNATURE`].
pub(super) struct Quantize;

static SIGNATURE: Signature = Signature {
    name: "quantize",
    doc: "Real numbers as i8, u8 or i16 of a declared scale and zero point, rounded to nearest, halves away from zero. \
          i8 unless the declared type is another.",
    args: &[ArgSpec { name: "x", role: Role::Any, doc: "f32" }],
    attrs: &[],
    results: Results::One,
};

impl Operator for Quantize {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        call.want_dtype(0, &[DType::F32])?;
        let shape = call.arg(0).shape.clone();
        let dtype = declared_dtype(call, DType::I8, &DType::QUANTIZED)?;
        Ok(vec![TensorType { dtype, shape, quant: Some(call.declared_quant(0)?) }])
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let params = params(&lower.declared_quant(0)?);
        let kernel = by_type(lower.result(0).dtype, ["", "quantize_i8", "quantize_u8", "quantize_i16"]);
        Ok(unary::converting(lower, kernel, params))
    }
}

/// The element type declared for result 0, else `default`.
///
/// # Errors
/// One that is not among `dtypes`.
pub(super) fn declared_dtype(call: &Call<'_>, default: DType, dtypes: &[DType]) -> Result<DType, Diagnostic> {
    let dtype = call.declared(0).dtype.unwrap_or(default);
    if dtypes.contains(&dtype) {
        return Ok(dtype);
    }
    let mut error = call.error(Kind::DType, format!("the result cannot be {dtype}"));
    error.src = call.declared(0).src;
    Err(error.wanted(dtypes.iter().map(|dtype| dtype.name()).collect::<Vec<_>>().join(" or ")))
}

/// The quantisation of the integers' side.
pub(super) fn params(quant: &Quant) -> Struct {
    let fields = vec![("scale", Value::F32(quant.scale(0))), ("zero_point", Value::Int(quant.zero_point().into()))];
    Struct { name: "Quant", fields }
}
