//! Operators of one element at a time.

use super::{ArgSpec, Call, Lower, Lowered, Role};
use crate::diagnostic::Diagnostic;
use crate::dtype::DType;
use crate::emit::{Struct, Value};
use crate::model::TensorType;
use crate::quant::Quant;
use crate::steps::Sharing;

/// The argument of them all.
pub(super) const ARGS: &[ArgSpec] = &[ArgSpec { name: "x", role: Role::Any, doc: "f32 or i8" }];

/// The type of the result: the argument's, quantised as `quant` says where the argument is.
///
/// # Errors
/// Another element type, or missing quantisation.
pub(super) fn typed(
    call: &Call<'_>,
    quant: impl FnOnce(&Quant) -> Result<Quant, Diagnostic>,
) -> Result<Vec<TensorType>, Diagnostic> {
    let dtype = call.want_dtype(0, &[DType::F32, DType::I8])?;
    let shape = call.arg(0).shape.clone();
    let quant = if dtype == DType::I8 { Some(quant(call.quant(0)?)?) } else { None };
    Ok(vec![TensorType { dtype, shape, quant }])
}

/// The type of a result that may have any quantisation: the argument's unless one is declared.
///
/// # Errors
/// As for [`typed`].
pub(super) fn free(call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
    typed(call, |x| if call.declared(0).quant.is_some() { call.declared_quant(0) } else { Ok(x.clone()) })
}

/// A call of `kernel` for each element, in place if need be.
pub(super) fn elementwise(lower: &Lower<'_>, kernel: &'static str, params: Struct) -> Lowered {
    let elements = lower.arg(0).shape.elements();
    Lowered::one(kernel, params, vec![0], elements).sharing(Sharing::InPlace { arg: 0, result: 0 })
}

/// The structure of a function without parameters.
pub(super) fn pure() -> Struct {
    Struct { name: "Pure", fields: Vec::new() }
}

/// `x` between two real bounds.
pub(super) fn clamp(lower: &mut Lower<'_>, [min, max]: [f32; 2]) -> Lowered {
    let quants = lower.arg(0).quant.clone().zip(lower.result(0).quant.clone());
    let Some((from, to)) = quants else {
        let fields = vec![("min", Value::F32(min)), ("max", Value::F32(max))];
        return elementwise(lower, "clamp_f32", Struct { name: "Clamp", fields });
    };
    if from != to {
        let table = super::lut::clamp(lower, &from, &to, [min, max]);
        return super::lut::lookup(lower, table);
    }
    let [min, max] = [min, max].map(|bound| Value::Int(super::activation::quantized(bound, &to, DType::I8).into()));
    elementwise(lower, "clamp_i8", Struct { name: "ClampI8", fields: vec![("min", min), ("max", max)] })
}
