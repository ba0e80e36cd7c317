//! `quantize`: real numbers as i8.

use super::{ArgSpec, Call, Lower, Lowered, Operator, Results, Role, Signature};
use crate::diagnostic::Diagnostic;
use crate::dtype::DType;
use crate::emit::{Struct, Value};
use crate::model::TensorType;
use crate::quant::Quant;

/// See [`SIGNATURE`].
pub(super) struct Quantize;

static SIGNATURE: Signature = Signature {
    name: "quantize",
    doc: "Real numbers as i8 of a declared scale and zero point, rounded to nearest, halves away from zero.",
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
        Ok(vec![TensorType { dtype: DType::I8, shape, quant: Some(call.declared_quant(0)?) }])
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let elements = lower.arg(0).shape.elements();
        let params = params(&lower.declared_quant(0)?);
        Ok(Lowered::one("quantize_i8", params, vec![0], elements))
    }
}

/// The quantisation of the i8 side.
pub(super) fn params(quant: &Quant) -> Struct {
    let fields = vec![("scale", Value::F32(quant.scale(0))), ("zero_point", Value::Int(quant.zero_point().into()))];
    Struct { name: "Quant", fields }
}
