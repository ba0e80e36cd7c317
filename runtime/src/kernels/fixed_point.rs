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

    /// As [`one`](Self::one), of a wide accumulator: the multiplier in 16 bits, rounded once.
    #[inline(always)]
    #[must_use]
    pub fn one_wide<T: Integer>(&self, channel: usize, sum: i64) -> T {
        let (multiplier, shift) = self.factor(channel);
        self.clamp(multiply_wide(sum, multiplier, shift.into()).wrapping_add(self.zero_point))
    }

    /// Multiplier and shift of `channel`.
    #[inline(always)]
    fn factor(&self, channel: usize) -> (i32, i8) {
        match (self.multipliers, self.shifts) {
            (&[multiplier], &[shift]) => (multiplier, shift),
            (multipliers, shifts) => (multipliers.at(channel), shifts.at(channel)),
        }
    }

    /// The results of the four channels from `channel` on for their accumulators.
    #[inline(always)]
    #[must_use]
    pub fn four<T: Integer>(&self, channel: usize, [s0, s1, s2, s3]: [i32; 4]) -> [T; 4] {
        let ([m0, m1, m2, m3], [h0, h1, h2, h3]) = match (self.multipliers, self.shifts) {
            (&[multiplier], &[shift]) => ([multiplier; 4], [shift; 4]),
            (multipliers, shifts) => (multipliers.four(channel), shifts.four(channel)),
        };
        [self.scaled(s0, m0, h0), self.scaled(s1, m1, h1), self.scaled(s2, m2, h2), self.scaled(s3, m3, h3)]
    }

    #[inline(always)]
    fn scaled<T: Integer>(&self, sum: i32, multiplier: i32, shift: i8) -> T {
        self.clamp(multiply(sum, multiplier, shift.into()).wrapping_add(self.zero_point))
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
    if shift > 0 {
        high_multiply(x.wrapping_shl(shift.unsigned_abs()), multiplier)
    } else {
        rounding_shift_right(high_multiply(x, multiplier), shift.unsigned_abs())
    }
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
    ((i64::from(x) * i64::from(multiplier) + (1 << 30)) >> 31) as i32
}

/// `x / 2^exponent` for an exponent up to 31, halves away from zero (`RoundingDivideByPOT`).
#[inline(always)]
#[must_use]
pub fn rounding_shift_right(x: i32, exponent: u32) -> i32 {
    let mask = 1i32.wrapping_shl(exponent).wrapping_sub(1);
    let threshold = (mask >> 1) + i32::from(x < 0);
    x.wrapping_shr(exponent) + i32::from(x & mask > threshold)
}
