//! How far two arrays of one type are apart.

use planner_core::dtype::DType;
use std::cmp::Ordering;
use std::fmt;

/// Elements that differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// How many differ.
    pub count: usize,
    /// Of how many.
    pub elements: usize,
    /// The largest distance; of f32 relative to the largest wanted magnitude. NaN if one of two is no number.
    pub largest: f64,
    /// The type of both.
    dtype: DType,
}

impl Difference {
    /// Of `got` and `wanted`, little-endian elements of `dtype`; `None` if they are equal.
    #[must_use]
    pub fn between(dtype: DType, got: &[u8], wanted: &[u8]) -> Option<Self> {
        let (got, wanted) = (elements(dtype, got), elements(dtype, wanted));
        let same = |a: f64, b: f64| a.partial_cmp(&b) == Some(Ordering::Equal) || (a.is_nan() && b.is_nan());
        let apart: Vec<f64> =
            got.iter().zip(&wanted).filter(|(a, b)| !same(**a, **b)).map(|(a, b)| (a - b).abs()).collect();
        let count = apart.len() + got.len().abs_diff(wanted.len());
        let magnitude = match dtype {
            DType::F32 => wanted.iter().fold(f64::MIN_POSITIVE, |largest, value| largest.max(value.abs())),
            _ => 1.0,
        };
        let largest =
            apart.iter().fold(0.0, |largest: f64, value| if value.is_nan() { f64::NAN } else { largest.max(*value) });
        (count > 0).then(|| Self { count, elements: wanted.len(), largest: largest / magnitude, dtype })
    }

    /// It lies within `tolerance`, which holds for f32 only.
    #[must_use]
    pub fn is_within(&self, tolerance: f64) -> bool {
        self.dtype == DType::F32 && self.largest <= tolerance
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} differ, ", self.count, self.elements)?;
        match self.dtype {
            DType::F32 => write!(f, "by at most {:.1e} of the largest", self.largest),
            _ => write!(f, "by at most {}", self.largest),
        }
    }
}

/// Each element; those of i64 beyond 2^53 are rounded.
#[allow(clippy::cast_precision_loss, reason = "distances are for people")]
fn elements(dtype: DType, bytes: &[u8]) -> Vec<f64> {
    match dtype {
        DType::F32 => bytes.as_chunks().0.iter().map(|bytes| f64::from(f32::from_le_bytes(*bytes))).collect(),
        DType::I8 => bytes.iter().map(|byte| f64::from(byte.cast_signed())).collect(),
        DType::U8 | DType::Bool => bytes.iter().map(|byte| f64::from(*byte)).collect(),
        DType::I16 => bytes.as_chunks().0.iter().map(|bytes| f64::from(i16::from_le_bytes(*bytes))).collect(),
        DType::I32 => bytes.as_chunks().0.iter().map(|bytes| f64::from(i32::from_le_bytes(*bytes))).collect(),
        DType::I64 => bytes.as_chunks().0.iter().map(|bytes| i64::from_le_bytes(*bytes) as f64).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    #[test]
    fn integers_are_compared_exactly() {
        assert_eq!(Difference::between(DType::I8, &[1, 2, 0xff], &[1, 2, 0xff]), None);
        let found = Difference::between(DType::I8, &[1, 2, 0xff], &[1, 4, 0]).unwrap();
        assert_eq!((found.to_string().as_str(), found.is_within(10.0)), ("2 of 3 differ, by at most 2", false));
    }

    #[test]
    fn floats_are_compared_to_the_largest() {
        let found = Difference::between(DType::F32, &floats(&[1.0, 200.0]), &floats(&[1.5, 200.0])).unwrap();
        assert!(found.is_within(0.0025) && !found.is_within(0.002));
        let found = Difference::between(DType::F32, &floats(&[f32::NAN]), &floats(&[1.0])).unwrap();
        assert!(!found.is_within(f64::INFINITY));
        assert_eq!(Difference::between(DType::F32, &floats(&[f32::NAN]), &floats(&[f32::NAN])), None);
    }
}
