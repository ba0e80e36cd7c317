//! Softmax and layer normalisation of one row.

use super::fixed_point::{Fixed, divide_by_pot, high_mul, multiplier, multiply};
use planner_core::quant::Quant;

/// `exp(beta * x) / sum(exp(beta * x))`.
#[must_use]
pub fn softmax(row: &[f64], beta: f64) -> Vec<f64> {
    let max = row.iter().copied().fold(f64::MIN, f64::max);
    let exponentials: Vec<f64> = row.iter().map(|x| ((x - max) * beta).exp()).collect();
    let sum: f64 = exponentials.iter().sum();
    exponentials.iter().map(|x| x / sum).collect()
}

/// The same in fixed point (`Softmax` for int8), a result of `bits` bits: as many are fractional, and it counts from
/// its least number.
#[must_use]
#[allow(clippy::cast_possible_truncation, reason = "saturates")]
pub fn softmax_i8(row: &[i8], quant: &Quant, beta: f32, bits: u32) -> Vec<i64> {
    let real = f64::from(beta) * f64::from(quant.scale(0)) * f64::from(1 << 26);
    let scale = multiplier(real.min(f64::from(i32::MAX)));
    let least = -((31.0 * f64::from(1 << 26) / 2f64.powi(scale.1)).floor() as i64);
    let max = i64::from(row.iter().copied().max().expect("a row"));
    let exponential = |x: i8| {
        let difference = i64::from(x) - max;
        (difference >= least).then(|| Fixed::new(multiply(difference, scale), 5).exp().raw)
    };
    let sum: i64 = row.iter().filter_map(|&x| exponential(x)).map(|x| divide_by_pot(x, 12)).sum();
    let zeros = i32::try_from(sum).expect("12 integer bits").leading_zeros();
    let reciprocal = Fixed::new((sum << zeros) - (1 << 31), 0).reciprocal_of_one_plus().raw;
    let share = |&x: &i8| {
        let share = exponential(x).map_or(0, |x| divide_by_pot(high_mul(reciprocal, x), 43 - bits - zeros));
        let half = 1i64 << (bits - 1);
        (share - half).clamp(-half, half - 1)
    };
    row.iter().map(share).collect()
}

/// `(x - mean) / sqrt(variance + epsilon) * gamma + beta`.
#[must_use]
#[allow(clippy::cast_precision_loss, reason = "short rows")]
pub fn layer_norm(row: &[f64], epsilon: f64, gamma: &[f64], beta: &[f64]) -> Vec<f64> {
    let mean = row.iter().sum::<f64>() / row.len() as f64;
    let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / row.len() as f64;
    let normal = row.iter().map(|x| (x - mean) / (variance + epsilon).sqrt());
    normal.zip(gamma).zip(beta).map(|((x, gamma), beta)| x * gamma + beta).collect()
}
