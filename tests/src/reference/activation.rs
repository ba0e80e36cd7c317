//! Functions of one element.

use super::fixed_point::{Fixed, divide_by_pot, multiplier, multiply};
use planner_core::quant::Quant;

fn to_i8(x: i64) -> i8 {
    i8::try_from(x.clamp(-128, 127)).expect("clamped")
}

/// The integer of `quant` nearest to `real`, f32 throughout.
#[must_use]
#[allow(clippy::cast_possible_truncation, reason = "saturates")]
pub fn quantized(real: f32, quant: &Quant) -> i64 {
    let steps = (real / quant.scale(0)).round().clamp(-1e6, 1e6);
    (steps as i64 + i64::from(quant.zero_point())).clamp(-128, 127)
}

/// `Requantize`, and `ReluQuantized` with bounds.
#[must_use]
pub fn clamp(x: i8, from: &Quant, to: &Quant, bounds: [f32; 2]) -> i8 {
    let scale = multiplier(f64::from(from.scale(0)) / f64::from(to.scale(0)));
    let y = multiply(i64::from(x) - i64::from(from.zero_point()), scale) + i64::from(to.zero_point());
    let [min, max] = bounds.map(|bound| if bound.is_finite() { quantized(bound, to) } else { i64::MAX });
    to_i8(y.clamp(if bounds[0].is_finite() { min } else { -128 }, max))
}

/// `QuantizeLeakyRelu`.
#[must_use]
pub fn leaky_relu(x: i8, from: &Quant, to: &Quant, alpha: f32) -> i8 {
    let x = i64::from(x) - i64::from(from.zero_point());
    let factor = if x >= 0 { from.scale(0) / to.scale(0) } else { from.scale(0) * alpha / to.scale(0) };
    to_i8(multiply(x, multiplier(factor.into())) + i64::from(to.zero_point()))
}

/// `reference_integer_ops::Logistic`.
#[must_use]
pub fn sigmoid(x: i8, from: &Quant) -> i8 {
    in_q4(x, from, |x| divide_by_pot(x.logistic().raw, 23) - 128)
}

/// `reference_integer_ops::Tanh`.
#[must_use]
pub fn tanh(x: i8, from: &Quant) -> i8 {
    in_q4(x, from, |x| divide_by_pot(x.tanh().raw, 24))
}

#[allow(clippy::cast_possible_truncation, reason = "saturates")]
fn in_q4(x: i8, from: &Quant, function: impl Fn(Fixed) -> i64) -> i8 {
    let scale = multiplier(f64::from(from.scale(0)) * f64::from(1 << 27));
    let radius = (15.0 * f64::from(1 << 27) / 2f64.powi(scale.1)).floor() as i64;
    let x = i64::from(x) - i64::from(from.zero_point());
    if x <= -radius {
        -128
    } else if x >= radius {
        127
    } else {
        to_i8(function(Fixed::new(multiply(x, scale), 4)))
    }
}
