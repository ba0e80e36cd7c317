//! The integer arithmetic of quantised kernels, bit for bit that of TensorFlow Lite Micro.

use super::{Elements, Integer};

/// How accumulators become integers of a tensor: scaled, moved to the zero point, clamped.
#[derive(Clone, Copy, Debug)]
pub struct Requantize<'a> {
    /// A multiplier, not negative, for each channel, or one for all.
    pub multipliers: &'a [i32],
    /// As many shifts, positive to the left.
    pub shifts: &'a [i8],
    /// The result's zero point.
    pub zero_point: i32,
    /// Lower bound, in the range of the result's type.
    pub min: i32,
    /// Upper bound, in the range of the result's type.
    pub max: i32,
}

impl Requantize<'_> {
    /// The result of `channel` for its accumulator.
    #[inline(always)]
    #[must_use]
    pub fn one<T: Integer>(&self, channel: usize, sum: i32) -> T {
        let (multiplier, shift) = self.factor(channel);
        self.scaled(sum, multiplier, shift)
    }

    /// As [`one`](Self::one), rounded once.
    #[inline(always)]
    #[must_use]
    pub fn one_rounded_once<T: Integer>(&self, channel: usize, sum: i32) -> T {
        let (multiplier, shift) = self.factor(channel);
        self.clamp(multiply_once(sum, multiplier, shift).wrapping_add(self.zero_point))
    }

    /// As [`one`](Self::one), of a wide accumulator: the multiplier in 16 bits, rounded once.
    #[inline(always)]
    #[must_use]
    pub fn one_wide<T: Integer>(&self, channel: usize, sum: i64) -> T {
        let (multiplier, shift) = self.factor(channel);
        self.clamp(multiply_wide(sum, multiplier, shift).wrapping_add(self.zero_point))
    }

    /// Multiplier and shift of `channel`.
    #[inline(always)]
    fn factor(&self, channel: usize) -> (i32, i32) {
        match (self.multipliers, self.shifts) {
            (&[multiplier], &[shift]) => (multiplier, shift.into()),
            (multipliers, shifts) => (multipliers.at(channel), shifts.at(channel).into()),
        }
    }

    /// The results of the four channels from `channel` on for their accumulators.
    #[inline(always)]
    #[must_use]
    pub fn four<T: Integer>(&self, channel: usize, [s0, s1, s2, s3]: [i32; 4]) -> [T; 4] {
        let (multipliers, shifts) = match (self.multipliers, self.shifts) {
            // Spelled out: four of one value are a loop over memory where code is kept small.
            (&[m], &[shift]) => {
                let h = i32::from(shift);
                ([m, m, m, m], [h, h, h, h])
            }
            (multipliers, shifts) => match (multipliers.after(channel), shifts.after(channel)) {
                // Bytes one by one: four that move as one value would be packed into a word and unpacked again.
                (&[m0, m1, m2, m3, ..], &[h0, h1, h2, h3, ..]) => {
                    ([m0, m1, m2, m3], [h0.into(), h1.into(), h2.into(), h3.into()])
                }
                _ => return [T::zeroed(); 4],
            },
        };
        let ([m0, m1, m2, m3], [h0, h1, h2, h3]) = (multipliers, shifts);
        [self.scaled(s0, m0, h0), self.scaled(s1, m1, h1), self.scaled(s2, m2, h2), self.scaled(s3, m3, h3)]
    }

    #[inline(always)]
    fn scaled<T: Integer>(&self, sum: i32, multiplier: i32, shift: i32) -> T {
        self.clamp(multiply(sum, multiplier, shift).wrapping_add(self.zero_point))
    }

    /// `x`, which includes the zero point, between the bounds.
    #[inline(always)]
    #[must_use]
    pub fn clamp<T: Integer>(&self, x: i32) -> T {
        T::low(x.max(self.min).min(self.max))
    }
}

/// `x * multiplier * 2^(shift - 31)`, rounded twice as gemmlowp does
/// (`MultiplyByQuantizedMultiplier`). The multiplier is not negative, so nothing saturates.
#[inline(always)]
#[must_use]
pub fn multiply(x: i32, multiplier: i32, shift: i32) -> i32 {
    if shift >= 0 {
        return high_multiply(x.wrapping_shl(shift.unsigned_abs()), multiplier);
    }
    // As `rounding_shift_right` in fewer instructions: what is negative is moved down by one, so that halves upwards
    // are halves away from zero. The product is above -2^31 and below 2^31 - 1, so nothing overflows.
    let product = high_multiply(x, multiplier).wrapping_add(x >> 31);
    product.wrapping_shr(shift.unsigned_abs().wrapping_sub(1)).wrapping_add(1) >> 1
}

