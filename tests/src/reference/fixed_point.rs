//! gemmlowp's fixed-point numbers, in wide integers.

/// A real factor as `(value, shift)`: about `value * 2^(shift - 31)` (`QuantizeMultiplier`).
#[must_use]
#[allow(clippy::cast_possible_truncation, reason = "at most 2^31")]
pub fn multiplier(real: f64) -> (i64, i32) {
    if real == 0.0 {
        return (0, 0);
    }
    let (mut fraction, mut shift) = (real, 0);
    while fraction.abs() >= 1.0 {
        fraction /= 2.0;
        shift += 1;
    }
    while fraction.abs() < 0.5 {
        fraction *= 2.0;
        shift -= 1;
    }
    let value = (fraction * 2f64.powi(31)).round() as i64;
    let (value, shift) = if value == 1 << 31 { (1 << 30, shift + 1) } else { (value, shift) };
    if shift < -31 { (0, 0) } else { (value, shift) }
}

/// `MultiplyByQuantizedMultiplier`.
#[must_use]
pub fn multiply(x: i64, (value, shift): (i64, i32)) -> i64 {
    let left = x << shift.max(0);
    assert!(i32::try_from(left).is_ok(), "{x} << {shift} overflows: undefined in TensorFlow Lite");
    divide_by_pot(high_mul(left, value), u32::try_from(-shift.min(0)).expect("a right shift"))
}

/// The same rounded once.
#[must_use]
pub fn multiply_once(x: i64, (value, shift): (i64, i32)) -> i64 {
    let right = 31 - shift;
    (x * value + (1 << (right - 1))).div_euclid(1 << right)
}

/// `SaturatingRoundingDoublingHighMul`.
#[must_use]
pub fn high_mul(a: i64, b: i64) -> i64 {
    (a * b + (1 << 30)).div_euclid(1 << 31).min(i32::MAX.into())
}

/// `RoundingDivideByPOT`.
#[must_use]
pub fn divide_by_pot(x: i64, exponent: u32) -> i64 {
    x.signum() * ((x.abs() + (1 << exponent >> 1)) >> exponent)
}

/// A number with a sign, `integer_bits` before the point and the rest of 32 bits behind it.
#[derive(Clone, Copy, Debug)]
pub struct Fixed {
    /// The number times `2^(31 - integer_bits)`.
    pub raw: i64,
    /// Bits before the point.
    pub integer_bits: u32,
}

impl Fixed {
    /// The number of these bits.
    #[must_use]
    pub fn new(raw: i64, integer_bits: u32) -> Self {
        assert!(i32::try_from(raw).is_ok(), "{raw} has more than 32 bits");
        Self { raw, integer_bits }
    }

    /// `value`, as near as it gets.
    #[must_use]
    #[allow(clippy::cast_possible_truncation, reason = "saturates")]
    pub fn of(value: f64, integer_bits: u32) -> Self {
        let raw = (value * f64::from(1u32 << (31 - integer_bits))).round() as i64;
        Self::new(raw.clamp(i32::MIN.into(), i32::MAX.into()), integer_bits)
    }

    fn one(integer_bits: u32) -> Self {
        Self::of(1.0, integer_bits)
    }

    /// The product, whose bits before the point are those of both.
    #[must_use]
    pub fn times(self, other: Self) -> Self {
        Self::new(high_mul(self.raw, other.raw), self.integer_bits + other.integer_bits)
    }

