//! What the functions of machines with vectors compute.

use crate::kernels::arch::{Apart, Copies, Fours, Pixels};
use crate::kernels::blocked::{BLOCK, BlockedI8, LANES, PAIR_WORDS, PIXELS};
use crate::kernels::fixed_point::multiply;
use crate::kernels::{Elements, Sink};
use core::marker::PhantomData;
use core::ops::Range;

/// Copies runs of `x` to `at`, `at + pitch` and so on of `to`, and so on for those `apart`.
pub(in crate::kernels) fn copy(
    x: impl Elements<i8>,
    runs: Copies,
    to: impl Sink<i8>,
    at: usize,
    pitch: usize,
    apart: Apart,
) {
    for (time, run) in (0..apart.count).flat_map(|time| (0..runs.count).map(move |run| (time, run))) {
        let from = runs.from + time * apart.step + run * runs.step;
        for (index, value) in x.part(from..from + runs.len).values().enumerate() {
            to.put(at + time * apart.pitch + run * pitch + index, value);
        }
    }
}

/// The same value for each element of `range`.
pub(in crate::kernels) fn fill_bytes(to: impl Sink<i8>, range: Range<usize>, value: i8) {
    for index in range {
        to.put(index, value);
    }
}

/// Columns to be multiplied, which is done when they are named.
pub(in crate::kernels) struct Multiply<'w>(PhantomData<&'w ()>);

impl<'w> Multiply<'w> {
    /// Nothing.
    pub(in crate::kernels) const fn new() -> Self {
        Self(PhantomData)
    }

    /// All channels of the pixels whose columns lie one after the other.
    #[allow(clippy::unused_self, reason = "machines write down what is to be done")]
    pub(in crate::kernels) fn blocks(
        &mut self,
        p: &'w BlockedI8<'_>,
        columns: impl Sink<i8> + 'w,
        y: impl Sink<i8> + 'w,
        pixels: Pixels,
    ) {
        let weights = p.blocks * LANES * BLOCK / 4;
        for pair in 0..p.channels.div_ceil(LANES) {
            let start = pair * (weights + PAIR_WORDS);
            let (blocks, end) = (p.blocked.after(start), p.blocked.after(start + weights));
            for (pixel, lane) in (0..pixels.count).flat_map(|pixel| (0..LANES).map(move |lane| (pixel, lane))) {
                let sum = (0..p.blocks * BLOCK).fold(end.at(3 * lane), |sum, index| {
                    let place = (index / BLOCK * LANES + lane) * BLOCK + index % BLOCK;
                    let value = i32::from(columns.at(pixel * p.blocks * BLOCK + index));
                    sum.wrapping_add(value * weight(blocks, place))
                });
                // The last two of an odd number are the last two again.
                let channel = (pair * LANES).min(p.channels.saturating_sub(LANES)) + lane;
                let result = result(sum, end.at(3 * lane + 1), end.at(3 * lane + 2), [p.to, p.min, p.max]);
                y.put(pixels.to + pixel * pixels.step + channel, result);
            }
        }
    }

    /// Copies the windows of four pixels to columns and computes all channels of these, then of the next four.
    pub(in crate::kernels) fn fours(
        &mut self,
        p: &'w BlockedI8<'_>,
        x: impl Elements<i8> + 'w,
        columns: impl Sink<i8> + 'w,
        y: impl Sink<i8> + 'w,
        fours: &Fours,
    ) {
        for index in 0..fours.count {
            let first = PIXELS * if fours.backward { fours.count - 1 - index } else { index };
            let runs = Copies { from: fours.runs.from + first * fours.step, ..fours.runs };
            let apart = Apart { count: PIXELS, step: fours.step, pitch: p.blocks * BLOCK };
            copy(x, runs, columns, fours.at, fours.runs.len, apart);
            self.blocks(p, columns, y, Pixels { to: fours.to + first * fours.to_step, ..fours.pixels() });
        }
    }

    /// Computes the results.
    #[allow(clippy::unused_self, reason = "it is done")]
    pub(in crate::kernels) fn run(&mut self) {}
}

/// Byte `index` of the words.
pub(super) fn weight(words: &[i32], index: usize) -> i32 {
    words.at(index / 4).to_le_bytes().as_slice().at(index % 4).cast_signed().into()
}

/// The result of a sum, by the result's zero point and bounds.
pub(super) fn result(sum: i32, multiplier: i32, shift: i32, [zero_point, min, max]: [i32; 3]) -> i8 {
    let result = multiply(sum, multiplier, shift).wrapping_add(zero_point);
    #[allow(clippy::cast_possible_truncation, reason = "the bounds are those of i8")]
    let result = result.max(min).min(max) as i8;
    result
}
