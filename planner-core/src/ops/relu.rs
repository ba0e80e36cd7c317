//! `relu`: max(x, 0).

use super::{ArgSpec, Call, Lower, Lowered, Operator, Results, Role, Signature};
use crate::diagnostic::Diagnostic;
use crate::dtype::DType;
use crate::emit::{Struct, Value};
use crate::model::TensorType;
use crate::steps::Sharing;

/// See [`SIGNATURE`].
pub(super) struct Relu;

static SIGNATURE: Signature = Signature {
    name: "relu",
    doc: "max(x, 0). Fused into the operator before it where that gives the same bits.",
    args: &[ArgSpec { name: "x", role: Role::Any, doc: "f32" }],
    attrs: &[],
    results: Results::One,
};

impl Operator for Relu {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        call.want_dtype(0, &[DType::F32])?;
        Ok(vec![call.arg(0).clone()])
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let elements = lower.arg(0).shape.elements();
        let params =
            Struct { name: "Clamp", fields: vec![("min", Value::F32(0.0)), ("max", Value::F32(f32::INFINITY))] };
        Ok(Lowered::one("clamp_f32", params, vec![0], elements).sharing(Sharing::InPlace { arg: 0, result: 0 }))
    }
}
