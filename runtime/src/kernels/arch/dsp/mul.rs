//! Products of two tensors.

use super::super::window::{bytes, pairwise};
use crate::kernels::{Elements, MulInt, Sink};
use core::arch::naked_asm;

/// Products of the pairs of `a` and `b`, of one length, from element `to` of `y` on. They are shifted by 1 to 20 bits
/// to the right.
#[inline(always)]
pub(in crate::kernels) fn mul(p: &MulInt, a: impl Elements<i8>, b: impl Elements<i8>, y: impl Sink<i8>, to: usize) {
    let Some(([a, b], y)) = pairwise(a, b, y, to) else { return };
    let shift = p.shift.unsigned_abs();
    let half = 1i32.wrapping_shl(shift) >> 1;
    let task = Task {
        a: a.start,
        b: b.start,
        y,
        fours: a.bytes / 4,
        negated: p.arg_zero_points.map(|zero_point| (zero_point.wrapping_neg() & 0xffff).wrapping_mul(0x1_0001)),
        multiplier: p.multiplier,
        offset: p.zero_point.wrapping_shl(shift).wrapping_add(half),
        shift,
        rest: a.bytes % 4,
        bounds: [p.min, p.max],
        bytes: bytes([p.min, p.max]),
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
    /// The zero points negated, in both halves.
    negated: [i32; 2],
    multiplier: i32,
    /// Half a step and the zero point of the result, before the shift.
    offset: i32,
    shift: u32,
    /// Elements after the fours.
    rest: usize,
    bounds: [i32; 2],
    /// The bounds in each byte.
    bytes: [u32; 2],
}

/// Twice a product, in this register, as the result in 32 bits: rounded to nearest, then shifted, halves away from
/// zero.
macro_rules! scaled {
    ($product:literal) => {
        concat!(
            "add r10, r7, ",
            $product,
            ", asr #31
             smmlar ",
            $product,
            ", ",
            $product,
            ", r6, r10
             asr ",
            $product,
            ", ",
            $product,
            ", r8"
        )
    };
}

/// The function with four elements at a time, in 34 instructions, whose bytes, in r11, become what `$bounds` makes of
/// them.
macro_rules! products {
    ($name:ident, $($bounds:literal),*) => {
        /// # Safety
        /// What the task's pointers name is readable and writable as [`mul`] says.
        #[unsafe(naked)]
        unsafe extern "C" fn $name(task: *const Task) {
            naked_asm!(
                processor!(),
                "push {{r0, r4-r11, lr}}",
                "ldmia r0, {{r0-r8}}",
                "cmp r3, #0",
                "beq 2f",
                "1:",
                "ldr r9, [r0], #4",
                "ldr r10, [r1], #4",
                // Elements 0 and 2 without their zero points, then 1 and 3; those of the first argument doubled.
                "sxtab16 r11, r4, r9",
                "sxtab16 r12, r5, r10",
                "sxtab16 r9, r4, r9, ror #8",
                "sxtab16 r10, r5, r10, ror #8",
                "sadd16 r11, r11, r11",
                "sadd16 r9, r9, r9",
                "smultt lr, r11, r12",
                "smulbb r11, r11, r12",
                "smultt r12, r9, r10",
                "smulbb r9, r9, r10",
                scaled!("r11"),
                scaled!("r9"),
                scaled!("lr"),
                scaled!("r12"),
                "ssat r11, #8, r11",
                "ssat r9, #8, r9",
                "ssat lr, #8, lr",
                "ssat r12, #8, r12",
                "bfi r11, r9, #8, #8",
                "bfi lr, r12, #8, #8",
                "pkhbt r11, r11, lr, lsl #16",
                $($bounds,)*
                "str r11, [r2], #4",
                "subs r3, r3, #1",
                "bne 1b",
                "2:",
                // The rest, with bounds.
                "ldr r12, [sp]",
                "add r12, r12, #36",
                "ldmia r12, {{r3, r12, lr}}",
                "cbz r3, 4f",
                "3:",
                "ldrsb r9, [r0], #1",
                "ldrsb r10, [r1], #1",
                "sxtah r9, r9, r4",
                "sxtah r10, r10, r5",
                "mul r9, r9, r10",
                "lsl r9, r9, #1",
                scaled!("r9"),
                "cmp r9, r12",
                "it lt",
                "movlt r9, r12",
                "cmp r9, lr",
                "it gt",
                "movgt r9, lr",
                "strb r9, [r2], #1",
                "subs r3, r3, #1",
                "bne 3b",
                "4:",
                "pop {{r0, r4-r11, pc}}",
            )
        }
    };
}

products!(whole,);
products!(
    bounded,
    "ldr r9, [sp]",
    "ldrd r9, r10, [r9, #48]",
    "ssub8 r12, r11, r9",
    "sel r11, r11, r9",
    "ssub8 r12, r11, r10",
    "sel r11, r10, r11"
);
