//! x86-64 with AVX2, which the machine is asked for when a kernel runs: eight channels of i8 at a time.
//!
//! The kernels of a layer stand here whole, since what is around an inner loop of few instructions has to be vectors
//! too. They read a pixel's window before any of its channels is written, or as the portable kernels do.

mod conv;
mod depthwise;
mod multiply;
mod requantize;
#[cfg(test)]
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::indexing_slicing,
    reason = "random numbers, and windows of known sizes"
)]
mod tests;

use super::window::{Memory, MemoryMut};
use crate::kernels::{ConvI8, DenseI8, DepthwiseI8, Elements, Sink, Units};

/// Channels that are computed together.
const LANES: usize = 8;

/// As the portable kernel; `false` if the layer or the machine is not one for these kernels, and nothing is done.
#[inline(always)]
pub(in crate::kernels) fn conv2d_i8(p: &ConvI8<'_>, x: impl Elements<i8>, y: impl Sink<i8>, units: Units) -> bool {
    let Some((x, y)) = windows(x, y).filter(|_| conv::fits(p)) else { return false };
    // SAFETY: `windows` asks for AVX2.
    unsafe { conv::conv(p, x, y, units) };
    true
}

/// As [`conv2d_i8`].
#[inline(always)]
pub(in crate::kernels) fn dense_i8(p: &DenseI8<'_>, x: impl Elements<i8>, y: impl Sink<i8>, units: Units) -> bool {
    let Some((x, y)) = windows(x, y).filter(|_| p.shape.inputs >= multiply::LEAST) else { return false };
    for unit in units {
        let row = x.part(p.shape.from.start(unit), p.shape.inputs);
        if let Some(row) = row {
            // SAFETY: `windows` asks for AVX2.
            unsafe { multiply::multiply(&p.layer, row, y, p.shape.to.start(unit), p.shape.outputs) };
        }
    }
    true
}

/// As [`conv2d_i8`].
#[inline(always)]
pub(in crate::kernels) fn depthwise_conv2d_i8(
    p: &DepthwiseI8<'_>,
    x: impl Elements<i8>,
    y: impl Sink<i8>,
    units: Units,
) -> bool {
    let Some((x, y)) = windows(x, y).filter(|_| depthwise::fits(p)) else { return false };
    // SAFETY: `windows` asks for AVX2.
    unsafe { depthwise::depthwise(p, x, y, units) };
    true
}

/// Where they lie in memory, if the machine has AVX2.
#[inline(always)]
fn windows<'w>(x: impl Elements<i8> + 'w, y: impl Sink<i8> + 'w) -> Option<(Memory<'w>, MemoryMut<'w>)> {
    if std::is_x86_feature_detected!("avx2") { x.memory().zip(y.memory_mut()) } else { None }
}
