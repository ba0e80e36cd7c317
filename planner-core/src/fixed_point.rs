//! The fixed-point arithmetic of TensorFlow Lite, for what is computed at compile time.
//!
//! A real factor becomes a [`Multiplier`]; applying it rounds twice, as
//! gemmlowp does: once in the doubling high multiplication, once in the shift.

/// A real factor `value * 2^(shift - 31)`, which may be negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Multiplier {
    /// Its magnitude is in `2^30..2^31`, or zero.
    pub value: i32,
    /// Positive to the left; in `-31..`.
    pub shift: i32,
}

impl Multiplier {
    /// The most that a multiplication may shift to the left without undefined results.
    pub const MAX_SHIFT: i32 = 30;

    /// The multiplier closest to `real`, which is finite and not negative (`QuantizeMultiplier`).
    ///
    /// Factors below about 2^-32 become zero.
    #[must_use]
    pub fn new(real: f64) -> Self {
        let (fraction, mut shift) = frexp(real);
        #[allow(clippy::cast_possible_truncation, reason = "at most 2^31")]
        let mut value = (fraction * 2f64.powi(31)).round() as i64;
        if value == 1 << 31 {
            value /= 2;
            shift += 1;
        }
        if shift < -31 {
            return Self { value: 0, shift: 0 };
        }
        Self { value: i32::try_from(value).unwrap_or(0), shift }
    }

    /// `x` times this factor, rounded twice (`MultiplyByQuantizedMultiplier`).
    #[must_use]
    pub fn apply(self, x: i32) -> i32 {
        let left = self.shift.clamp(0, 31).unsigned_abs();
        let right = self.shift.clamp(-31, 0).unsigned_abs();
        rounding_divide_by_pot(saturating_rounding_doubling_high_mul(x.wrapping_shl(left), self.value), right)
    }

    /// `x` times this factor, rounded once (`MultiplyByQuantizedMultiplier` with `TFLITE_SINGLE_ROUNDING`).
    #[must_use]
    pub fn apply_once(self, x: i32) -> i64 {
        let right = (31 - self.shift).clamp(0, 62).unsigned_abs();
        (i64::from(x) * i64::from(self.value) + ((1i64 << right) >> 1)) >> right
    }

    /// `x` of at most 48 bits times the upper 16 bits of this factor, rounded once
    /// (`MultiplyByQuantizedMultiplier` of an `int64_t`).
    #[must_use]
    pub fn apply_wide(self, x: i64) -> i64 {
        let reduced = if self.value < 0x7fff_0000 { (self.value + (1 << 15)) >> 16 } else { 0x7fff };
        let right = (15 - self.shift).clamp(0, 63).unsigned_abs();
        x.wrapping_mul(reduced.into()).wrapping_add((1i64 << right) >> 1) >> right
    }
}

/// `2 * a * b / 2^32`, rounded to nearest, halves upwards; saturates where both are the minimum.
#[must_use]
pub fn saturating_rounding_doubling_high_mul(a: i32, b: i32) -> i32 {
    let doubled = (i64::from(a) * i64::from(b) + (1 << 30)) >> 31;
    i32::try_from(doubled).unwrap_or(i32::MAX)
}

/// `x / 2^exponent`, rounded to nearest, halves away from zero.
#[must_use]
pub fn rounding_divide_by_pot(x: i32, exponent: u32) -> i32 {
    let half = (1i64 << exponent) >> 1;
    let rounded = (i64::from(x) + half - i64::from(x < 0 && exponent > 0)) >> exponent;
    i32::try_from(rounded).unwrap_or(i32::MAX)
}

/// `(fraction, exponent)` with `x == fraction * 2^exponent` and the fraction in 0.5..1, as in C.
fn frexp(x: f64) -> (f64, i32) {
    if x == 0.0 {
        return (0.0, 0);
    }
    let (x, scaled) = if x.is_normal() { (x, 0) } else { (x * 2f64.powi(64), 64) };
    let bits = x.to_bits();
    let exponent = i32::from(u16::try_from((bits >> 52) & 0x7ff).unwrap_or(0)) - 1022;
    (f64::from_bits(bits & !(0x7ff << 52) | (1022 << 52)), exponent - scaled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_become_multipliers() {
        let of = |value, shift| Multiplier { value, shift };
        assert_eq!(Multiplier::new(0.0), of(0, 0));
        assert_eq!(Multiplier::new(0.5), of(1 << 30, 0));
        assert_eq!(Multiplier::new(0.75), of(3 << 29, 0));
        assert_eq!(Multiplier::new(6.0), of(3 << 29, 3));
        assert_eq!(Multiplier::new(1.0 - 1e-12), of(1 << 30, 1), "rounds up to the next power");
        assert_eq!(Multiplier::new(2f64.powi(-32)), of(1 << 30, -31));
        assert_eq!(Multiplier::new(2f64.powi(-33)), of(0, 0));
        assert_eq!(Multiplier::new(f64::MIN_POSITIVE / 4.0), of(0, 0));
    }

    #[test]
    fn halves_round_up_then_away_from_zero() {
        assert_eq!(saturating_rounding_doubling_high_mul(3, 1 << 30), 2);
        assert_eq!(saturating_rounding_doubling_high_mul(-3, 1 << 30), -1);
        assert_eq!(saturating_rounding_doubling_high_mul(i32::MIN, i32::MIN), i32::MAX);
        assert_eq!([5, 6, 7, -5, -6, -7].map(|x| rounding_divide_by_pot(x, 2)), [1, 2, 2, -1, -2, -2]);
        assert_eq!([2, -2, 1, -1].map(|x| rounding_divide_by_pot(x, 0)), [2, -2, 1, -1]);
        assert_eq!(rounding_divide_by_pot(i32::MAX, 1), 1 << 30);
    }

    #[test]
    fn applying_rounds_twice() {
        assert_eq!(Multiplier::new(0.25).apply(10), 3, "2.5 rounds away from zero");
        assert_eq!(Multiplier::new(3.0).apply(-7), -21);
    }
}
