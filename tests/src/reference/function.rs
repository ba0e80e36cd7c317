//! Functions of one i8 with tables of their own in TensorFlow Lite.

use super::fixed_point::{Fixed, divide_by_pot, multiplier, multiply};
use planner_core::quant::Quant;

fn to_i8(x: i64) -> i8 {
    i8::try_from(x.clamp(-128, 127)).expect("clamped")
}

/// A real function in f32 (`LUTPopulate`), before it is clamped.
#[must_use]
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "saturates; small integers")]
pub fn real(x: impl Into<i64>, from: &Quant, to: &Quant, f: impl Fn(f32) -> f32) -> i64 {
    let result = f(from.scale(0) * (x.into() - i64::from(from.zero_point())) as f32);
    let rescaled = (result * (1.0 / to.scale(0))).round();
    ((rescaled + to.zero_point() as f32) as i32).into()
}

/// `AbsEvalQuantized`, before it is clamped.
#[must_use]
pub fn abs(x: impl Into<i64>, from: &Quant, to: &Quant) -> i64 {
    let magnitude = (x.into() - i64::from(from.zero_point())).abs();
    let scale = multiplier(f64::from(from.scale(0)) / f64::from(to.scale(0)));
    let scaled = if from.scale(0) == to.scale(0) { magnitude } else { multiply(magnitude, scale) };
    scaled + i64::from(to.zero_point())
}

/// `RsqrtEvalQuantized`, before it is clamped.
#[must_use]
pub fn rsqrt(x: impl Into<i64>, from: &Quant, to: &Quant) -> i64 {
    let x = x.into() - i64::from(from.zero_point());
    if x <= 0 {
        return i64::MAX;
    }
    let (root, root_shift) = reciprocal_of_sqrt(x);
    let (scale, shift) = multiplier(1.0 / (f64::from(from.scale(0)).sqrt() * f64::from(to.scale(0))));
    let root = multiply(1, (root, root_shift + 20));
    multiply(root, (scale, shift - 20)) + i64::from(to.zero_point())
}

/// `1 / sqrt(x)` as a multiplier (`GetInvSqrtQuantizedMultiplierExp`).
#[must_use]
pub fn reciprocal_of_sqrt(x: i64) -> (i64, i32) {
    if x <= 1 {
        return (i32::MAX.into(), 0);
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
    let x = Fixed::new(x >> 1, 3);
    let half = Fixed::new(divide_by_pot(x.raw, 1), 3);
    let three_halves = Fixed::of(1.5, 3);
    let mut y = Fixed::of(1.0, 3);
    for _ in 0..5 {
        let cube = y.times(y).times(y).with(3);
        let negative = half.times(cube).negated();
        y = three_halves.times(y).plus(negative).with(3);
    }
    let y = y.times(Fixed::of(0.5f64.sqrt(), 0)).raw;
    if shift < 0 { (y << -shift, 0) } else { (y, -shift) }
}

/// `HardSwish`, in 16 bits, before it is clamped.
///
/// # Panics
/// If the result's scale is too small for the argument's.
#[must_use]
pub fn hard_swish(x: impl Into<i64>, from: &Quant, to: &Quant) -> i64 {
    let saturate = |x: i64| x.clamp(i16::MIN.into(), i16::MAX.into());
    let high_mul = |a: i64, b: i64| saturate((a * b + (1 << 14)).div_euclid(1 << 15));
    let narrow = |value: i64| if value >= i64::from(i32::MAX) - (1 << 15) { 32767 } else { (value + (1 << 15)) >> 16 };
    let fine = from.scale(0) * (1.0 / 128.0);
    let (output, output_shift) = multiplier((fine / to.scale(0)).into());
    let (gate, gate_shift) = multiplier((fine / (3.0f32 / 32768.0)).into());
    let x = (x.into() - i64::from(from.zero_point())) << 7;
    let unshifted = high_mul(x, narrow(output));
    let mut gated = x;
    if gate_shift > 0 {
        gated = saturate(gated << (gate_shift - 1));
    }
    gated = high_mul(gated, narrow(gate));
    if gate_shift > 0 {
        gated = saturate(gated << 1);
    }
    gated = divide_by_pot(gated, u32::try_from((-gate_shift).max(0)).expect("a shift"));
    let share = (gated + (1 << 15)) >> 1;
    let product = share * unshifted / (1 << 15);
    let shifted = divide_by_pot(product, u32::try_from(-output_shift).expect("not to the left"));
    shifted + i64::from(to.zero_point())
}

/// `x - log(sum(exp(x)))` of one row (`LogSoftmaxQuantized`).
#[must_use]
#[allow(clippy::cast_possible_truncation, reason = "saturates")]
pub fn log_softmax(row: &[i8], quant: &Quant) -> Vec<i8> {
    let scale = multiplier((f64::from(quant.scale(0)) * f64::from(1 << 26)).min(i32::MAX.into()));
    let back = multiplier(2f64.powi(31 - scale.1) / f64::from(i32::try_from(scale.0).expect("31 bits")));
    let least = -((31.0 * f64::from(1 << 26) / 2f64.powi(scale.1)).floor() as i64);
    let max = i64::from(row.iter().copied().max().expect("a row"));
    let distances: Vec<i64> = row.iter().map(|&x| i64::from(x) - max).collect();
    let exponentials = distances.iter().filter(|distance| **distance >= least);
    let sum = exponentials.map(|&d| divide_by_pot(Fixed::new(multiply(d, scale), 5).exp().raw, 12)).sum();
    let log = Fixed::new(sum, 12).log().raw;
    let farthest = (least - 1).max(multiply(log + i64::from(i32::MIN), back));
    let result = |&distance: &i64| {
        if distance <= farthest { -128 } else { to_i8(divide_by_pot(multiply(distance, scale) - log, 22) + 127) }
    };
    distances.iter().map(result).collect()
}

/// `x / sqrt(sum(x * x))` of one row, before it is clamped, a result of scale 1/128 and zero point 0 in i8
/// (`reference_integer_ops::L2Normalization`), 128 in u8 (`L2Normalization`).
#[must_use]
pub fn l2_normalize(row: &[i64], quant: &Quant, u8: bool) -> Vec<i64> {
    let real: Vec<i64> = row.iter().map(|x| x - i64::from(quant.zero_point())).collect();
    let (scale, shift) = reciprocal_of_sqrt(real.iter().map(|x| x * x).sum());
    let of_i8 = |x: i64| multiply(x, (scale, shift + 7));
    let of_u8 = |x: i64| multiply(x * 128, (scale, shift)) + 128;
    real.into_iter().map(|x| if u8 { of_u8(x) } else { of_i8(x) }).collect()
}