    /// The sum.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        assert_eq!(self.integer_bits, other.integer_bits);
        Self::new(self.raw + other.raw, self.integer_bits)
    }

    /// The opposite.
    #[must_use]
    pub fn negated(self) -> Self {
        Self::new(-self.raw, self.integer_bits)
    }

    /// `Rescale`.
    #[must_use]
    pub fn with(self, integer_bits: u32) -> Self {
        let raw = if integer_bits <= self.integer_bits {
            (self.raw << (self.integer_bits - integer_bits)).clamp(i32::MIN.into(), i32::MAX.into())
        } else {
            divide_by_pot(self.raw, integer_bits - self.integer_bits)
        };
        Self::new(raw, integer_bits)
    }

    /// `ExactMulByPot`: other bits are before the point.
    fn read_as(self, integer_bits: u32) -> Self {
        Self::new(self.raw, integer_bits)
    }

    fn halved_by(self, times: u32) -> Self {
        Self::new(divide_by_pot(self.raw, times), self.integer_bits)
    }

    /// `exp_on_negative_values`.
    #[must_use]
    pub fn exp(self) -> Self {
        assert!(self.raw <= 0);
        if self.raw == 0 {
            return Self::one(0);
        }
        let quarter = Self::of(0.25, self.integer_bits).raw;
        let rest = self.raw.rem_euclid(quarter) - quarter;
        let mut result = Self::new(rest, self.integer_bits).with(0).exp_of_rest();
        for exponent in -2..i32::try_from(self.integer_bits).expect("few bits") {
            let quarters = (rest - self.raw) / quarter;
            if (quarters >> (exponent + 2)) % 2 == 1 {
                result = result.times(Self::of((-(2f64.powi(exponent))).exp(), 0));
            }
        }
        result
    }

    /// `exp_on_interval_between_negative_one_quarter_and_0_excl`.
    fn exp_of_rest(self) -> Self {
        let constant = Self::of((-0.125f64).exp(), 0);
        let x = self.plus(Self::of(0.125, 0));
        let x2 = x.times(x);
        let x3 = x2.times(x);
        let x4_4th = x2.times(x2).halved_by(2);
        let higher = x4_4th.plus(x3).times(Self::of(1.0 / 3.0, 0)).plus(x2).halved_by(1);
        constant.plus(constant.times(x.plus(higher)))
    }

    /// `2 / (1 + self)` with two integer bits, by Newton's method.
    fn twice_reciprocal_of_one_plus(self) -> Self {
        let half_denominator = Self::new((self.raw + Self::one(0).raw + 1) / 2, 0);
        let mut x = Self::of(48.0 / 17.0, 2).plus(half_denominator.times(Self::of(-32.0 / 17.0, 2)));
        for _ in 0..3 {
            let error = Self::one(2).plus(half_denominator.times(x).negated());
            x = x.plus(x.times(error).with(2));
        }
        x
    }

    /// `one_over_one_plus_x_for_x_in_0_1`.
    #[must_use]
    pub fn reciprocal_of_one_plus(self) -> Self {
        self.twice_reciprocal_of_one_plus().read_as(1).with(0)
    }

    /// `logistic`.
    #[must_use]
    pub fn logistic(self) -> Self {
        let magnitude = Self::new(self.raw.abs(), self.integer_bits);
        let positive = magnitude.negated().exp().reciprocal_of_one_plus();
        match self.raw {
            0 => Self::of(0.5, 0),
            1.. => positive,
            _ => Self::one(0).plus(positive.negated()),
        }
    }

    /// `tanh`.
    #[must_use]
    pub fn tanh(self) -> Self {
        if self.raw == 0 {
            return Self::of(0.0, 0);
        }
        let twice = Self::new(-self.raw.abs(), self.integer_bits).read_as(self.integer_bits + 1);
        let positive = twice.exp().twice_reciprocal_of_one_plus().plus(Self::one(2).negated()).with(0);
        if self.raw < 0 { positive.negated() } else { positive }
    }

    /// `log_x_for_x_greater_than_or_equal_to_1`, with five bits before the point.
    ///
    /// # Panics
    /// If it has not twelve.
    #[must_use]
    pub fn log(self) -> Self {
        assert_eq!(self.integer_bits, 12);
        let zeros = |x: i64| i64::from(i32::try_from(x).expect("32 bits").leading_zeros());
        let up = |x: i64, bits: i64| (x << bits).clamp(i32::MIN.into(), i32::MAX.into());
        let constant = |value: f64| Self::of(value, 0);
        let (fourth_root, half_root) = (0.5f64.powf(0.25), 0.5f64.sqrt());
        let quarter = Self::of(0.25, 6).raw;
        let a_zeros = zeros(self.raw);
        let a = up(high_mul(up(self.raw, a_zeros - 1), constant(half_root).raw), 1);
        let a_power = (up(12 - a_zeros, 25) + quarter).min(i32::MAX.into());
        let b_zeros = zeros(high_mul(self.raw, constant(half_root).raw)) - 1;
        let b = up(self.raw, b_zeros);
        let b_power = (up(12 - b_zeros, 25) - quarter).max(i32::MIN.into());
        let r = Self::new(a.min(b), 0);
        let p = Self::new((r.raw + constant(fourth_root).raw + 1) / 2, 0);
        let q = Self::new(2 * (r.raw - constant(fourth_root).raw), 0);
        let square = q.times(q);
        let alpha = |factor: f64| constant(factor / fourth_root);
        let numerator = q.times(r).plus(q.times(square).times(alpha(11.0 / 240.0)));
        let inner = constant(2.0 * fourth_root - 1.0 / fourth_root).plus(q).plus(alpha(1.0 / 20.0).times(square));
        let denominator = p.times(inner).plus(alpha(0.25).times(q));
        let quotient = numerator.with(6).times(denominator.reciprocal_of_one_plus());
        Self::new(a_power.max(b_power), 6).times(constant(2f64.ln())).plus(quotient).with(5)
    }
}
