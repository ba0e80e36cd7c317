//! Integers under another scale and zero point: tables where they have 8 bits, arithmetic elsewhere.

use super::{Lower, Lowered, lut, unary};
use crate::dtype::DType;
use crate::emit::{Struct, Value};
use crate::fixed_point::Multiplier;
use crate::quant::Quant;

/// All integers of `dtype`, as bounds.
pub(super) fn whole(dtype: DType) -> [i32; 2] {
    let range = dtype.range().unwrap_or(0..=0);
    [*range.start(), *range.end()]
}

/// Argument 0 times one of two factors, for what is negative and what is not, under the type of result 0.
pub(super) fn by(lower: &mut Lower<'_>, factors: [Multiplier; 2], bounds: [i32; 2]) -> Lowered {
    let (from, to) = (lower.arg(0).clone(), lower.result(0).clone());
    let (Some(from_quant), Some(to_quant)) = (&from.quant, &to.quant) else {
        unreachable!("inference asks for quantisations")
    };
    if from.dtype.bytes() == 1 && to.dtype.bytes() == 1 {
        let table = table(lower, [from.dtype, to.dtype], [from_quant, to_quant], factors, bounds);
        return lut::lookup(lower, table);
    }
    let kernel = match (from.dtype, to.dtype) {
        (DType::I16, DType::I8) => "rescale_i16_i8",
        (DType::I16, DType::U8) => "rescale_i16_u8",
        (DType::I16, DType::I32) => "rescale_i16_i32",
        (DType::I8, DType::I16) => "rescale_i8_i16",
        (DType::I8, DType::I32) => "rescale_i8_i32",
        (DType::U8, DType::I16) => "rescale_u8_i16",
        (DType::U8, DType::I32) => "rescale_u8_i32",
        (DType::I32, DType::I8) => "rescale_i32_i8",
        (DType::I32, DType::U8) => "rescale_i32_u8",
        (DType::I32, DType::I16) => "rescale_i32_i16",
        (DType::I32, _) => "rescale_i32",
        _ => "rescale_i16",
    };
    let params = params([from_quant, to_quant], factors, bounds);
    if from.dtype.bytes() == to.dtype.bytes() {
        unary::elementwise(lower, kernel, params)
    } else {
        unary::converting(lower, kernel, params)
    }
}

/// The table of [`by`].
pub(super) fn table(
    lower: &mut Lower<'_>,
    [from_type, to_type]: [DType; 2],
    [from, to]: [&Quant; 2],
    [below, above]: [Multiplier; 2],
    [min, max]: [i32; 2],
) -> crate::emit::StaticId {
    let (from, to) = (from.zero_point(), to.zero_point());
    lut::table(lower, [from_type, to_type], |x| {
        let scaled = if x < from { below } else { above }.apply(x - from);
        to.saturating_add(scaled).clamp(min, max)
    })
}

/// The parameter structure `Rescale`.
pub(super) fn params([from, to]: [&Quant; 2], factors: [Multiplier; 2], [min, max]: [i32; 2]) -> Struct {
    let fields = vec![
        ("from", Value::Int(from.zero_point().into())),
        ("multipliers", Value::ints(factors.map(|factor| factor.value))),
        ("shifts", Value::ints(factors.map(|factor| factor.shift))),
        ("to", Value::Int(to.zero_point().into())),
        ("min", Value::Int(min.into())),
        ("max", Value::Int(max.into())),
    ];
    Struct { name: "Rescale", fields }
}

/// The factor between two scales (`Requantize`).
pub(super) fn factor(from: &Quant, to: &Quant) -> Multiplier {
    Multiplier::new(f64::from(from.scale(0)) / f64::from(to.scale(0)))
}
