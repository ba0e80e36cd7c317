//! Exponential, logistic and hyperbolic tangent in fixed point, bit for bit as gemmlowp computes them.
//!
//! `Qm` is a 32-bit number with `m` integer bits: its value is `raw / 2^(31 - m)`.
//! Results are `Q0`, where `i32::MAX` stands for 1.

use crate::fixed_point::{Multiplier, rounding_divide_by_pot, saturating_rounding_doubling_high_mul as mul};

/// 1 in `Q0`, as near as it gets.
const ONE: i32 = i32::MAX;

/// `exp(-2^k)` in `Q0` for `k` from -2 on.
const POWERS: [i32; 7] = [1_672_461_947, 1_302_514_674, 790_015_084, 290_630_308, 39_332_535, 720_401, 242];

/// `exp(x)` for `x <= 0` in `Qm`, with `m` of 5 at most.
#[must_use]
pub fn exp(x: i32, m: u32) -> i32 {
    if x == 0 {
        return ONE;
    }
    // x = -(a number of quarters) + (the rest, in -1/4..0).
    let quarter = 1i32 << (29 - m);
    let rest = (x & (quarter - 1)) - quarter;
    let quarters = rest.wrapping_sub(x);
    let bits = POWERS.iter().enumerate().take(m as usize + 2);
    bits.filter(|(k, _)| quarters & (quarter << k) != 0)
        .fold(exp_of_rest(rest << m), |product, (_, power)| mul(product, *power))
}

/// `exp(x)` for `x` in -1/4..0, both `Q0`: four terms of the Taylor series about -1/8.
fn exp_of_rest(x: i32) -> i32 {
    const EXP_OF_MINUS_EIGHTH: i32 = 1_895_147_668;
    const THIRD: i32 = 715_827_883;
    let x1 = x + (1 << 28);
    let x2 = mul(x1, x1);
    let x3 = mul(x2, x1);
    let x4 = mul(x2, x2);
    // x^2/2 + x^3/6 + x^4/24
    let higher = rounding_divide_by_pot(mul(rounding_divide_by_pot(x4, 2) + x3, THIRD) + x2, 1);
    EXP_OF_MINUS_EIGHTH + mul(EXP_OF_MINUS_EIGHTH, x1 + higher)
}

/// `1 / (1 + x)` in `Q1` for `x` in 0..=1 in `Q0`: three steps of Newton and Raphson in `Q2`.
///
/// The runtime's softmax does the same with its sum.
fn reciprocal_of_one_plus(x: i32) -> i32 {
    const ONE_Q2: i32 = 1 << 29;
    const FORTY_EIGHT_SEVENTEENTHS: i32 = 1_515_870_810;
    const THIRTY_TWO_SEVENTEENTHS: i32 = 1_010_580_540;
    let half = i32::try_from((i64::from(x) + i64::from(ONE) + 1) / 2).unwrap_or(ONE);
    let mut y = FORTY_EIGHT_SEVENTEENTHS + mul(half, -THIRTY_TWO_SEVENTEENTHS);
    for _ in 0..3 {
        // The product is `Q4`.
        y += saturating_shl(mul(y, ONE_Q2 - mul(half, y)), 2);
    }
    y
}

/// `1 / (1 + exp(-x))` for `x` in `Q4`.
#[must_use]
pub fn logistic(x: i32) -> i32 {
    // From `Q1`, the reciprocal of twice the half denominator, to `Q0`.
    let of_positive = |x: i32| saturating_shl(reciprocal_of_one_plus(exp(-x, 4)), 1);
    match x {
        0 => 1 << 30,
        1.. => of_positive(x),
        _ => ONE - of_positive(x.saturating_neg()),
    }
}

/// `tanh(x)` for `x` in `Q4`.
#[must_use]
pub fn tanh(x: i32) -> i32 {
    // (1 - e) / (1 + e) = 2 / (1 + e) - 1 with e = exp(-2x); x in `Q4` is 2x in `Q5`.
    let of_positive = |x: i32| saturating_shl(reciprocal_of_one_plus(exp(-x, 5)) - (1 << 29), 2);
    match x {
        0 => 0,
        1.. => of_positive(x),
        _ => -of_positive(x.saturating_neg()),
    }
}

/// `1 / sqrt(x)` as a multiplier (`GetInvSqrtQuantizedMultiplierExp`): five steps of Newton and Raphson in `Q3`.
///
/// The runtime's `l2_normalize` does the same with its sum.
#[must_use]
pub fn reciprocal_of_sqrt(x: i32) -> Multiplier {
    const SQRT_HALF: i32 = 1_518_500_250;
    const THREE_HALVES: i32 = (1 << 28) + (1 << 27);
    if x <= 1 {
        return Multiplier { value: i32::MAX, shift: 0 };
    }
    let (mut x, mut shift) = (x, 11);
    while x >= 1 << 29 {
        x /= 4;
        shift += 1;
    }
    while x < 1 << 27 {
        x *= 4;
        shift -= 1;
    }
    let x = x >> 1;
    let half = rounding_divide_by_pot(x, 1);
    let mut y = 1 << 28;
    for _ in 0..5 {
        let cube = saturating_shl(mul(mul(y, y), y), 6);
        y = saturating_shl(mul(THREE_HALVES, y) - mul(half, cube), 3);
    }
    let y = mul(y, SQRT_HALF);
    if shift < 0 { Multiplier { value: y << -shift, shift: 0 } } else { Multiplier { value: y, shift: -shift } }
}

fn saturating_shl(x: i32, bits: u32) -> i32 {
    let wide = i64::from(x) << bits;
    i32::try_from(wide).unwrap_or(if x < 0 { i32::MIN } else { i32::MAX })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn real(raw: i32) -> f64 {
        f64::from(raw) / 2f64.powi(31)
    }

    #[test]
    #[allow(clippy::cast_possible_truncation)]
    fn constants_are_rounded_exponentials() {
        let exact = |k: i32| ((-(2f64.powi(k))).exp() * 2f64.powi(31)).round() as i32;
        assert!(POWERS.into_iter().eq((-2..5).map(exact)));
    }

    #[test]
    fn functions_are_close_to_the_real_ones() {
        for i in 1..2000 {
            let x = -f64::from(i) / 128.0;
            #[allow(clippy::cast_possible_truncation)]
            let raw = |m: i32| (x * 2f64.powi(31 - m)) as i32;
            assert!((real(exp(raw(5), 5)) - x.exp()).abs() < 1e-6, "exp({x})");
            assert!((real(logistic(raw(4))) - 1.0 / (1.0 + (-x).exp())).abs() < 1e-6, "logistic({x})");
            assert!((real(logistic(-raw(4))) - 1.0 / (1.0 + x.exp())).abs() < 1e-6, "logistic({})", -x);
            assert!((real(tanh(raw(4))) - x.tanh()).abs() < 1e-6, "tanh({x})");
        }
        assert_eq!([exp(0, 5), logistic(0), tanh(0)], [i32::MAX, 1 << 30, 0]);
        for x in [2, 3, 7, 100, 65_025, 1 << 27, 1 << 29, i32::MAX] {
            let root = reciprocal_of_sqrt(x);
            let real = f64::from(root.value) * 2f64.powi(root.shift - 31) * f64::from(x).sqrt();
            assert!((real - 1.0).abs() < 1e-4, "1 / sqrt({x}) is {real} times as much");
        }
    }
}
