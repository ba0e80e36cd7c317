//! From sums to results.

use super::super::window::MemoryMut;
use super::LANES;
use crate::kernels::Sink;
use crate::kernels::weights::{Weights, WeightsI8};
use core::cell::Cell;
use core::ptr::null_mut;

/// How the sums of neighbouring channels become results, as machine code takes it.
#[repr(C)]
pub(super) struct Scale {
    bias: *const i32,
    /// Bytes to the next channel's.
    bias_step: usize,
    multipliers: *const i32,
    multiplier_step: usize,
    shifts: *const i8,
    shift_step: usize,
    zero_point: i32,
    min: i32,
    max: i32,
    y: *mut u8,
    /// How many times four channels; none where sums are wanted.
    pub(super) fours: usize,
}

impl Scale {
    /// That of `layer`, aimed at no results.
    #[inline(always)]
    pub(super) fn new(layer: &WeightsI8<'_>) -> Self {
        let result = &layer.result;
        let one = result.multipliers.len() == 1 && result.shifts.len() == 1;
        let biased = !layer.bias.is_empty();
        Self {
            bias: &raw const ZERO,
            bias_step: if biased { size_of::<i32>() } else { 0 },
            multipliers: result.multipliers.as_ptr(),
            multiplier_step: if one { 0 } else { size_of::<i32>() },
            shifts: result.shifts.as_ptr(),
            shift_step: usize::from(!one),
            zero_point: result.zero_point,
            min: result.min,
            max: result.max,
            y: null_mut(),
            fours: 0,
        }
    }

    /// `layer`, of which it is made, has so many channels.
    #[inline(always)]
    pub(super) fn holds(&self, layer: &WeightsI8<'_>, channels: usize) -> bool {
        let result = &layer.result;
        let scaled = self.shift_step == 0 || result.multipliers.len().min(result.shifts.len()) >= channels;
        scaled && (self.bias_step == 0 || layer.bias.len() >= channels)
    }

    /// The results of `fours` times four channels from `channel` on, which the layer has, go to `to`; `false` if they do
    /// not lie in `y`.
    #[inline(always)]
    pub(super) fn aim(
        &mut self,
        layer: &WeightsI8<'_>,
        channel: usize,
        fours: usize,
        y: MemoryMut<'_>,
        to: usize,
    ) -> bool {
        let by = |step: usize| channel.wrapping_mul(step);
        if self.bias_step > 0 {
            self.bias = layer.bias.as_ptr().wrapping_add(channel);
        }
        self.multipliers = layer.result.multipliers.as_ptr().wrapping_byte_add(by(self.multiplier_step));
        self.shifts = layer.result.shifts.as_ptr().wrapping_byte_add(by(self.shift_step));
        self.y = y.start.wrapping_add(to);
        self.fours = fours;
        to.checked_add(LANES * fours).is_some_and(|end| end <= y.bytes)
    }
}

/// The bias of channels without one.
static ZERO: i32 = 0;

/// Stores the result of one channel.
#[inline(never)]
pub(super) fn store(layer: &WeightsI8<'_>, channel: usize, sum: i32, y: MemoryMut<'_>, to: usize) {
    // SAFETY: it was made of as many cells, and every element is a byte.
    let y: &[Cell<i8>] = unsafe { core::slice::from_raw_parts(y.start.cast(), y.bytes) };
    y.put(to, layer.finish_one(channel, sum));
}
