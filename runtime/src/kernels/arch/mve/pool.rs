//! The largest and the mean of windows, and sums of elements evenly apart.

use super::super::pool::{Pooled, parts, pooled};
use super::super::{SUMS, Strip};
use crate::kernels::windows::Windows;
use crate::kernels::{Elements, Sink};
use core::arch::naked_asm;

pooled!(max_i8, i8, largest_i8);
pooled!(max_u8, u8, largest_u8);

/// The function for elements of this type.
macro_rules! largest {
    ($name:ident, $type:literal) => {
        /// A column of 16 channels in 5 instructions.
        ///
        /// # Safety
        /// What the task names is readable and writable; there are pixels, channels, rows and columns.
        #[unsafe(naked)]
        unsafe extern "C" fn $name(task: *mut Pooled) {
            naked_asm!(
                processor!(),
                "push {{r0, r4-r9, lr}}",
                "ldrd r1, r2, [r0, #24]",
                "vdup.8 q2, r1",
                "vdup.8 q3, r2",
                "add r1, r0, #40",
                "ldm r1, {{r5-r8}}",
                "ldr r9, [r0]",
                "1:",
                "ldr r12, [r0, #20]",
                // 16 channels of the window at r9.
                "2:",
                "vctp.8 r12",
                "vmov q0, q2",
                "mov r1, r9",
                "ldr r2, [r0, #8]",
                "3:",
                "mov r3, r1",
                "dls lr, r7",
                "4:",
                "vpst",
                "vldrbt.u8 q1, [r3]",
                "add r3, r3, r5",
                concat!("vmax.", $type, " q0, q0, q1"),
                "le lr, 4b",
                "add r1, r1, r6",
                "subs r2, r2, #1",
                "bne 3b",
                "ldr r2, [r0, #12]",
                "cbz r2, 5f",
                "rsbs r3, r2, #0",
                "str r3, [r0, #12]",
                "bpl 5f",
                "ldr r3, [r0, #16]",
                "add r1, r1, r3",
                "b 3b",
                "5:",
                concat!("vmin.", $type, " q0, q0, q3"),
                "vpst",
                "vstrbt.8 q0, [r8], #16",
                "add r9, r9, #16",
                "subs r12, r12, #16",
                "bgt 2b",
                // Back to behind the last channel.
                "add r9, r9, r12",
                "add r8, r8, r12",
                "ldr r1, [r0, #4]",
                "add r9, r9, r1",
                "ldrd r1, r2, [r0, #32]",
                "add r8, r8, r2",
                "subs r1, r1, #1",
                "str r1, [r0, #32]",
                "bne 1b",
                "pop {{r0, r4-r9, pc}}",
            )
        }
    };
}

largest!(largest_i8, "s8");
largest!(largest_u8, "u8");

/// As [`mean_i8`](super::super::portable::mean_i8) of the portable machine.
#[inline(always)]
pub(in crate::kernels) fn mean_i8(windows: &Windows, x: impl Elements<i8>, y: impl Sink<i8>, bounds: [i32; 2]) {
    windows.means(y, bounds, |strip, sums| sum_i8(x, strip, sums));
}

/// As [`mean_u8`](super::super::portable::mean_u8) of the portable machine.
#[inline(always)]
pub(in crate::kernels) fn mean_u8(windows: &Windows, x: impl Elements<u8>, y: impl Sink<u8>, bounds: [i32; 2]) {
    windows.means(y, bounds, |strip, sums| sum_u8(x, strip, sums));
}

/// As [`sum_i8`](super::super::portable::sum_i8) of the portable machine.
#[inline(always)]
pub(in crate::kernels) fn sum_i8(x: impl Elements<i8>, strip: &Strip, sums: &mut [i32; SUMS]) {
    parts(x, strip, |from, count| {
        // SAFETY: the part lies in the window.
        unsafe { sum_eights_i8(from, strip.step, count, sums, strip.channels) };
    });
}

/// As [`sum_u8`](super::super::portable::sum_u8) of the portable machine.
#[inline(always)]
pub(in crate::kernels) fn sum_u8(x: impl Elements<u8>, strip: &Strip, sums: &mut [i32; SUMS]) {
    parts(x, strip, |from, count| {
        // SAFETY: the part lies in the window.
        unsafe { sum_eights_u8(from, strip.step, count, sums, strip.channels) };
    });
}

/// The function for elements that become lanes of this type, and the sums of 32 bits.
macro_rules! sums {
    ($name:ident, $type:literal, $load:literal) => {
        /// An element of eight channels in 5 instructions.
        ///
        /// # Safety
        /// `channels` bytes, at most eight, are readable at `from`, `from + step` and so on, `count` times, at most 255
        /// and at least once.
        #[unsafe(naked)]
        unsafe extern "C" fn $name(
            from: *const u8,
            step: usize,
            count: usize,
            sums: *mut [i32; SUMS],
            channels: usize,
        ) {
            naked_asm!(
                processor!(),
                "ldr r12, [sp]",
                "push {{r4, lr}}",
                "sub sp, sp, #16",
                "vctp.16 r12",
                "vmov.i16 q0, #0",
                "dls lr, r2",
                "1:",
                "vpst",
                concat!("vldrbt.", $type, " q1, [r0]"),
                "add r0, r0, r1",
                "vadd.i16 q0, q0, q1",
                "le lr, 1b",
                // Its halves as words.
                "mov r4, sp",
                "vstrw.32 q0, [r4]",
                concat!($load, " q0, [r4]"),
                concat!($load, " q1, [r4, #8]"),
                "vldrw.32 q2, [r3]",
                "vldrw.32 q3, [r3, #16]",
                "vadd.i32 q0, q0, q2",
                "vadd.i32 q1, q1, q3",
                "vstrw.32 q0, [r3]",
                "vstrw.32 q1, [r3, #16]",
                "add sp, sp, #16",
                "pop {{r4, pc}}",
            )
        }
    };
}

sums!(sum_eights_i8, "s16", "vldrh.s32");
sums!(sum_eights_u8, "u16", "vldrh.u32");
