//! The largest of windows.

use super::super::pool::Largest;
use crate::kernels::windows::Windows;
use crate::kernels::{Elements, Sink};
use core::arch::naked_asm;

/// As [`max_i8`](super::super::portable::max_i8) of the portable machine.
#[inline(always)]
pub(in crate::kernels) fn max_i8(windows: &Windows, x: impl Elements<i8>, y: impl Sink<i8>, bounds: [i32; 2]) {
    if let Some(mut task) = Largest::new(windows, x, y, bounds) {
        // SAFETY: all windows lie in `x`, and their results in `y`.
        unsafe { largest_i8(&raw mut task) };
    }
}

/// As [`max_u8`](super::super::portable::max_u8) of the portable machine.
#[inline(always)]
pub(in crate::kernels) fn max_u8(windows: &Windows, x: impl Elements<u8>, y: impl Sink<u8>, bounds: [i32; 2]) {
    if let Some(mut task) = Largest::new(windows, x, y, bounds) {
        // SAFETY: all windows lie in `x`, and their results in `y`.
        unsafe { largest_u8(&raw mut task) };
    }
}

/// So many channels of a window: what is done for a column, which is at the offset r4 from r1, and from r3 four bytes
/// further.
macro_rules! window {
    ($width:literal, $($column:tt)*) => {
        concat!(
            "ldr r1, [r0]
             ldr r2, [r0, #8]
             add r3, r1, #", $width, "
             str r3, [r0]
             2:
             add r3, r1, #4
             mov r4, r7
             3:
             ", $($column)*, "
             subs r4, r4, r5
             bpl 3b
             add r1, r1, r6
             subs r2, r2, #1
             bne 2b
             ldr r2, [r0, #12]
             cbz r2, 4f
             rsbs r3, r2, #0
             str r3, [r0, #12]
             bpl 4f
             ldr r3, [r0, #16]
             add r1, r1, r3
             b 2b
             4:"
        )
    };
}

/// The function for bytes that `$subtract` compares and `$load` loads.
macro_rules! largest {
    ($name:ident, $subtract:literal, $load:literal) => {
        /// # Safety
        /// What the task names is readable and writable; there are pixels, channels, rows and columns.
        #[unsafe(naked)]
        unsafe extern "C" fn $name(task: *mut Largest) {
            naked_asm!(
                processor!(),
                "push {{r0, r4-r11, lr}}",
                "add r1, r0, #40",
                "ldm r1, {{r5-r7, lr}}",
                "sub r7, r7, #1",
                "mul r7, r7, r5",
                "1:",
                "ldr r12, [r0, #20]",
                "subs r12, r12, #8",
                "blt 6f",
                // Eight channels.
                "5:",
                "ldr r10, [r0, #24]",
                "mov r11, r10",
                window!(
                    "8",
                    "ldr r8, [r1, r4]\n",
                    $subtract,
                    " r9, r8, r10\n",
                    "sel r10, r8, r10\n",
                    "ldr r8, [r3, r4]\n",
                    $subtract,
                    " r9, r8, r11\n",
                    "sel r11, r8, r11"
                ),
                "ldr r8, [r0, #28]",
                concat!($subtract, " r9, r8, r10"),
                "sel r10, r10, r8",
                concat!($subtract, " r9, r8, r11"),
                "sel r11, r11, r8",
                "str r10, [lr], #4",
                "str r11, [lr], #4",
                "subs r12, r12, #8",
                "bge 5b",
                "6:",
                "adds r12, r12, #4",
                "blt 7f",
                // Four.
                "sub r12, r12, #4",
                "ldr r10, [r0, #24]",
                window!("4", "ldr r8, [r1, r4]\n", $subtract, " r9, r8, r10\n", "sel r10, r8, r10"),
                "ldr r8, [r0, #28]",
                concat!($subtract, " r9, r8, r10"),
                "sel r10, r10, r8",
                "str r10, [lr], #4",
                "7:",
                "adds r12, r12, #4",
                "beq 9f",
                // Up to three, one by one.
                "8:",
                concat!($load, " r10, [r0, #24]"),
                window!("1", $load, " r8, [r1, r4]\n", "cmp r8, r10\n", "it gt\n", "movgt r10, r8"),
                concat!($load, " r8, [r0, #28]"),
                "cmp r10, r8",
                "it gt",
                "movgt r10, r8",
                "strb r10, [lr], #1",
                "subs r12, r12, #1",
                "bne 8b",
                "9:",
                "ldrd r1, r2, [r0]",
                "add r1, r1, r2",
                "str r1, [r0]",
                "ldrd r1, r2, [r0, #32]",
                "add lr, lr, r2",
                "subs r1, r1, #1",
                "str r1, [r0, #32]",
                "bne 1b",
                "pop {{r0, r4-r11, pc}}",
            )
        }
    };
}

largest!(largest_i8, "ssub8", "ldrsb");
largest!(largest_u8, "usub8", "ldrb");
