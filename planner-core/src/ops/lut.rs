//! Functions of one integer, as tables of 256 entries where that has 8 bits, computed here with TensorFlow Lite's
//! arithmetic.

use super::functions::rounded;
use super::{Lower, Lowered, rescale, samples, unary};
use crate::diagnostic::{Diagnostic, Kind};
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
        return real_u8(lower, from, |x| 256.0 / (1.0 + (-x).exp()), 0.0);
    }
    in_q4(lower, from, |x| rounding_divide_by_pot(fixed_math::logistic(x), 23) - 128)
}

/// `tanh(x)` with scale 1/128 (`reference_integer_ops::Tanh`).
pub(super) fn tanh(lower: &mut Lower<'_>, from: &Quant) -> StaticId {
    if lower.arg(0).dtype == DType::U8 {
        return real_u8(lower, from, |x| 128.0 * x.tanh(), 128.0);
    }
    in_q4(lower, from, |x| rounding_divide_by_pot(fixed_math::tanh(x), 24))
}

/// A function of the real number that a u8 stands for, in steps of the result (`PopulateLookupTable`).
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "f32 throughout, as the reference")]
fn real_u8(lower: &mut Lower<'_>, from: &Quant, function: impl Fn(f32) -> f32, zero_point: f32) -> StaticId {
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

/// A real function under any quantisation (`LUTPopulate`, f32 throughout); of i16 by samples.
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "saturates; small integers")]
pub(super) fn real(lower: &mut Lower<'_>, from: &Quant, to: &Quant, function: impl Fn(f32) -> f32) -> Lowered {
    let dtype = lower.arg(0).dtype;
    if dtype == DType::I16 {
        return samples::by(lower, from, to, function);
    }
    let inverse = 1.0 / to.scale(0);
    let table = table(lower, [dtype; 2], |x| {
        let result = function(from.scale(0) * (x - from.zero_point()) as f32);
        ((result * inverse).round() + to.zero_point() as f32) as i32
    });
    lookup(lower, table)
}

/// The logarithm; the least result of what has none.
#[allow(clippy::cast_precision_loss, reason = "small integers")]
pub(super) fn log(lower: &mut Lower<'_>, from: &Quant, to: &Quant) -> Lowered {
    let [least, _] = rescale::whole(lower.arg(0).dtype);
    let least = to.scale(0) * (least - to.zero_point()) as f32;
    real(lower, from, to, |x| if x > 0.0 { rounded(x, f64::ln) } else { least })
}

/// The root, rounded to zero as TensorFlow Lite does; nothing negative has one.
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "saturates; small integers")]
pub(super) fn sqrt(lower: &mut Lower<'_>, from: &Quant, to: &Quant) -> Lowered {
    if lower.arg(0).dtype == DType::I16 {
        let fields = vec![("from", Value::F32(from.scale(0))), ("to", Value::F32(to.scale(0)))];
        return unary::elementwise(lower, "sqrt_i16", Struct { name: "Sqrt", fields });
    }
    let table = table(lower, [lower.arg(0).dtype; 2], |x| {
        let root = (from.scale(0) * (x - from.zero_point()) as f32).sqrt();
        to.zero_point().saturating_add((root / to.scale(0)) as i32)
    });
    lookup(lower, table)
}

/// `1 / sqrt(x)`, the largest number where `x` is not positive (`RsqrtEvalQuantized`).
pub(super) fn rsqrt(lower: &mut Lower<'_>, from: &Quant, to: &Quant) -> Lowered {
    // Fractional bits on the way.
    const BITS: i32 = 20;
    let multiplier = Multiplier::new(1.0 / (f64::from(from.scale(0)).sqrt() * f64::from(to.scale(0))));
    let multiplier = Multiplier { shift: multiplier.shift - BITS, ..multiplier };
    let dtype = lower.arg(0).dtype;
    if dtype == DType::I16 {
        let fields = [
            ("from", from.zero_point()),
            ("multiplier", multiplier.value),
            ("shift", multiplier.shift),
            ("to", to.zero_point()),
        ];
        let fields = fields.map(|(name, value)| (name, Value::Int(value.into()))).to_vec();
        return unary::elementwise(lower, "rsqrt_i16", Struct { name: "Rsqrt", fields });
    }
    let table = table(lower, [dtype; 2], |x| match x - from.zero_point() {
        ..=0 => i32::MAX,
        x => {
            let root = fixed_math::reciprocal_of_sqrt(x);
            let root = Multiplier { shift: root.shift + BITS, ..root };
            to.zero_point().saturating_add(multiplier.apply(root.apply(1)))
        }
    });
    lookup(lower, table)
}

/// `x * min(max(x + 3, 0), 6) / 6` in 16 bits (`HardSwish`).
///
/// # Errors
/// A result's scale so small that the reference has no shift for it.
pub(super) fn hard_swish(lower: &mut Lower<'_>, from: &Quant, to: &Quant) -> Result<Lowered, Diagnostic> {
    // The argument in seven more bits; one step of the gate's 16 bits.
    let (fine, gate) = (1.0 / 128.0 * from.scale(0), 3.0 / 32768.0);
    let [output, reluish] = [fine / to.scale(0), fine / gate].map(|factor: f32| Multiplier::new(factor.into()));
    if output.shift > 0 {
        let error = lower.error(Kind::Quantization, "the result's scale is too small for that of the argument");
        return Err(error.got(format!("{from} to {to}")).wanted("a scale above 1/128 of the argument's"));
    }
    let table = table(lower, [lower.arg(0).dtype; 2], |x| {
        let x = (x - from.zero_point()) * 128;
        let result = high_multiply_16(x, high_half(output.value));
        let left = reluish.shift.max(0);
        let before = saturate_16(i64::from(x) << (left - 1).clamp(0, 16));
        let scaled = high_multiply_16(before, high_half(reluish.value));
        let scaled = if left > 0 { saturate_16(i64::from(scaled) << 1) } else { scaled };
        let scaled = rounding_divide_by_pot(scaled, reluish.shift.min(0).unsigned_abs().min(31));
        // From -1..1 to 0..1; the product rounds to zero.
        let share = (scaled + (1 << 15)) >> 1;
        let product = share * result / (1 << 15);
        to.zero_point() + rounding_divide_by_pot(product, output.shift.unsigned_abs().min(31))
    });
    Ok(lookup(lower, table))
}

/// A multiplier's upper 16 bits, rounded (`DownScaleInt32ToInt16Multiplier`).
fn high_half(multiplier: i32) -> i32 {
    (multiplier.saturating_add(1 << 15) >> 16).min(i16::MAX.into())
}

/// `a * b / 2^15` of 16-bit numbers, halves upwards (`SaturatingRoundingDoublingHighMul`).
fn high_multiply_16(a: i32, b: i32) -> i32 {
    saturate_16((i64::from(a) * i64::from(b) + (1 << 14)) >> 15)
}

fn saturate_16(x: i64) -> i32 {
    i32::try_from(x.clamp(i16::MIN.into(), i16::MAX.into())).unwrap_or(0)
}
