//! Affine quantisation: `real = scale * (stored - zero_point)`.

use crate::dtype::DType;
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
    /// A zero point that is no element of the tensor.
    ZeroPoint(i32, DType),
    /// Numbers of scales and zero points differ, or there are none.
    Count,
}

impl fmt::Display for QuantError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scale(scale) => write!(f, "scale {scale} is not a positive finite number"),
            Self::ZeroPoint(zero, dtype) => {
                let range = dtype.range().unwrap_or(0..=0);
                write!(f, "zero point {zero} is outside {}..={}", range.start(), range.end())
            }
            Self::Count => f.write_str("scales and zero points differ in number"),
        }
    }
}

impl Quant {
    /// One scale and zero point for the whole tensor.
    ///
    /// # Errors
    /// A scale that is not positive and finite.
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
        Ok(Self { scales, zero_points, axis })
    }

    /// The same, of a tensor of `dtype`.
    ///
    /// # Errors
    /// A zero point outside the range of `dtype`.
    pub fn of(self, dtype: DType) -> Result<Self, QuantError> {
        let range = dtype.range().unwrap_or(0..=0);
        match self.zero_points.iter().find(|zero| !range.contains(*zero)) {
            Some(&zero) => Err(QuantError::ZeroPoint(zero, dtype)),
            None => Ok(self),
        }
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
