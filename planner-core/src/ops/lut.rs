//! Functions of one i8 or u8, as tables of 256 entries computed here with TensorFlow Lite's arithmetic.

use super::{Lower, Lowered, unary};
use crate::dtype::DType;
use crate::emit::{StaticId, Struct, Value};
use crate::fixed_math;
use crate::fixed_point::{Multiplier, rounding_divide_by_pot};
use crate::quant::Quant;

/// Argument 0 through `table`, element by element.
pub(super) fn lookup(lower: &Lower<'_>, table: StaticId) -> Lowered {
    let params = Struct { name: "Lut", fields: vec![("table", Value::Slice(table))] };
    let kernel = match (lower.arg(0).dtype, lower.result(0).dtype) {
        (DType::U8, DType::U8) => "lut_u8",
        (DType::U8, _) => "lut_u8_i8",
        (_, DType::U8) => "lut_i8_u8",
        _ => "lut_i8",
    };
    unary::elementwise(lower, kernel, params)
}

/// The table of `function`, whose results are clamped, between two types of 8 bits.
pub(super) fn table(lower: &mut Lower<'_>, [from, to]: [DType; 2], function: impl Fn(i32) -> i32) -> StaticId {
    let (from, to) = (from.range().unwrap_or(0..=0), to.range().unwrap_or(0..=0));
    #[allow(clippy::cast_possible_truncation, reason = "the low bits of what is clamped to 8 bits")]
    let values: Vec<i8> = from.map(|x| function(x).clamp(*to.start(), *to.end()) as i8).collect();
    let name = format!("{}_table", lower.result_name());
    lower.static_i8(name, &values, false)
}

/// `1 / (1 + exp(-x))` with scale 1/256 (`reference_integer_ops::Logistic`).
pub(super) fn sigmoid(lower: &mut Lower<'_>, from: &Quant) -> StaticId {
    if lower.arg(0).dtype == DType::U8 {
        return real(lower, from, |x| 256.0 / (1.0 + (-x).exp()), 0.0);
    }
    in_q4(lower, from, |x| rounding_divide_by_pot(fixed_math::logistic(x), 23) - 128)
}

/// `tanh(x)` with scale 1/128 (`reference_integer_ops::Tanh`).
pub(super) fn tanh(lower: &mut Lower<'_>, from: &Quant) -> StaticId {
    if lower.arg(0).dtype == DType::U8 {
        return real(lower, from, |x| 128.0 * x.tanh(), 128.0);
    }
    in_q4(lower, from, |x| rounding_divide_by_pot(fixed_math::tanh(x), 24))
}

/// A function of the real number that a u8 stands for, in steps of the result (`PopulateLookupTable`).
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "f32 throughout, as the reference")]
fn real(lower: &mut Lower<'_>, from: &Quant, function: impl Fn(f32) -> f32, zero_point: f32) -> StaticId {
    table(lower, [DType::U8; 2], |x| {
        let x = from.scale(0) * (x - from.zero_point()) as f32;
        (function(x).round() + zero_point) as i32
    })
}

/// A function of `x` in four integer bits that is saturated where those do not suffice.
fn in_q4(lower: &mut Lower<'_>, from: &Quant, function: impl Fn(i32) -> i32) -> StaticId {
    let multiplier = Multiplier::new(f64::from(from.scale(0)) * 2f64.powi(27));
    let radius = input_radius(4, multiplier.shift);
    table(lower, [DType::I8; 2], |x| match x - from.zero_point() {
        x if x <= -radius => -128,
        x if x >= radius => 127,
        x => function(multiplier.apply(x)),
    })
}

/// The first magnitude whose rescaled value does not fit `bits` integer bits (`CalculateInputRadius`).
#[allow(clippy::cast_possible_truncation, reason = "saturates")]
pub(super) fn input_radius(bits: i32, left_shift: i32) -> i32 {
    let most = (2f64.powi(bits) - 1.0) * 2f64.powi(31 - bits);
    (most / 2f64.powi(left_shift)).floor() as i32
}
