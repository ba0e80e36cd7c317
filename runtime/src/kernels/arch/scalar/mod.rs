//! Processors that multiply one pair of elements at a time: ARMv6-M, and RISC-V with 32 bits.
//!
//! Layers of i8 stand here whole and once: a copy for each layer would fill flash, and at opt-level `s` what is around
//! an inner loop costs as much as the loop. So all channels of a pixel are one call of assembly, four at a time, up to
//! their results. Windows are read and results written as by the portable kernels.

mod conv;
mod depthwise;
mod lines;
#[cfg(waterline_arch = "riscv")]
mod riscv;
mod scale;
#[cfg(waterline_arch = "thumb")]
mod thumb;

#[cfg(waterline_arch = "riscv")]
use riscv::{dot, filter, outside};
use scale::Scale;
#[cfg(waterline_arch = "thumb")]
use thumb::{dot, filter, outside};

use crate::kernels::depthwise_ring::LANES;
use crate::kernels::{ConvI8, Dense, DenseI8, DepthwiseI8, Elements, Sink, Units};

/// As the portable kernel; `false` if the layer is not one for these kernels, and nothing is done.
#[inline(always)]
pub(in crate::kernels) fn conv2d_i8(p: &ConvI8<'_>, x: impl Elements<i8>, y: impl Sink<i8>, units: Units) -> bool {
    let Some((x, y)) = x.memory().zip(y.memory_mut()) else { return false };
    conv::conv(p, x, y, units);
    true
}

/// Products up to which code for a dense layer's own numbers is worth its bytes: of all rows where memory counts more
/// than time, otherwise of one.
const OWN: usize = 256;

/// As [`conv2d_i8`].
#[inline(always)]
pub(in crate::kernels) fn dense_i8(p: &DenseI8<'_>, x: impl Elements<i8>, y: impl Sink<i8>, units: Units) -> bool {
    let Dense { inputs, outputs, from, .. } = p.shape;
    let rows = if cfg!(waterline_small) { from.held } else { 1 };
    let products = inputs.saturating_mul(outputs).saturating_mul(rows);
    let Some((x, y)) = x.memory().zip(y.memory_mut()).filter(|_| products > OWN) else { return false };
    conv::dense(p, x, y, units);
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
    let windows = x.memory().zip(y.memory_mut());
    let Some((x, y)) = windows.filter(|_| p.shape.channels * p.shape.multiplier >= LANES) else { return false };
    depthwise::depthwise(p, x, y, units);
    true
}

/// As [`conv2d_i8`].
#[inline(always)]
pub(in crate::kernels) fn depthwise_conv2d_ring_i8(
    p: &DepthwiseI8<'_>,
    x: impl Elements<i8>,
    y: impl Sink<i8>,
    ring: impl Sink<i8>,
    units: Units,
) -> bool {
    let Some(y) = y.memory_mut().filter(|_| p.shape.channels >= LANES) else { return false };
    depthwise::ring(p, x, y, ring, units);
    true
}

/// Rows of elements, and the filters that each of them is multiplied with.
#[repr(C)]
struct Dot {
    /// What the products of each four channels are added to: their sums, where no results are wanted.
    sums: [i32; LANES],
    scale: Scale,
    x: *const u8,
    /// Elements of a row, at least one.
    len: usize,
    /// How many rows; without any the sums stay.
    rows: usize,
    /// Elements from the end of a row to the next, wrapping.
    x_skip: usize,
    /// The weights of the first filter.
    w: *const i8,
    /// As `x_skip`.
    w_skip: usize,
    /// Weights from a filter to the next.
    filter: usize,
    /// How many rows are left where a ring begins again, and its elements.
    turn: usize,
    ring: usize,
}

/// Rows of pixels, and a weight of each channel for each of them.
#[repr(C)]
struct Filter {
    /// As those of [`Dot`].
    sums: [i32; LANES],
    scale: Scale,
    x: *const u8,
    /// Elements from a pixel to the next.
    x_step: usize,
    /// Pixels of a row, at least one.
    taps: usize,
    /// Elements from behind the last pixel of a row, a step further, to the next row, wrapping.
    x_skip: usize,
    /// How many rows; without any the sums stay.
    rows: usize,
    /// The weights of the first pixel.
    w: *const i8,
    /// As those of `x`, at least one.
    w_step: usize,
    w_skip: usize,
    /// How many rows are left where a ring begins again, and its elements.
    turn: usize,
    ring: usize,
    /// Elements from those of four channels to those of the next; none where all read the same.
    four: usize,
}
