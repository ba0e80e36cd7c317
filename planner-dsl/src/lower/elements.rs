//! Made-up numbers.

use planner_core::dtype::DType;
use planner_core::model::TensorType;

/// Placeholders for trained weights: the same for the same seed, name and type on any machine.
///
/// f32 in ±1/sqrt(fan-in), where the fan-in is the number of elements for each index of the
/// outermost dimension; integers of 8 and 16 bits over their whole range; wider ones in -1024..1024; 0 and 1.
pub(super) fn random(seed: i64, name: &str, ty: &TensorType) -> Vec<u8> {
    let mut state = name.bytes().fold(seed.cast_unsigned(), |state, byte| mix(state ^ u64::from(byte)));
    let mut next = move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(state).to_le_bytes()
    };
    let elements = ty.shape.elements();
    match ty.dtype {
        DType::F32 => {
            let fan_in = if ty.shape.rank() > 1 { elements / ty.shape[0] } else { elements };
            let limit = 1.0 / to_f32(u32::try_from(fan_in).unwrap_or(u32::MAX)).sqrt();
            let mut unit = || {
                let [low, middle, high, ..] = next();
                // 24 bits, which an f32 holds exactly.
                to_f32(u32::from_le_bytes([low, middle, high, 0])) / 8_388_608.0 - 1.0
            };
            (0..elements).flat_map(|_| (unit() * limit).to_le_bytes()).collect()
        }
        DType::I8 | DType::U8 => (0..elements).map(|_| next()[0]).collect(),
        DType::Bool => (0..elements).map(|_| next()[0] & 1).collect(),
        DType::I16 => (0..elements)
            .flat_map(|_| {
                let [low, high, ..] = next();
                [low, high]
            })
            .collect(),
        DType::I32 | DType::I64 => (0..elements)
            .flat_map(|_| {
                let [low, high, ..] = next();
                let number = i64::from(u16::from_le_bytes([low, high]) >> 5) - 1024;
                // Little-endian: the low bytes alone are the same number in fewer bits.
                number.to_le_bytes().into_iter().take(ty.dtype.bytes())
            })
            .collect(),
    }
}

#[allow(clippy::cast_precision_loss, reason = "24 bits are exact; of more only the size matters")]
fn to_f32(value: u32) -> f32 {
    value as f32
}

/// The output function of the `SplitMix64` generator (Steele, Lea and Flood, 2014).
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use planner_core::shape::Shape;

    #[test]
    fn numbers_fill_their_range() {
        let floats = random(7, "w", &TensorType::plain(DType::F32, Shape::new([25, 40]).unwrap()));
        let floats: Vec<f32> = floats.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        let limit = 1.0 / 40f32.sqrt();
        assert!(floats.iter().all(|x| x.abs() <= limit));
        assert!(floats.iter().any(|x| *x > 0.9 * limit) && floats.iter().any(|x| *x < -0.9 * limit));
        let bytes = random(7, "w", &TensorType::plain(DType::I8, Shape::new([10_000]).unwrap()));
        assert!((0..=u8::MAX).all(|byte| bytes.contains(&byte)));
        let ints = random(7, "w", &TensorType::plain(DType::I32, Shape::new([1000]).unwrap()));
        assert!(ints.as_chunks().0.iter().all(|bytes| (-1024..1024).contains(&i32::from_le_bytes(*bytes))));
    }

    #[test]
    fn seed_and_name_decide() {
        let ty = TensorType::plain(DType::I8, Shape::new([16]).unwrap());
        assert_eq!(random(1, "w", &ty), random(1, "w", &ty));
        assert_ne!(random(1, "w", &ty), random(2, "w", &ty));
        assert_ne!(random(1, "w", &ty), random(1, "v", &ty));
    }
}
