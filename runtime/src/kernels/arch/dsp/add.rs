//! Weighted sums of two tensors.

use super::super::window::pairwise;
use crate::kernels::add_weighted::AddWeightedI8;
use crate::kernels::{Elements, Sink};
use core::arch::naked_asm;

/// As [`add`](super::super::portable::add) of the portable machine.
#[inline(always)]
pub(in crate::kernels) fn add(
    p: &AddWeightedI8,
    a: impl Elements<i8>,
    b: impl Elements<i8>,
    y: impl Sink<i8>,
    to: usize,
) {
    let Some(([a, b], y)) = pairwise(a, b, y, to) else { return };
    let task = Task {
        a: a.start,
        b: b.start,
        y,
        fours: a.bytes / 4,
        weights: p.weights,
        offset: p.offset,
        odd: 0xff00_ff00,
        rest: a.bytes % 4,
        bounds: [p.min, p.max],
        bytes: super::bytes([p.min, p.max]),
    };
    // SAFETY: it reads as many bytes of `a` and `b` as it writes of `y`, in their windows.
    unsafe { if super::is_clamped(task.bounds) { bounded(&raw const task) } else { whole(&raw const task) } }
}

/// What the assembly is given, in its order.
#[repr(C)]
struct Task {
    a: *const u8,
    b: *const u8,
    y: *mut u8,
    fours: usize,
    weights: [i32; 2],
    offset: i32,
    /// A mask of the odd bytes.
    odd: u32,
    /// Elements after the fours.
    rest: usize,
    bounds: [i32; 2],
    /// The bounds in each byte.
    bytes: [u32; 2],
}

/// The function with four elements at a time whose bytes, in r12, become what `$bounds` makes of them.
macro_rules! sums {
    ($name:ident, $($bounds:literal),*) => {
        /// # Safety
        /// What the task's pointers name is readable and writable as [`add`] says.
        #[unsafe(naked)]
        unsafe extern "C" fn $name(task: *const Task) {
            naked_asm!(
                processor!(),
                "push {{r0, r4-r11, lr}}",
                "ldmia r0, {{r0-r7}}",
                "cmp r3, #0",
                "beq 2f",
                "1:",
                "ldr r8, [r0], #4",
                "ldr r9, [r1], #4",
                // Elements 0 and 2 as the upper bytes of halfwords, then 1 and 3.
                "and r10, r7, r8, lsl #8",
                "and r11, r7, r9, lsl #8",
                "and r8, r8, r7",
                "and r9, r9, r7",
                "smlawb r12, r4, r10, r6",
                "smlawt r10, r4, r10, r6",
                "smlawb lr, r4, r8, r6",
                "smlawt r8, r4, r8, r6",
                "smlawb r12, r5, r11, r12",
                "smlawt r10, r5, r11, r10",
                "smlawb lr, r5, r9, lr",
                "smlawt r8, r5, r9, r8",
                "ssat r12, #8, r12, asr #20",
                "ssat r10, #8, r10, asr #20",
                "ssat lr, #8, lr, asr #20",
                "ssat r8, #8, r8, asr #20",
                "bfi r12, lr, #8, #8",
                "bfi r10, r8, #8, #8",
                "pkhbt r12, r12, r10, lsl #16",
                $($bounds,)*
                "str r12, [r2], #4",
                "subs r3, r3, #1",
                "bne 1b",
                "2:",
                // The rest, with bounds.
                "ldr r12, [sp]",
                "add r12, r12, #32",
                "ldmia r12, {{r3, r12, lr}}",
                "cbz r3, 4f",
                "3:",
                "ldrsb r10, [r0], #1",
                "ldrsb r11, [r1], #1",
                "lsl r10, r10, #8",
                "lsl r11, r11, #8",
                "smlawb r10, r4, r10, r6",
                "smlawb r10, r5, r11, r10",
                "asr r10, r10, #20",
                "cmp r10, r12",
                "it lt",
                "movlt r10, r12",
                "cmp r10, lr",
                "it gt",
                "movgt r10, lr",
                "strb r10, [r2], #1",
                "subs r3, r3, #1",
                "bne 3b",
                "4:",
                "pop {{r0, r4-r11, pc}}",
            )
        }
    };
}

sums!(whole,);
sums!(
    bounded,
    "ldr r8, [sp]",
    "ldrd r8, r9, [r8, #44]",
    "ssub8 r10, r12, r8",
    "sel r12, r12, r8",
    "ssub8 r10, r12, r9",
    "sel r12, r9, r12"
);
