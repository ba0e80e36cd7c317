//! All channels of a pixel of a depthwise convolution.

use super::Results;
use core::arch::naked_asm;

/// What the assembly is given, in its order. Steps and sizes are in bytes, and wrap where they go down.
#[repr(C)]
pub(super) struct Task {
    pub(super) results: Results,
    /// The first element of the first tap.
    pub(super) x: *const f32,
    /// Its weight.
    pub(super) weights: *const f32,
    /// Rows of taps.
    pub(super) rows: usize,
    /// Taps of a row, at least one.
    pub(super) taps: usize,
    /// From tap to tap.
    pub(super) step: usize,
    /// From the weights of a tap to those of the next.
    pub(super) weights_step: usize,
    /// From a step after the last tap of a row to the next row.
    pub(super) gap: usize,
    /// From a step after the weights of the last tap to those of the next row.
    pub(super) weights_gap: usize,
    /// Where a ring of rows ends.
    pub(super) end: *const u8,
    /// How far from there it begins again.
    pub(super) size: usize,
}

/// Sums over the taps, from sums of zero, of channels that take `$bytes`.
macro_rules! sums {
    ($bytes:literal, $zero:literal, [$($tap:literal),+]) => {
        concat!(
            "mov r0, r7
             mov r1, r8
             add r7, r7, #", $bytes, "
             add r8, r8, #", $bytes, "
             ldr r2, [r3, #44]\n",
            $zero, "
             cmp r2, #0
             beq 18f
             12:
             ldr r4, [r3, #48]
             13:\n",
            $($tap, "\n",)+
            "add r0, r0, r5
             add r1, r1, r6
             subs r4, r4, #1
             bne 13b
             subs r2, r2, #1
             beq 18f
             ldr lr, [r3, #60]
             add r0, r0, lr
             cmp r0, r9
             itt hs
             ldrhs lr, [r3, #72]
             subhs r0, r0, lr
             ldr lr, [r3, #64]
             add r1, r1, lr
             b 12b
             18:"
        )
    };
}

/// # Safety
/// What the task's pointers name can be read and written.
#[unsafe(naked)]
pub(super) unsafe extern "C" fn run(task: *const Task) {
    naked_asm!(
        // The assembler of functions without a frame does not know the target's.
        ".fpu fpv4-sp-d16",
        "push {{r3-r11, lr}}",
        "mov r3, r0",
        "ldr r7, [r3, #36]",
        "ldr r8, [r3, #40]",
        "ldr r5, [r3, #52]",
        "ldr r6, [r3, #56]",
        "ldr r9, [r3, #68]",
        all_results!(
            sums!(
                "16",
                "vldmia r3, {{s0-s3}}",
                [
                    "vldmia r0, {{s4-s7}}",
                    "vldmia r1, {{s8-s11}}",
                    "vmla.f32 s0, s4, s8",
                    "vmla.f32 s1, s5, s9",
                    "vmla.f32 s2, s6, s10",
                    "vmla.f32 s3, s7, s11"
                ]
            ),
            sums!("4", "vldr s0, [r3]", ["vldr s4, [r0]", "vldr s8, [r1]", "vmla.f32 s0, s4, s8"]),
        ),
        "pop {{r3-r11, pc}}",
    )
}
