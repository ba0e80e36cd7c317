//! Affine quantisation: `real = scale * (stored - zero_point)`.

use std::fmt;

/// How the integers of a tensor stand for real numbers.
///
/// Scales are `f32`, as model files store them; per-channel quantisation has
/// one scale and zero point for each index of `axis`.
#[derive(Clone, Debug, PartialEq)]
pub struct Quant {
    scales: Vec<f32>,
    zero_points: Vec<i32>,
    axis: Option<usize>,
}

/// Why numbers are no quantisation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum QuantError {
    /// A scale that is zero, negative, infinite or no number.
    Scale(f32),
    /// A zero point outside -128..=127.
    ZeroPoint(i32),
    /// Numbers of scales and zero points differ, or there are none.
    Count,
}

impl fmt::Display for QuantError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scale(scale) => write!(f, "scale {scale} is not a positive finite number"),
            Self::ZeroPoint(zero) => write!(f, "zero point {zero} is outside -128..=127"),
            Self::Count => f.write_str("scales and zero points differ in number"),
        }
    }
}

impl Quant {
    /// One scale and zero point for the whole tensor.
    ///
    /// # Errors
    /// A scale that is not positive and finite, a zero point outside an `i8`.
    pub fn per_tensor(scale: f32, zero_point: i32) -> Result<Self, QuantError> {
        Self::new(vec![scale], vec![zero_point], None)
    }

    /// A scale and zero point for each index of `axis`, or one when it is `None`.
    ///
    /// # Errors
    /// As for [`Quant::per_tensor`], or lists that differ in length.
    pub fn new(scales: Vec<f32>, zero_points: Vec<i32>, axis: Option<usize>) -> Result<Self, QuantError> {
        if scales.is_empty() || scales.len() != zero_points.len() || (axis.is_none() && scales.len() != 1) {
            return Err(QuantError::Count);
        }
        if let Some(&scale) = scales.iter().find(|s| !(s.is_finite() && **s > 0.0)) {
            return Err(QuantError::Scale(scale));
        }
        if let Some(&zero) = zero_points.iter().find(|z| !(-128..=127).contains(*z)) {
            return Err(QuantError::ZeroPoint(zero));
        }
        Ok(Self { scales, zero_points, axis })
    }

    /// The scale of channel `channel`; the only one when per tensor.
    #[must_use]
    pub fn scale(&self, channel: usize) -> f32 {
        self.scales.get(channel).copied().unwrap_or(self.scales[0])
    }

    /// The zero point of channel 0.
    #[must_use]
    pub fn zero_point(&self) -> i32 {
        self.zero_points[0]
    }

    /// All scales, one when per tensor.
    #[must_use]
    pub fn scales(&self) -> &[f32] {
        &self.scales
    }

    /// All zero points, one when per tensor.
    #[must_use]
    pub fn zero_points(&self) -> &[i32] {
        &self.zero_points
    }

    /// The dimension that has a scale for each index; `None` when per tensor.
    #[must_use]
    pub fn axis(&self) -> Option<usize> {
        self.axis
    }
}

impl fmt::Display for Quant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.axis {
            None => write!(f, "q({}, {})", self.scales[0], self.zero_points[0]),
            Some(axis) => write!(f, "q([{} scales], axis = {axis})", self.scales.len()),
        }
    }
}
