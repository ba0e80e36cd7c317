//! Arithmetic that only some element types have.

use planner_core::dtype::DType;
use planner_core::quant::Quant;

/// The integer of `dtype` and `quant` nearest to `real`, f32 throughout.
#[must_use]
#[allow(clippy::cast_possible_truncation, reason = "saturates")]
pub fn quantized_in(real: f32, quant: &Quant, dtype: DType) -> i64 {
    let range = dtype.range().expect("a type that is quantised");
    let steps = (real / quant.scale(0)).round().clamp(-1e6, 1e6);
    (steps as i64 + i64::from(quant.zero_point())).clamp((*range.start()).into(), (*range.end()).into())
}

/// `MultiplyByQuantizedMultiplier` of an `int64_t`: 16 bits of the multiplier, one rounding.
#[must_use]
pub fn scaled_wide(x: i64, (value, shift): (i64, i32)) -> i64 {
    let reduced = if value < 0x7fff_0000 { (value + (1 << 15)) >> 16 } else { 0x7fff };
    (x * reduced).wrapping_add(1 << (14 - shift)).div_euclid(1 << (15 - shift))
}

/// A batch of reals as integers.
#[derive(Clone, Debug)]
pub struct Batch {
    /// The scale.
    pub scale: f32,
    /// The integers without the zero point.
    pub integers: Vec<i64>,
}

impl Batch {
    /// What the integers stand for.
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "small integers")]
    pub fn reals(&self) -> Vec<f32> {
        self.integers.iter().map(|integer| *integer as f32 * self.scale).collect()
    }
}

/// How a layer of f32 with i8 weights quantises its argument (`SymmetricQuantizeFloats`, `AsymmetricQuantizeFloats`).
#[must_use]
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "as the reference rounds")]
pub fn dynamic(values: &[f32], asymmetric: bool) -> Batch {
    let min = values.iter().copied().fold(0f32, f32::min);
    let max = values.iter().copied().fold(0f32, f32::max);
    if min == max {
        return Batch { scale: 1.0, integers: vec![0; values.len()] };
    }
    if !asymmetric {
        let range = max.max(-min);
        let integers = values.iter().map(|v| ((v * (127.0 / range)).round() as i64).clamp(-127, 127));
        return Batch { scale: range / 127.0, integers: integers.collect() };
    }
    let scale = (f64::from(max) - f64::from(min)) / 255.0;
    let (from_min, from_max) = (-128.0 - f64::from(min) / scale, 127.0 - f64::from(max) / scale);
    let min_error = 128.0 + (f64::from(min) / scale).abs();
    let max_error = 127.0 + (f64::from(max) / scale).abs();
    let zero = if min_error < max_error { from_min } else { from_max };
    let zero = (zero.clamp(-128.0, 127.0).round()) as i64;
    let inverse = 1.0 / scale as f32;
    let integers = values.iter().map(|v| ((zero as f32 + v * inverse).round() as i64).clamp(-128, 127) - zero);
    Batch { scale: scale as f32, integers: integers.collect() }
}
