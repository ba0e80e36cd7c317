//! Sums and products of i8, and who meets whom under broadcasting.

use super::fixed_point::{Fixed, divide_by_pot, high_mul, multiplier, multiply};
use planner_core::quant::Quant;

/// The operators that compare, and what holds of two numbers.
pub const COMPARISONS: [(&str, fn(&i64, &i64) -> bool); 6] = [
    ("equal", i64::eq),
    ("not_equal", i64::ne),
    ("less", i64::lt),
    ("less_equal", i64::le),
    ("greater", i64::gt),
    ("greater_equal", i64::ge),
];

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

/// `a / b`, before the activation (`DivElementwise`); `None` where that is not defined.
#[must_use]
pub fn quotient(a: impl Into<i64>, b: impl Into<i64>, quants: [&Quant; 3]) -> Option<i64> {
    let [qa, qb, qy] = quants;
    let (a, b) = (a.into() - i64::from(qa.zero_point()), b.into() - i64::from(qb.zero_point()));
    let (a, b) = if b < 0 { (-a, -b) } else { (a, b) };
    if b == 0 {
        return None;
    }
    let (value, shift) = multiplier((qa.scale(0) / (qb.scale(0) * qy.scale(0))).into());
    // The divisor is 1..2 times a power of two.
    let power = b.ilog2();
    let reciprocal = Fixed::new((b << (31 - power)) - (1 << 31), 0).reciprocal_of_one_plus().raw;
    let headroom = if a < 0 { (!a).leading_zeros() } else { a.leading_zeros() } - 33;
    let quotient = high_mul(a << headroom, reciprocal);
    let right = i32::try_from(power + headroom).expect("few bits") - shift;
    let right = u32::try_from(right).ok().filter(|right| *right < 32)?;
    Some(divide_by_pot(high_mul(quotient, value), right) + i64::from(qy.zero_point()))
}

/// `(a - b)^2` (`SquaredDifference`), both with so many fractional bits: 7 for i8, none for i16.
#[must_use]
pub fn squared_difference(a: impl Into<i64>, b: impl Into<i64>, quants: [&Quant; 3], bits: u32) -> i64 {
    let [qa, qb, qy] = quants;
    let common = 2.0 * f64::from(qa.scale(0).max(qb.scale(0)));
    let scaled = |x: i64, quant: &Quant| {
        let shifted = (x - i64::from(quant.zero_point())) << bits;
        multiply(shifted, multiplier(f64::from(quant.scale(0)) / common))
    };
    let difference = scaled(a.into(), qa) - scaled(b.into(), qb);
    let steps = if bits == 0 { 1.0 } else { 16_384.0 };
    let result = multiplier(common * common / f64::from(steps * qy.scale(0)));
    multiply(difference * difference, result) + i64::from(qy.zero_point())
}

/// `x`, or `x * alpha` where negative (`BroadcastPrelu4DSlow`).
#[must_use]
pub fn prelu(x: impl Into<i64>, alpha: impl Into<i64>, quants: [&Quant; 3]) -> i64 {
    let [qx, qa, qy] = quants;
    let (x, alpha) = (x.into() - i64::from(qx.zero_point()), alpha.into() - i64::from(qa.zero_point()));
    let [from, slope, to] = [qx, qa, qy].map(|quant| f64::from(quant.scale(0)));
    let scaled =
        if x >= 0 { multiply(x, multiplier(from / to)) } else { multiply(x * alpha, multiplier(from * slope / to)) };
    scaled + i64::from(qy.zero_point())
}

/// Both as reals with eight fractional bits (`ComparisonWithScaling`).
#[must_use]
pub fn reals(a: impl Into<i64>, b: impl Into<i64>, quants: [&Quant; 2]) -> [i64; 2] {
    let real =
        |x: i64, quant: &Quant| multiply((x - i64::from(quant.zero_point())) << 8, multiplier(quant.scale(0).into()));
    [real(a.into(), quants[0]), real(b.into(), quants[1])]
}
