//! Rows times a matrix of weights: dense layers, and convolutions of one tap.

use super::weights::{Lanes, WeightsF32, WeightsI8, WeightsI16, WeightsU8};
use super::{Elements, Rows, Sink, Units};

/// The shape of a dense layer.
#[derive(Clone, Copy, Debug)]
pub struct Dense {
    /// Elements of a row.
    pub inputs: usize,
    /// Results of a row.
    pub outputs: usize,
    /// How the argument's rows lie.
    pub from: Rows,
    /// How the result's rows lie.
    pub to: Rows,
}

/// Parameters of a dense layer. Weights lie `[output, input]`.
#[derive(Clone, Copy, Debug)]
pub struct DenseLayer<W> {
    /// The shape.
    pub shape: Dense,
    /// The weights.
    pub layer: W,
}

/// Parameters of [`dense_f32`].
pub type DenseF32<'a> = DenseLayer<WeightsF32<'a>>;
/// Parameters of [`dense_i8`].
pub type DenseI8<'a> = DenseLayer<WeightsI8<'a>>;
/// Parameters of [`dense_u8`].
pub type DenseU8<'a> = DenseLayer<WeightsU8<'a>>;
/// Parameters of [`dense_i16`].
pub type DenseI16<'a> = DenseLayer<WeightsI16<'a>>;

/// Each row of `x` times the weights. A unit is a row; up to four results are
/// written after the whole row has been read, then it is read again for the next.
// Scalar machines have kernels for large layers: which it is shows where it is called.
#[cfg_attr(any(waterline_arch = "thumb", waterline_arch = "riscv"), inline(always))]
pub fn dense_i8(p: &DenseI8<'_>, x: impl Elements<i8>, y: impl Sink<i8>, units: Units) {
    #[cfg(any(waterline_arch = "mve", waterline_arch = "thumb", waterline_arch = "riscv", waterline_arch = "x86"))]
    if super::arch::dense_i8(p, x, y, units) {
        return;
    }
    rows_i8(p, x, y, units);
}

// Beside a machine's own kernels it is seldom met: inlined, it would add to the stack of all that are.
#[cfg_attr(any(waterline_arch = "dsp", waterline_arch = "mve"), inline(never))]
#[cfg_attr(any(waterline_arch = "thumb", waterline_arch = "riscv"), inline(always))]
fn rows_i8(p: &DenseI8<'_>, x: impl Elements<i8>, y: impl Sink<i8>, units: Units) {
    dense(&p.shape, &p.layer, x, y, units);
}

/// As [`dense_i8`]; products are summed in order, then the bias is added.
pub fn dense_f32(p: &DenseF32<'_>, x: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
    #[cfg(waterline_fpu)]
    if super::arch::dense_f32(p, x, y, units) {
        return;
    }
    portable_f32(p, x, y, units);
}

// Beside a machine's own kernel it is seldom met: inlined, it would add to the stack of that.
#[cfg_attr(waterline_fpu, cold, inline(never))]
fn portable_f32(p: &DenseF32<'_>, x: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
    dense(&p.shape, &p.layer, x, y, units);
}

/// As [`dense_i8`].
pub fn dense_u8(p: &DenseU8<'_>, x: impl Elements<u8>, y: impl Sink<u8>, units: Units) {
    dense(&p.shape, &p.layer, x, y, units);
}

/// As [`dense_i8`].
pub fn dense_i16(p: &DenseI16<'_>, x: impl Elements<i16>, y: impl Sink<i16>, units: Units) {
    dense(&p.shape, &p.layer, x, y, units);
}

#[inline(always)]
pub(super) fn dense<W: Lanes<1> + Lanes<4>>(
    p: &Dense,
    layer: &W,
    x: impl Elements<W::Element>,
    y: impl Sink<W::Result>,
    units: Units,
) {
    for row in units {
        let from = p.from.start(row);
        let x = x.part(from..from + p.inputs);
        let to = p.to.start(row);
        let mut channel = 0;
        while channel + 4 <= p.outputs {
            block::<W, 4>(p, layer, x, y, to, channel);
            channel += 4;
        }
        while channel < p.outputs {
            block::<W, 1>(p, layer, x, y, to, channel);
            channel += 1;
        }
    }
}

/// Computes and stores the `N` results from `channel` on.
#[inline(always)]
fn block<W: Lanes<N>, const N: usize>(
    p: &Dense,
    layer: &W,
    x: impl Elements<W::Element>,
    y: impl Sink<W::Result>,
    to: usize,
    channel: usize,
) {
    let filters = layer.filters(channel * p.inputs, p.inputs);
    layer.store(channel, layer.dot([W::ZERO; N], x, filters), y, to + channel);
}
