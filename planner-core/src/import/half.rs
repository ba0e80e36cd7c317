//! IEEE 754 binary16.

/// The value of the half-precision number `bits`, exactly.
pub(super) fn to_f32(bits: u16) -> f32 {
    let sign = u32::from(bits >> 15) << 31;
    let exponent = u32::from(bits >> 10) & 0x1f;
    let fraction = u32::from(bits) & 0x3ff;
    match (exponent, fraction) {
        // A subnormal is a multiple of 2^-24, which f32 holds as a normal number.
        (0, fraction) => f32::from_bits(sign | (fraction_as_f32(fraction) / 16_777_216.0).to_bits()),
        (0x1f, fraction) => f32::from_bits(sign | 0x7f80_0000 | (fraction << 13)),
        // The bias of f32's exponent is 127, that of f16's 15.
        (exponent, fraction) => f32::from_bits(sign | ((exponent + 112) << 23) | (fraction << 13)),
    }
}

#[allow(clippy::cast_precision_loss, reason = "ten bits fit into the fraction of an f32")]
fn fraction_as_f32(fraction: u32) -> f32 {
    fraction as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_has_its_value() {
        for bits in 0..=u16::MAX {
            let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
            let magnitude = match exponent {
                0 => fraction / 1024.0 * 2f64.powi(-14),
                31 if fraction == 0.0 => f64::INFINITY,
                31 => f64::NAN,
                _ => (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
            };
            let wanted = if bits >> 15 == 1 { -magnitude } else { magnitude };
            let got = f64::from(to_f32(bits));
            if wanted.is_nan() {
                assert!(got.is_nan(), "{bits:#06x}: {got} is a number");
            } else {
                assert_eq!(got.to_bits(), wanted.to_bits(), "{bits:#06x}: {got} is not {wanted}");
            }
        }
    }
}
