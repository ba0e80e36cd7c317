//! Functions of one i8, as tables of 256 entries computed here with TFLite Micro's arithmetic.

use super::activation::quantized;
use super::{Lower, Lowered, unary};
use crate::dtype::DType;
use crate::emit::{StaticId, Struct, Value};
use crate::fixed_math;
use crate::fixed_point::{Multiplier, rounding_divide_by_pot};
use crate::quant::Quant;

/// Argument 0 through `table`, element by element.
pub(super) fn lookup(lower: &Lower<'_>, table: StaticId) -> Lowered {
    let params = Struct { name: "Lut", fields: vec![("table", Value::Slice(table))] };
    unary::elementwise(lower, "lut_i8", params)
}

/// The table of `function`, whose results are clamped to i8.
fn table(lower: &mut Lower<'_>, function: impl Fn(i32) -> i32) -> StaticId {
    #[allow(clippy::cast_possible_truncation, reason = "clamped")]
    let values: Vec<i8> = (-128..=127).map(|x| function(x).clamp(-128, 127) as i8).collect();
    let name = format!("{}_table", lower.result_name());
    lower.static_i8(name, &values, false)
}

/// The same numbers under another scale and zero point (`Requantize`).
pub(super) fn requantize(lower: &mut Lower<'_>, from: &Quant, to: &Quant) -> StaticId {
    let multiplier = Multiplier::new(f64::from(from.scale(0)) / f64::from(to.scale(0)));
    scaled(lower, from, to, |_| multiplier)
}

/// `x` where positive, else `alpha * x` (`QuantizeLeakyRelu`).
pub(super) fn leaky_relu(lower: &mut Lower<'_>, from: &Quant, to: &Quant, alpha: f32) -> StaticId {
    // f32 products, as TFLite Micro has them.
    let identity = Multiplier::new((from.scale(0) / to.scale(0)).into());
    let sloped = Multiplier::new((from.scale(0) * alpha / to.scale(0)).into());
    scaled(lower, from, to, |x| if x >= 0 { identity } else { sloped })
}

/// `x` between two real bounds (`ReluQuantized`).
pub(super) fn clamp(lower: &mut Lower<'_>, from: &Quant, to: &Quant, bounds: [f32; 2]) -> StaticId {
    let multiplier = Multiplier::new(f64::from(from.scale(0)) / f64::from(to.scale(0)));
    let [min, max] = bounds.map(|bound| quantized(bound, to, DType::I8));
    let (from, to) = (from.zero_point(), to.zero_point());
    table(lower, |x| to.saturating_add(multiplier.apply(x - from)).clamp(min, max))
}

fn scaled(lower: &mut Lower<'_>, from: &Quant, to: &Quant, multiplier: impl Fn(i32) -> Multiplier) -> StaticId {
    let (from, to) = (from.zero_point(), to.zero_point());
    table(lower, |x| to.saturating_add(multiplier(x - from).apply(x - from)))
}

/// `1 / (1 + exp(-x))` with scale 1/256 and zero point -128 (`reference_integer_ops::Logistic`).
pub(super) fn sigmoid(lower: &mut Lower<'_>, from: &Quant) -> StaticId {
    in_q4(lower, from, |x| rounding_divide_by_pot(fixed_math::logistic(x), 23) - 128)
}

/// `tanh(x)` with scale 1/128 and zero point 0 (`reference_integer_ops::Tanh`).
pub(super) fn tanh(lower: &mut Lower<'_>, from: &Quant) -> StaticId {
    in_q4(lower, from, |x| rounding_divide_by_pot(fixed_math::tanh(x), 24))
}

/// A function of `x` in four integer bits that is saturated where those do not suffice.
fn in_q4(lower: &mut Lower<'_>, from: &Quant, function: impl Fn(i32) -> i32) -> StaticId {
    let multiplier = Multiplier::new(f64::from(from.scale(0)) * 2f64.powi(27));
    let radius = input_radius(4, multiplier.shift);
    table(lower, |x| match x - from.zero_point() {
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
