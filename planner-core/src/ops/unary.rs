//! Operators of one element at a time.

use super::activation::quantized;
use super::kernel::by_type;
use super::lead::Lead;
use super::{ArgSpec, Call, Lower, Lowered, Role, rescale};
use crate::diagnostic::Diagnostic;
use crate::dtype::DType;
use crate::emit::{Struct, Value};
use crate::fixed_point::Multiplier;
use crate::model::TensorType;
use crate::quant::Quant;
use crate::steps::Sharing;

/// The argument of them all.
pub(super) const ARGS: &[ArgSpec] = &[ArgSpec { name: "x", role: Role::Any, doc: "f32, i8, u8 or i16" }];

/// The types of functions that are tables or by rows of bytes.
pub(super) const BYTES: &[DType] = &[DType::F32, DType::I8, DType::U8];

/// The argument of functions of [`BYTES`].
pub(super) const BYTE_ARGS: &[ArgSpec] = &[ArgSpec { name: "x", role: Role::Any, doc: "f32, i8 or u8" }];

/// The type of a result that may have any quantisation: the argument's unless one is declared.
///
/// # Errors
/// Another element type, or missing quantisation.
pub(super) fn free(call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
    call.want_dtype(0, &DType::REAL)?;
    let x = call.arg(0);
    let quant = match x.dtype {
        DType::F32 => None,
        _ if call.declared(0).quant.is_some() => call.quant(0).and_then(|_| call.declared_quant(0)).map(Some)?,
        _ => Some(call.quant(0)?.clone()),
    };
    Ok(vec![TensorType { quant, ..x.clone() }])
}

/// As [`free`]; zero points of i16 are 0.
///
/// # Errors
/// As there, or another zero point.
pub(super) fn free_symmetric(call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
    let types = free(call)?;
    if types[0].dtype == DType::I16 {
        call.symmetric_quant(0)?;
        if call.declared(0).quant.is_some() {
            call.declared_symmetric_quant(0, DType::I16)?;
        }
    }
    Ok(types)
}

/// The type of a result of fixed scales and zero points, of i8, u8 and i16; the zero point of an i16 argument is 0.
///
/// # Errors
/// Another element type, or missing quantisation.
pub(super) fn fixed(call: &Call<'_>, quants: [(f32, i32); 3]) -> Result<Vec<TensorType>, Diagnostic> {
    let dtype = call.want_dtype(0, &DType::REAL)?;
    let x = call.arg(0);
    let [i8, u8, i16] = quants;
    let (scale, zero_point) = match dtype {
        DType::F32 => return Ok(vec![x.clone()]),
        DType::U8 => u8,
        DType::I16 => i16,
        _ => i8,
    };
    call.symmetric_quant(0)?;
    let quant = Quant::per_tensor(scale, zero_point).expect("a quantisation");
    let quant = if dtype == DType::I16 { call.nearly_fixed_quant(0, &quant) } else { call.fixed_quant(0, &quant) };
    Ok(vec![TensorType { quant: Some(quant?), ..x.clone() }])
}

/// A call of `kernel` for each element, in place if need be.
pub(super) fn elementwise(lower: &Lower<'_>, kernel: &'static str, params: Struct) -> Lowered {
    let elements = lower.arg(0).shape.elements();
    Lowered::one(kernel, params, vec![0], elements).sharing(Sharing::InPlace { arg: 0, result: 0 })
}

/// A call of `kernel` for each element, whose result has another size.
pub(super) fn converting(lower: &Lower<'_>, kernel: &'static str, params: Struct) -> Lowered {
    let elements = lower.arg(0).shape.elements();
    Lowered::one(kernel, params, vec![0], elements).lead(lower, 0, Lead::new(lower, 0).along(elements, [1, 1]))
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
    let dtype = lower.arg(0).dtype;
    let bounds = [min, max].map(|bound| quantized(bound, &to, dtype));
    if from != to {
        // `ReluQuantized`
        let factor = Multiplier::new(f64::from(from.scale(0)) / f64::from(to.scale(0)));
        return rescale::by(lower, [factor; 2], bounds);
    }
    let [min, max] = bounds.map(|bound| Value::Int(bound.into()));
    let kernel = by_type(dtype, ["clamp_f32", "clamp_i8", "clamp_u8", "clamp_i16"]);
    elementwise(lower, kernel, Struct { name: "ClampInt", fields: vec![("min", min), ("max", max)] })
}
