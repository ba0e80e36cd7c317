//! The floating-point unit of Cortex-M4F, M7, M33 and M55: whole layers, all channels of a pixel in one call.
//!
//! `vmla.f32` rounds the product and then the sum there, as the portable kernels do. Four elements by four channels
//! take 23 instructions and about 45 cycles (`vldm` 1 + N, `vmla` 1 with its operands at hand, a taken branch 3), a
//! depthwise tap of four channels 10 and 18.

#[macro_use]
mod results;
mod channels;
mod window;

use super::window::{Memory, MemoryMut};
use crate::kernels::conv::{Conv, ConvF32, ConvLayer};
use crate::kernels::dense::DenseF32;
use crate::kernels::depthwise::{DepthwiseF32, DepthwiseLayer};
use crate::kernels::slide::{Inside, Slide};
use crate::kernels::weights::WeightsF32;
use crate::kernels::{Elements, Rows, Sink, Units};
use core::hint::black_box;
use core::ops::Range;
use core::ptr::null;
use results::Results;

/// As the portable kernel; `false` if the windows' elements do not lie side by side and aligned, and nothing is done.
#[inline(always)]
pub(in crate::kernels) fn conv2d_f32(p: &ConvF32<'_>, x: impl Elements<f32>, y: impl Sink<f32>, units: Units) -> bool {
    let windows = windows(x, y);
    if let Some((x, y)) = windows {
        convolve(p, x, y, units);
    }
    windows.is_some()
}

#[inline(never)]
fn convolve(p: &ConvF32<'_>, x: Memory<'_>, y: MemoryMut<'_>, units: Units) {
    let Conv { slide, groups, inputs, outputs } = &p.shape;
    let (Some(pixel), Some(all), Some(filter)) = (
        groups.checked_mul(*inputs),
        groups.checked_mul(*outputs),
        slide.y.taps.checked_mul(slide.x.taps).and_then(|taps| taps.checked_mul(*inputs)),
    ) else {
        return;
    };
    let Some((size, most)) = places(slide, pixel, x, &p.layer, all, filter, y) else { return };
    let mut task = window::Task {
        results: Results::new(&p.layer, *outputs),
        x: null(),
        filters: null(),
        filter: bytes(filter),
        rows: window::Rows {
            count: 0,
            runs: 0,
            run_gap: bytes(slide.x.dilation.wrapping_mul(pixel).wrapping_sub(*inputs)),
            run: 0,
            gap: 0,
            filter_gap: 0,
            end: x.start.wrapping_add(size),
            size,
        },
    };
    pixels(slide, units, most, |Pixel { rows, top, columns, to }| {
        let ConvLayer { shape, layer } = black_box(p);
        let (slide, inputs) = (&shape.slide, shape.inputs);
        let filter_row = slide.x.taps * inputs;
        let taps = if rows.is_empty() { 0 } else { columns.taps.len() };
        let window = &mut task.rows;
        let together = window.run_gap == 0 || taps == 0;
        (window.runs, window.run) = if together { (1, taps * inputs) } else { (taps, inputs) };
        window.count = rows.len().max(1);
        let row = (bytes(window.run).wrapping_add(window.run_gap)).wrapping_mul(window.runs);
        window.gap = bytes(slide.row_step()).wrapping_sub(row).wrapping_add(window.run_gap);
        window.filter_gap = bytes(filter_row - taps * inputs);
        let first = rows.start * filter_row + columns.taps.start * inputs;
        let from = top + columns.first * shape.groups * inputs;
        task.x = x.start.wrapping_add(bytes(from)).cast();
        task.filters = layer.weights.as_ptr().wrapping_add(first);
        task.results.start(layer, y.start.wrapping_add(bytes(to)));
        for _ in 0..shape.groups {
            // SAFETY: the taps that `inside` names lie in the image, whose rows lie in `x`, and in the filters, of
            // which there is one for each result; the results lie in `y`.
            unsafe { window::run(&raw mut task) };
            task.x = task.x.wrapping_add(inputs);
        }
    });
}

/// As [`conv2d_f32`].
#[inline(always)]
pub(in crate::kernels) fn dense_f32(p: &DenseF32<'_>, x: impl Elements<f32>, y: impl Sink<f32>, units: Units) -> bool {
    let windows = windows(x, y);
    if let Some((x, y)) = windows {
        multiply(p, x, y, units);
    }
    windows.is_some()
}

fn multiply(p: &DenseF32<'_>, x: Memory<'_>, y: MemoryMut<'_>, units: Units) {
    let (shape, layer) = (&p.shape, &p.layer);
    if !is_whole(layer, shape.outputs, shape.inputs) {
        return;
    }
    let (Some(most_from), Some(most_to)) =
        (elements(x.bytes).checked_sub(shape.inputs), elements(y.bytes).checked_sub(shape.outputs))
    else {
        return;
    };
    let mut task = window::Task {
        results: Results::new(layer, shape.outputs),
        x: null(),
        filters: null(),
        filter: bytes(shape.inputs),
        rows: window::Rows {
            count: 1,
            runs: 1,
            run_gap: 0,
            run: shape.inputs,
            gap: 0,
            filter_gap: 0,
            end: null(),
            size: 0,
        },
    };
    for unit in units {
        let (from, to) = (shape.from.start(unit), shape.to.start(unit));
        if from > most_from || to > most_to {
            return;
        }
        task.x = x.start.wrapping_add(bytes(from)).cast();
        task.filters = layer.weights.as_ptr();
        task.results.start(layer, y.start.wrapping_add(bytes(to)));
        // SAFETY: the row lies in `x`, its results in `y`, and there is a weight for each product.
        unsafe { window::run(&raw mut task) };
    }
}

