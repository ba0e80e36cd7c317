//! Sums of elements evenly apart.

use super::super::pool::parts;
use super::super::portable::sum_one;
use super::super::{SUMS, Strip};
use crate::kernels::Elements;
use core::arch::naked_asm;

/// As [`sum_i8`](super::super::portable::sum_i8) of the portable machine.
#[inline(always)]
pub(in crate::kernels) fn sum_i8(x: impl Elements<i8>, strip: &Strip, sums: &mut [i32; SUMS]) {
    if strip.channels == 1 {
        return sum_one(x, strip, sums);
    }
    parts(x, strip, |from, count| {
        // SAFETY: the part lies in the window.
        unsafe { sum_fours_i8(from, strip.step, count, sums) };
    });
}

/// As [`sum_u8`](super::super::portable::sum_u8) of the portable machine.
#[inline(always)]
pub(in crate::kernels) fn sum_u8(x: impl Elements<u8>, strip: &Strip, sums: &mut [i32; SUMS]) {
    if strip.channels == 1 {
        return sum_one(x, strip, sums);
    }
    parts(x, strip, |from, count| {
        // SAFETY: the part lies in the window.
        unsafe { sum_fours_u8(from, strip.step, count, sums) };
    });
}

/// The function for bytes of which `$add` adds two, and the sums of 16 bits `$low` and `$high`.
macro_rules! sums {
    ($name:ident, $add:literal, $low:literal, $high:literal) => {
        /// # Safety
        /// Four bytes are readable at `from`, `from + step` and so on, `count` times, at most 255.
        #[unsafe(naked)]
        unsafe extern "C" fn $name(from: *const u8, step: usize, count: usize, sums: *mut [i32; SUMS]) {
            naked_asm!(
                processor!(),
                "push {{r4-r6, lr}}",
                // The sums of elements 0 and 2, and of 1 and 3.
                "mov r12, #0",
                "mov lr, #0",
                "lsrs r2, r2, #1",
                "bcc 1f",
                "ldr r4, [r0]",
                "add r0, r0, r1",
                concat!($add, " r12, r12, r4"),
                concat!($add, " lr, lr, r4, ror #8"),
                "1:",
                "cbz r2, 3f",
                "2:",
                "ldr r4, [r0]",
                "ldr r5, [r0, r1]",
                "add r0, r0, r1, lsl #1",
                concat!($add, " r12, r12, r4"),
                concat!($add, " lr, lr, r4, ror #8"),
                concat!($add, " r12, r12, r5"),
                concat!($add, " lr, lr, r5, ror #8"),
                "subs r2, r2, #1",
                "bne 2b",
                "3:",
                "ldm r3, {{r0, r1, r2, r4}}",
                concat!($low, " r0, r0, r12"),
                concat!($low, " r1, r1, lr"),
                concat!("add r2, r2, r12, ", $high),
                concat!("add r4, r4, lr, ", $high),
                "stm r3, {{r0, r1, r2, r4}}",
                "pop {{r4-r6, pc}}",
            )
        }
    };
}

sums!(sum_fours_i8, "sxtab16", "sxtah", "asr #16");
sums!(sum_fours_u8, "uxtab16", "uxtah", "lsr #16");
