//! Convolutions: a pixel's window is copied, what is outside the image filled in, and multiplied as a row.

use super::super::window::{Memory, MemoryMut};
use super::multiply::{LEAST, multiply};
use crate::kernels::slide::{Band, Inside};
use crate::kernels::{Conv, ConvI8, Units};

/// Bytes of the largest window: hosts have room for them on the stack.
const MOST: usize = 4096;

/// Whether it is a layer for [`conv`].
pub(super) fn fits(p: &ConvI8<'_>) -> bool {
    let Conv { slide, groups, inputs, .. } = &p.shape;
    let window = slide.y.taps.saturating_mul(slide.x.taps).saturating_mul(*inputs);
    *groups == 1 && (LEAST..=MOST).contains(&window)
}

#[target_feature(enable = "avx2")]
pub(super) fn conv(p: &ConvI8<'_>, x: Memory<'_>, y: MemoryMut<'_>, units: Units) {
    let Conv { slide, inputs, outputs, .. } = &p.shape;
    let mut window = [0; MOST];
    let Some(window) = window.get_mut(..slide.y.taps * slide.x.taps * inputs) else { return };
    for unit in units {
        let band = slide.band(unit);
        let row = slide.row(unit);
        for column in units.along(0..slide.x.output) {
            copy(p, &band, &slide.x.inside(column), x, window);
            multiply(&p.layer, Memory::of(window), y, row + column * slide.pixel, *outputs);
        }
    }
}

/// Copies a pixel's window.
#[allow(clippy::cast_possible_truncation, reason = "a zero point of i8")]
fn copy(p: &ConvI8<'_>, band: &Band, columns: &Inside, x: Memory<'_>, window: &mut [i8]) {
    let Conv { slide, inputs, .. } = &p.shape;
    let inputs = *inputs;
    let outside = p.layer.zero_point as i8;
    // Neighbouring taps are neighbours in the image too, unless they are dilated.
    let run = if slide.x.dilation == 1 { columns.taps.len() } else { 1 };
    for (tap, row) in window.chunks_exact_mut(slide.x.taps * inputs).enumerate() {
        let start = band.rows.taps.contains(&tap).then(|| slide.from.start(band.row(slide, tap)));
        let Some(start) = start.filter(|_| !columns.taps.is_empty()) else {
            row.fill(outside);
            continue;
        };
        if columns.taps.len() < slide.x.taps {
            row.fill(outside);
        }
        for (index, tap) in columns.taps.clone().step_by(run).enumerate() {
            let from = start + (columns.first + index * slide.x.dilation) * inputs;
            let to = row.get_mut(tap * inputs..(tap + run) * inputs);
            if let (Some(from), Some(to)) = (x.part(from, run * inputs), to) {
                // SAFETY: both have that many bytes, and the window is none of the arena's.
                unsafe { to.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(from.start, from.bytes) };
            }
        }
    }
}
