//! The integer arithmetic of quantised kernels, bit for bit that of TensorFlow Lite Micro.

/// How accumulators become `i8`: scaled, moved to the zero point, clamped.
#[derive(Clone, Copy, Debug)]
pub struct Requantize<'a> {
    /// A multiplier in `2^30..2^31` (or zero) for each channel, or one for all.
    pub multipliers: &'a [i32],
    /// As many shifts, positive to the left.
    pub shifts: &'a [i8],
    /// The result's zero point.
    pub zero_point: i32,
    /// Lower bound, in -128..=127.
    pub min: i32,
    /// Upper bound, in -128..=127.
    pub max: i32,
}

impl Requantize<'_> {
    /// The result of `channel` for its accumulator.
    #[inline(always)]
    #[must_use]
    pub fn apply(&self, channel: usize, acc: i32) -> i8 {
        let multiplier = self.multipliers.get(channel).or(self.multipliers.first());
        let shift = self.shifts.get(channel).or(self.shifts.first());
        let (Some(&multiplier), Some(&shift)) = (multiplier, shift) else { return 0 };
        self.clamp(multiply(acc, multiplier, i32::from(shift)).wrapping_add(self.zero_point))
    }

    /// `x`, which includes the zero point, between the bounds.
    #[inline(always)]
    #[must_use]
    #[allow(clippy::cast_possible_truncation, reason = "the bounds lie within i8")]
    pub fn clamp(&self, x: i32) -> i8 {
        x.max(self.min).min(self.max) as i8
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
