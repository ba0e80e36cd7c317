//! Quantisation of inputs and outputs: `real = scale * (stored - zero_point)`.

use crate::kernels::Integer;

/// How the integers of a tensor stand for real numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quant {
    /// The real number between neighbouring integers.
    pub scale: f32,
    /// The integer that stands for zero.
    pub zero_point: i32,
}

impl Quant {
    /// The integer nearest to `real`, ties away from zero, within the range of its type: `i8`, `u8` or `i16`.
    /// Rounds as TFLite's `AffineQuantize`.
    #[must_use]
    pub fn quantize<T: Integer>(self, real: f32) -> T {
        T::nearest(nearest(real / self.scale).saturating_add(self.zero_point))
    }

    /// The real number that `stored` stands for.
    #[must_use]
    pub fn dequantize<T: Integer>(self, stored: T) -> f32 {
        #[allow(clippy::cast_precision_loss, reason = "a difference of two small integers")]
        let steps = stored.into().wrapping_sub(self.zero_point) as f32;
        self.scale * steps
    }

    /// Quantises `reals` into `stored`, as far as the shorter of both goes.
    pub fn quantize_all<T: Integer>(self, reals: &[f32], stored: &mut [T]) {
        for (stored, real) in stored.iter_mut().zip(reals) {
            *stored = self.quantize(*real);
        }
    }

    /// Dequantises `stored` into `reals`, as far as the shorter of both goes.
    pub fn dequantize_all<T: Integer>(self, stored: &[T], reals: &mut [f32]) {
        for (real, stored) in reals.iter_mut().zip(stored) {
            *real = self.dequantize(*stored);
        }
    }
}

/// The integer nearest to `x`, ties away from zero (`core` has no `round`); zero for NaN.
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "`as` saturates; exact below 2^23")]
pub(crate) fn nearest(x: f32) -> i32 {
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
        assert_eq!([0.0, 0.25, -0.25, 0.75].map(|x| quant.quantize::<i8>(x)), [-3, -2, -4, -1]);
        assert_eq!([f32::INFINITY, f32::NEG_INFINITY, f32::NAN].map(|x| quant.quantize::<i8>(x)), [127, -128, -3]);
        assert!((i8::MIN..=i8::MAX).all(|stored| quant.quantize::<i8>(quant.dequantize(stored)) == stored));
        assert!((i16::MIN..=i16::MAX).all(|stored| quant.quantize::<i16>(quant.dequantize(stored)) == stored));
        assert_eq!(
            [-9.0, 0.0, 200.0].map(|x| Quant { scale: 1.0, zero_point: 128 }.quantize::<u8>(x)),
            [119, 128, 255]
        );
    }
}
