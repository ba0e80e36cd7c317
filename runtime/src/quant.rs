//! Quantisation of inputs and outputs: `real = scale * (stored - zero_point)`.

/// How the integers of a tensor stand for real numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quant {
    /// The real number between neighbouring integers.
    pub scale: f32,
    /// The integer that stands for zero.
    pub zero_point: i32,
}

impl Quant {
    /// The integer nearest to `real`, ties away from zero, within `i8`. Rounds as TFLite's `AffineQuantize`.
    #[must_use]
    pub fn quantize(self, real: f32) -> i8 {
        let steps = nearest(real / self.scale);
        let stored = steps.saturating_add(self.zero_point).clamp(i8::MIN.into(), i8::MAX.into());
        #[allow(clippy::cast_possible_truncation, reason = "clamped above")]
        let stored = stored as i8;
        stored
    }

    /// The real number that `stored` stands for.
    #[must_use]
    pub fn dequantize(self, stored: i8) -> f32 {
        #[allow(clippy::cast_precision_loss, reason = "a difference of two small integers")]
        let steps = i32::from(stored).wrapping_sub(self.zero_point) as f32;
        self.scale * steps
    }

    /// Quantises `reals` into `stored`, as far as the shorter of both goes.
    pub fn quantize_all(self, reals: &[f32], stored: &mut [i8]) {
        for (stored, real) in stored.iter_mut().zip(reals) {
            *stored = self.quantize(*real);
        }
    }

    /// Dequantises `stored` into `reals`, as far as the shorter of both goes.
    pub fn dequantize_all(self, stored: &[i8], reals: &mut [f32]) {
        for (real, stored) in reals.iter_mut().zip(stored) {
            *real = self.dequantize(*stored);
        }
    }
}

/// The integer nearest to `x`, ties away from zero (`core` has no `round`); zero for NaN.
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "`as` saturates; exact below 2^23")]
fn nearest(x: f32) -> i32 {
    let whole = x as i32;
    let rest = x - whole as f32;
    whole.saturating_add(i32::from(rest >= 0.5)).saturating_sub(i32::from(rest <= -0.5))
}

#[cfg(test)]
mod tests {
    use super::Quant;

    #[test]
    fn rounds_half_away_from_zero_and_saturates() {
        let quant = Quant { scale: 0.5, zero_point: -3 };
        assert_eq!([0.0, 0.25, -0.25, 0.75].map(|x| quant.quantize(x)), [-3, -2, -4, -1]);
        assert_eq!([f32::INFINITY, f32::NEG_INFINITY, f32::NAN].map(|x| quant.quantize(x)), [127, -128, -3]);
        assert!((-128..=127).all(|stored| quant.quantize(quant.dequantize(stored)) == stored));
    }
}
