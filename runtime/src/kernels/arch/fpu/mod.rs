//! The floating-point unit of Cortex-M4F, M7, M33 and M55: whole layers, all channels of a pixel in one call.
//!
//! `vmla.f32` rounds the product and then the sum there, as the portable kernels do. Four elements by four channels
//! take 23 instructions and about 45 cycles (`vldm` 1 + N, `vmla` 1 with its operands at hand, a taken branch 3).

mod window;

use crate::kernels::conv::ConvF32;
use crate::kernels::dense::DenseF32;
use crate::kernels::weights::WeightsF32;
use crate::kernels::{Elements, Sink, Units};
use window::{Rows, Task};

/// Bytes of `elements`.
const fn bytes(elements: usize) -> usize {
    elements.wrapping_mul(size_of::<f32>())
}

/// Whether there is a weight for each product and a bias for each result, or none.
#[inline(always)]
fn is_whole(layer: &WeightsF32<'_>, outputs: usize, filter: usize) -> bool {
    let biased = layer.bias.is_empty() || layer.bias.len() >= outputs;
    biased && outputs.checked_mul(filter).is_some_and(|len| len <= layer.weights.len())
}

/// As the portable kernel.
pub(in crate::kernels) fn conv2d_f32(p: &ConvF32<'_>, x: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
    let (shape, slide, layer) = (&p.shape, &p.shape.slide, &p.layer);
    let (Some(x), Some(y)) = (x.memory(), y.memory_mut()) else { return };
    let (pixel, outputs) = (shape.groups * shape.inputs, shape.groups * shape.outputs);
    let filter_row = slide.x.taps * shape.inputs;
    let size = bytes(slide.from.held * slide.from.stride);
    let fits = size <= x.bytes
        && slide.x.input * pixel <= slide.from.stride
        && (slide.y.taps <= 1 || slide.y.dilation <= slide.from.held)
        && is_whole(layer, outputs, slide.y.taps * filter_row);
    if !fits || !x.start.cast::<f32>().is_aligned() || !y.start.cast::<f32>().is_aligned() {
        return;
    }
    let side_by_side = slide.x.dilation == 1 && shape.groups == 1;
    let mut task = Task::new(layer, slide.y.taps * filter_row, shape.outputs);
    for unit in units {
        let band = slide.band(unit);
        let row = slide.row(unit);
        let top = slide.from.start(band.picture + band.rows.first);
        for column in units.along(0..slide.x.output) {
            let to = row + column * slide.pixel;
            if bytes(to + outputs) > y.bytes {
                return;
            }
            let columns = slide.x.inside(column);
            let taps = columns.taps.len();
            let (runs, run) = if side_by_side { (1, taps * shape.inputs) } else { (taps, shape.inputs) };
            let gap = if side_by_side { 0 } else { slide.x.dilation * pixel - run };
            let inside = taps > 0 && !band.rows.taps.is_empty();
            task.rows = Rows {
                count: if inside { band.rows.taps.len() } else { 1 },
                runs: if inside { runs } else { 1 },
                run: if inside { run } else { 0 },
                run_gap: bytes(gap),
                gap: bytes(slide.row_step().wrapping_sub(runs * (run + gap))),
                filter_gap: bytes(filter_row - taps * shape.inputs),
                end: x.start.wrapping_add(size),
                size,
            };
            let filter = band.rows.taps.start * filter_row + columns.taps.start * shape.inputs;
            for group in 0..shape.groups {
                let from = top + columns.first * pixel + group * shape.inputs;
                task.start(layer, group * shape.outputs, filter);
                task.x = x.start.wrapping_add(bytes(from)).cast();
                task.y = y.start.wrapping_add(bytes(to + group * shape.outputs)).cast();
                // SAFETY: the taps that `inside` names lie in the image, whose rows lie in `x`, and in the filters, of
                // which there is one for each result; the results lie in `y`.
                unsafe { window::run(&raw mut task) };
            }
        }
    }
}

/// As the portable kernel.
pub(in crate::kernels) fn dense_f32(p: &DenseF32<'_>, x: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
    let (shape, layer) = (&p.shape, &p.layer);
    let (Some(x), Some(y)) = (x.memory(), y.memory_mut()) else { return };
    let aligned = x.start.cast::<f32>().is_aligned() && y.start.cast::<f32>().is_aligned();
    if !aligned || !is_whole(layer, shape.outputs, shape.inputs) {
        return;
    }
    let mut task = Task::new(layer, shape.inputs, shape.outputs);
    task.rows.run = shape.inputs;
    for unit in units {
        let (from, to) = (shape.from.start(unit), shape.to.start(unit));
        if bytes(from + shape.inputs) > x.bytes || bytes(to + shape.outputs) > y.bytes {
            return;
        }
        task.start(layer, 0, 0);
        task.x = x.start.wrapping_add(bytes(from)).cast();
        task.y = y.start.wrapping_add(bytes(to)).cast();
        // SAFETY: the row lies in `x`, its results in `y`, and there is a weight for each product.
        unsafe { window::run(&raw mut task) };
    }
}
