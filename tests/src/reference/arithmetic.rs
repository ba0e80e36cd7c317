//! Sums and products of i8, and who meets whom under broadcasting.

use super::fixed_point::{multiplier, multiply};
use planner_core::quant::Quant;

/// For each element of `result`, row-major, the index of its partner in a tensor of shape `arg`.
#[must_use]
pub fn partners(arg: &[usize], result: &[usize]) -> Vec<usize> {
    let count: usize = result.iter().product();
    (0..count)
        .map(|index| {
            let (mut rest, mut partner, mut stride) = (index, 0, 1);
            for (back, &size) in result.iter().rev().enumerate() {
                let own = arg.len().checked_sub(back + 1).map_or(1, |axis| arg[axis]);
                partner += if own == 1 { 0 } else { rest % size * stride };
                stride *= own;
                rest /= size;
            }
            partner
        })
        .collect()
}

/// `a + sign * b`, before the activation (`AddElementwise`, `SubElementwise`).
#[must_use]
pub fn sum(a: i8, b: i8, sign: i64, quants: [&Quant; 3]) -> i64 {
    let [qa, qb, qy] = quants;
    let common = 2.0 * f64::from(qa.scale(0).max(qb.scale(0)));
    let scaled = |x: i8, quant: &Quant| {
        let shifted = (i64::from(x) - i64::from(quant.zero_point())) << 20;
        multiply(shifted, multiplier(f64::from(quant.scale(0)) / common))
    };
    let total = scaled(a, qa) + sign * scaled(b, qb);
    let result = multiplier(common / (f64::from(1 << 20) * f64::from(qy.scale(0))));
    multiply(total, result) + i64::from(qy.zero_point())
}

/// `a * b`, before the activation (`MulElementwise`).
#[must_use]
pub fn product(a: i8, b: i8, quants: [&Quant; 3]) -> i64 {
    let [qa, qb, qy] = quants;
    let product = (i64::from(a) - i64::from(qa.zero_point())) * (i64::from(b) - i64::from(qb.zero_point()));
    let scale = f64::from(qa.scale(0)) * f64::from(qb.scale(0)) / f64::from(qy.scale(0));
    multiply(product, multiplier(scale)) + i64::from(qy.zero_point())
}