/// As [`conv2d_f32`], with one filter for each channel.
#[inline(always)]
pub(in crate::kernels) fn depthwise_f32(
    p: &DepthwiseF32<'_>,
    x: impl Elements<f32>,
    y: impl Sink<f32>,
    units: Units,
) -> bool {
    let windows = windows(x, y);
    if let Some((x, y)) = windows {
        filter(p, x, y, units);
    }
    windows.is_some()
}

#[inline(never)]
fn filter(p: &DepthwiseF32<'_>, x: Memory<'_>, y: MemoryMut<'_>, units: Units) {
    let (slide, channels) = (&p.shape.slide, p.shape.channels);
    let Some(taps) = slide.y.taps.checked_mul(slide.x.taps) else { return };
    let Some((size, most)) = places(slide, channels, x, &p.layer, channels, taps, y) else { return };
    let mut task = channels::Task {
        results: Results::new(&p.layer, channels),
        x: null(),
        weights: null(),
        rows: 0,
        taps: 0,
        step: bytes(slide.x.dilation.wrapping_mul(channels)),
        weights_step: bytes(channels),
        gap: 0,
        weights_gap: 0,
        end: x.start.wrapping_add(size),
        size,
    };
    pixels(slide, units, most, |Pixel { rows, top, columns, to }| {
        let DepthwiseLayer { shape, layer } = black_box(p);
        let (slide, channels, taps) = (&shape.slide, shape.channels, columns.taps.len());
        let first = (rows.start * slide.x.taps + columns.taps.start) * channels;
        task.x = x.start.wrapping_add(bytes(top + columns.first * channels)).cast();
        task.weights = layer.weights.as_ptr().wrapping_add(first);
        task.rows = if taps > 0 { rows.len() } else { 0 };
        task.taps = taps;
        task.gap = bytes(slide.row_step()).wrapping_sub(taps.wrapping_mul(task.step));
        task.weights_gap = bytes((slide.x.taps - taps) * channels);
        task.results.start(layer, y.start.wrapping_add(bytes(to)));
        // SAFETY: the taps that `inside` names lie in the image, whose rows lie in `x`, and in the filters, of
        // which there is one for each result; the results lie in `y`.
        unsafe { channels::run(&raw const task) };
    });
}

/// A pixel of the result and its window.
struct Pixel {
    /// The rows of taps that lie in the image.
    rows: Range<usize>,
    /// Where the first of them starts there.
    top: usize,
    columns: Inside,
    /// Where the results go.
    to: usize,
}

/// Hands all pixels of `units` to `compute`, as long as rows of taps lie in the ring and results begin at `most` at the
/// latest.
#[inline(always)]
fn pixels(slide: &Slide, units: Units, most: usize, mut compute: impl FnMut(Pixel)) {
    for unit in units {
        // Read again for each row and pixel: held, the numbers would fill the stack.
        let slide = black_box(slide);
        let band = slide.band(unit);
        let (row, rows) = (slide.row(unit), &band.rows.taps);
        if rows.len() > 1 && slide.y.dilation > slide.from.held {
            return;
        }
        let top = slide.from.start(band.picture + band.rows.first);
        for column in units.along(0..slide.x.output) {
            let slide = black_box(slide);
            let to = row + column * slide.pixel;
            if to > most {
                return;
            }
            compute(Pixel { rows: rows.clone(), top, columns: slide.x.inside(column), to });
        }
    }
}

/// Bytes of `elements`.
const fn bytes(elements: usize) -> usize {
    elements.wrapping_mul(size_of::<f32>())
}

/// Elements in `bytes`.
const fn elements(bytes: usize) -> usize {
    bytes / size_of::<f32>()
}

/// Both windows, where their elements are aligned.
#[inline(always)]
fn windows<'w>(x: impl Elements<f32> + 'w, y: impl Sink<f32> + 'w) -> Option<(Memory<'w>, MemoryMut<'w>)> {
    let (x, y) = (x.memory()?, y.memory_mut()?);
    (x.start.cast::<f32>().is_aligned() && y.start.cast::<f32>().is_aligned()).then_some((x, y))
}

/// The bytes of the image in `x`, and the last element of `y` from which on it has room for the `outputs` of a pixel;
/// if `x` holds the rows of pixels of so many channels and the layer is whole.
#[inline(always)]
fn places(
    slide: &Slide,
    channels: usize,
    x: Memory<'_>,
    layer: &WeightsF32<'_>,
    outputs: usize,
    filter: usize,
    y: MemoryMut<'_>,
) -> Option<(usize, usize)> {
    let Rows { stride, held } = slide.from;
    let image = held.checked_mul(stride)?;
    let row = slide.x.input.checked_mul(channels)?;
    let fits = held > 0 && image <= elements(x.bytes) && row <= stride && is_whole(layer, outputs, filter);
    Some((bytes(image), elements(y.bytes).checked_sub(outputs)?)).filter(|_| fits)
}

/// Whether there is a weight for each product and a bias for each result, or none.
#[inline(always)]
fn is_whole(layer: &WeightsF32<'_>, outputs: usize, filter: usize) -> bool {
    let biased = layer.bias.is_empty() || layer.bias.len() >= outputs;
    biased && outputs.checked_mul(filter).is_some_and(|len| len <= layer.weights.len())
}
