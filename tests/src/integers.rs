//! Random elements of the integers that stand for reals.

use crate::random::Random;
use planner_core::dtype::DType;

/// Integers over all of `dtype`, its ends often, as bytes and as numbers.
///
/// # Panics
/// If `dtype` is no integer of 32 bits at most.
#[must_use]
pub fn integers(random: &mut Random, dtype: DType, count: usize) -> (Vec<u8>, Vec<i64>) {
    let range = dtype.range().unwrap();
    let [lo, hi] = [*range.start(), *range.end()].map(i64::from);
    let mut next = || if random.one_in(12) { random.pick(&[lo, hi]) } else { random.int(lo, hi) };
    let numbers: Vec<i64> = (0..count).map(|_| next()).collect();
    (bytes(dtype, &numbers), numbers)
}

/// Little-endian: the low bytes of a number are the number in fewer bits.
#[must_use]
pub fn bytes(dtype: DType, numbers: &[i64]) -> Vec<u8> {
    numbers.iter().flat_map(|v| v.to_le_bytes().into_iter().take(dtype.bytes())).collect()
}

/// A zero point of `dtype`: 0 of i16.
///
/// # Panics
/// If the random numbers leave their range.
#[must_use]
pub fn zero_point(random: &mut Random, dtype: DType) -> i32 {
    match dtype {
        DType::I16 => 0,
        DType::U8 => i32::try_from(random.int(0, 255)).unwrap(),
        _ => i32::try_from(random.int(-128, 127)).unwrap(),
    }
}