/// `x * multiplier * 2^(shift - 31)`, halves upwards (`MultiplyByQuantizedMultiplier` with `TFLITE_SINGLE_ROUNDING`).
#[inline(always)]
#[must_use]
#[allow(clippy::cast_possible_truncation, reason = "as the reference does")]
pub fn multiply_once(x: i32, multiplier: i32, shift: i32) -> i32 {
    let right = 31i32.wrapping_sub(shift).unsigned_abs();
    let half = 1i64.wrapping_shl(right) >> 1;
    (i64::from(x) * i64::from(multiplier)).wrapping_add(half).wrapping_shr(right) as i32
}

/// `x * multiplier * 2^(shift - 31)` with the upper 16 bits of the multiplier, halves upwards
/// (`MultiplyByQuantizedMultiplier` of an `int64_t`). `x` has 48 bits.
#[inline(always)]
#[must_use]
#[allow(clippy::cast_possible_truncation, reason = "as the reference does")]
pub fn multiply_wide(x: i64, multiplier: i32, shift: i32) -> i32 {
    let reduced = if multiplier < 0x7fff_0000 { (multiplier + (1 << 15)) >> 16 } else { 0x7fff };
    let right = 15i32.wrapping_sub(shift).unsigned_abs();
    let half = 1i64.wrapping_shl(right) >> 1;
    x.wrapping_mul(reduced.into()).wrapping_add(half).wrapping_shr(right) as i32
}

/// `x * multiplier / 2^31`, halves upwards (`SaturatingRoundingDoublingHighMul`).
#[inline(always)]
#[must_use]
#[allow(clippy::cast_possible_truncation, reason = "the multiplier is below 2^31")]
pub fn high_multiply(x: i32, multiplier: i32) -> i32 {
    // ARMv6-M has no product of 64 bits.
    if cfg!(waterline_arch = "thumb") {
        return high_multiply_by_halves(x, multiplier);
    }
    ((i64::from(x) * i64::from(multiplier) + (1 << 30)) >> 31) as i32
}

/// [`high_multiply`] in 32 bits.
#[inline(always)]
fn high_multiply_by_halves(x: i32, multiplier: i32) -> i32 {
    let halves = |value: i32| (value >> 16, value & 0xffff);
    let ((x_high, x_low), (m_high, m_low)) = (halves(x), halves(multiplier));
    // Most sums are small, and two products do.
    if (x << 16) >> 16 == x {
        return (x * m_high + ((x * m_low) >> 16) + (1 << 14)) >> 15;
    }
    // The product is `high * 2^32 + middle * 2^16` and less than 2^16 more; the lowest term wraps around as a sum of
    // unsigned numbers, and none of the others leaves 32 bits.
    let lowest = x_low.wrapping_mul(m_low).cast_unsigned() >> 16;
    let low = x_low.wrapping_mul(m_high).wrapping_add(lowest.cast_signed());
    let middle = x_high.wrapping_mul(m_low).wrapping_add(low & 0xffff);
    let high = x_high.wrapping_mul(m_high).wrapping_add(low >> 16);
    high.wrapping_shl(1).wrapping_add(middle.wrapping_add(1 << 14) >> 15)
}

/// `x / 2^exponent` for an exponent up to 31, halves away from zero (`RoundingDivideByPOT`).
#[inline(always)]
#[must_use]
pub fn rounding_shift_right(x: i32, exponent: u32) -> i32 {
    let mask = 1i32.wrapping_shl(exponent).wrapping_sub(1);
    let threshold = (mask >> 1) + i32::from(x < 0);
    x.wrapping_shr(exponent) + i32::from(x & mask > threshold)
}

/// `1 / (1 + x)` for `x` in 0..1, both with 31 fractional bits:
/// three steps of Newton and Raphson with 29, as gemmlowp's `one_over_one_plus_x_for_x_in_0_1`.
#[must_use]
pub fn reciprocal_of_one_plus(x: i32) -> i32 {
    const ONE: i32 = 1 << 29;
    const FORTY_EIGHT_SEVENTEENTHS: i32 = 1_515_870_810;
    const THIRTY_TWO_SEVENTEENTHS: i32 = 1_010_580_540;
    // (x + (1 - 2^-31) + 2^-31) / 2
    let half = (x >> 1) + (1 << 30);
    let mut y = FORTY_EIGHT_SEVENTEENTHS + high_multiply(half, -THIRTY_TWO_SEVENTEENTHS);
    for _ in 0..3 {
        // Four times smaller than `y` until shifted.
        y += high_multiply(y, ONE - high_multiply(half, y)) << 2;
    }
    if y > (1 << 30) - 1 { i32::MAX } else { y << 1 }
}

