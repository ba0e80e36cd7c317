//! Layer normalisation over the innermost dimensions.

#[cfg(feature = "libm")]
use super::{Elements, Sink, Units};

/// Rows to normalise.
#[derive(Clone, Copy, Debug)]
pub struct LayerNorm<'a> {
    /// Elements in a row.
    pub width: usize,
    /// Added to the variance.
    pub epsilon: f32,
    /// Factors of a row; none when empty.
    pub gamma: &'a [f32],
    /// Terms of a row; none when empty.
    pub beta: &'a [f32],
}

/// `(x - mean) / sqrt(variance + epsilon) * gamma + beta` of each row.
///
/// A unit is a row, which may be computed in place: each element is read for the last time just before it is written.
#[cfg(feature = "libm")]
#[allow(clippy::cast_precision_loss, reason = "rows are shorter than 2^24")]
pub fn layer_norm_f32(p: &LayerNorm<'_>, x: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
    let count = p.width as f32;
    for unit in units {
        let start = unit * p.width;
        let row = x.part(start..start + p.width);
        let mean = row.values().sum::<f32>() / count;
        let variance = row.values().map(|x| (x - mean) * (x - mean)).sum::<f32>() / count;
        let scale = 1.0 / libm::sqrtf(variance + p.epsilon);
        for (i, x) in row.values().enumerate() {
            let factor = p.gamma.get(i).map_or(scale, |gamma| scale * gamma);
            let term = p.beta.get(i).copied().unwrap_or(0.0);
            y.put(start + i, (x - mean) * factor + term);
        }
    }
}
