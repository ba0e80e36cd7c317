//! The DSP instructions: Cortex-M4 and M7, and Cortex-M33 where it has them.
//!
//! Cycles of a Cortex-M4 (`ldr` 2, `ldrd` 3, `ldm` 1 + N, multiply-accumulate 1, a taken branch 3) of the main loops:
//! two pixels by four channels 16 for 16 products and 1 a branch (12 instructions), one pixel by four channels 18 for
//! 16 products (14 instructions), widening of two runs 14 for 8 elements (8 instructions), two taps of four depthwise
//! channels 22 for 8 products (14 instructions), a pixel of a channel by three by three taps 29 for 9 products (20
//! instructions), of a whole image 27 (18 instructions) and by two columns 31 (21.5 instructions), the largest of a
//! column of eight channels 12 (8 instructions), sums of two of four 13 (9 instructions).

/// Tells the assembler of functions without a frame what the target's name does not.
#[cfg(waterline_armv8m)]
macro_rules! processor {
    () => {
        ".cpu cortex-m33"
    };
}
#[cfg(not(waterline_armv8m))]
macro_rules! processor {
    () => {
        ""
    };
}

/// One after the other.
macro_rules! lines {
    ($($lines:expr),+ $(,)?) => {
        concat!($($lines, "\n"),+)
    };
}

mod add;
mod filter;
mod filter3x3;
mod mul;
mod multiply;
mod pool;
mod sum;
mod widen;

pub(in crate::kernels) use add::add;
pub(in crate::kernels) use filter::filter;
pub(in crate::kernels) use filter3x3::filter3x3;
pub(in crate::kernels) use mul::mul;
pub(in crate::kernels) use multiply::{multiply, multiply_pairs, multiply_row};
pub(in crate::kernels) use pool::{max_i8, max_u8, mean_i8, mean_u8};
pub(in crate::kernels) use sum::{sum_i8, sum_u8};
pub(in crate::kernels) use widen::{fill, widen};

use super::window::{MemoryMut, bytes};
use crate::kernels::Sink;
use crate::kernels::packed::PackedI8;

/// Aligned words.
#[inline(always)]
fn words<'w>(columns: impl Sink<i32> + 'w) -> Option<MemoryMut<'w>> {
    columns.memory_mut().filter(|memory| memory.start.cast::<u32>().is_aligned())
}

/// The bounds in each byte.
#[inline(always)]
fn bounds(p: &PackedI8<'_>) -> [u32; 2] {
    bytes([p.min, p.max])
}

/// Not all of i8 lies between the bounds.
#[inline(always)]
fn is_clamped([min, max]: [i32; 2]) -> bool {
    min > i32::from(i8::MIN) || max < i32::from(i8::MAX)
}