/// `log(x)` with five integer bits of `x >= 1` with twelve, as gemmlowp's
/// `log_x_for_x_greater_than_or_equal_to_1`: a quotient of polynomials about a power of two.
#[must_use]
#[allow(clippy::cast_possible_wrap, reason = "a number of bits")]
pub fn log(x: i32) -> i32 {
    // With no integer bits, but for the quarter, which has six.
    const LOG_2: i32 = 1_488_522_236;
    const SQRT_HALF: i32 = 1_518_500_250;
    const SQRT_SQRT_HALF: i32 = 1_805_811_301;
    const ALPHA_N: i32 = 117_049_297;
    const ALPHA_D: i32 = 127_690_142;
    const ALPHA_I: i32 = 1_057_819_769;
    const ALPHA_F: i32 = 638_450_708;
    const QUARTER: i32 = 1 << 23;
    let mul = high_multiply;
    let zeros = x.leading_zeros();
    let a = saturating_shift_left(mul(saturating_shift_left(x, zeros.saturating_sub(1)), SQRT_HALF), 1);
    let a_power = saturating_shift_left(12 - zeros as i32, 25).saturating_add(QUARTER);
    let zeros = mul(x, SQRT_HALF).leading_zeros().saturating_sub(1);
    let b = saturating_shift_left(x, zeros);
    let b_power = saturating_shift_left(12 - zeros as i32, 25).saturating_sub(QUARTER);
    let (r, power) = (a.min(b), a_power.max(b_power));
    // Half the sum, rounded up: both are positive.
    let p = (r | SQRT_SQRT_HALF).wrapping_sub((r ^ SQRT_SQRT_HALF) >> 1);
    let q = r.wrapping_sub(SQRT_SQRT_HALF).wrapping_mul(2);
    let square = mul(q, q);
    let numerator = mul(q, r).wrapping_add(mul(mul(q, square), ALPHA_N));
    let denominator = mul(p, ALPHA_I.wrapping_add(q).wrapping_add(mul(ALPHA_D, square))).wrapping_add(mul(ALPHA_F, q));
    let quotient = mul(rounding_shift_right(numerator, 6), reciprocal_of_one_plus(denominator));
    saturating_shift_left(mul(power, LOG_2).wrapping_add(quotient), 1)
}

/// `1 / sqrt(x)` as a multiplier and its shift, positive to the left (`GetInvSqrtQuantizedMultiplierExp`).
#[must_use]
#[allow(clippy::cast_possible_wrap, reason = "a number of bits")]
pub fn reciprocal_of_sqrt(x: i32) -> (i32, i32) {
    const SQRT_HALF: i32 = 1_518_500_250;
    if x <= 1 {
        return (i32::MAX, 0);
    }
    let mut shift = 11;
    let mut x = x;
    while x >= 1 << 29 {
        x /= 4;
        shift += 1;
    }
    let pairs = ((x.leading_zeros() - 1) / 2).saturating_sub(1);
    shift -= pairs as i32;
    // With three integer bits: x and its half.
    let x = x.wrapping_shl(2 * pairs) >> 1;
    let half = rounding_shift_right(x, 1);
    let mut y = 1i32 << 28;
    for _ in 0..5 {
        // The cube has nine integer bits, the sum six.
        let cube = saturating_shift_left(high_multiply(high_multiply(y, y), y), 6);
        let next = high_multiply((1 << 28) + (1 << 27), y).wrapping_sub(high_multiply(half, cube));
        y = saturating_shift_left(next, 3);
    }
    let y = high_multiply(y, SQRT_HALF);
    if shift < 0 { (y.wrapping_shl(shift.unsigned_abs()), 0) } else { (y, -shift) }
}

/// `x * 2^bits`, saturated.
#[inline(always)]
fn saturating_shift_left(x: i32, bits: u32) -> i32 {
    let shifted = x.wrapping_shl(bits);
    if shifted.wrapping_shr(bits) == x {
        shifted
    } else if x < 0 {
        i32::MIN
    } else {
        i32::MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_rounded_twice() {
        let mut random = 1u32;
        let mut next = || {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            random.cast_signed()
        };
        let ends: &[i32] =
            &[i32::MIN, i32::MIN + 1, -(1 << 30), -3, -2, -1, 0, 1, 2, 3, 1 << 30, i32::MAX - 1, i32::MAX];
        for round in 0..40_000 {
            let x = if round % 2 == 0 { next() >> (next() & 31) } else { ends.at(round % ends.len()) };
            let multiplier = if round % 3 == 0 { ends.at(6 + round % 7) } else { next() & i32::MAX };
            assert_eq!(high_multiply_by_halves(x, multiplier), high_multiply(x, multiplier), "{x} {multiplier}");
            let negative = multiplier.wrapping_neg();
            assert_eq!(high_multiply_by_halves(x, negative), high_multiply(x, negative), "{x} {negative}");
            for exponent in 1..32 {
                let wanted = rounding_shift_right(high_multiply(x, multiplier), exponent);
                assert_eq!(multiply(x, multiplier, -exponent.cast_signed()), wanted, "{x} {multiplier} {exponent}");
            }
        }
    }
}
