//! All channels of a pixel of a convolution.

use super::Results;
use core::arch::naked_asm;

/// The rows of a window. Steps and sizes are in bytes, and wrap where they go down.
#[repr(C)]
pub(super) struct Rows {
    /// How many, at least one.
    pub(super) count: usize,
    /// Runs of neighbouring elements in a row, at least one.
    pub(super) runs: usize,
    /// From the end of a run to the next of its row.
    pub(super) run_gap: usize,
    /// Elements of a run.
    pub(super) run: usize,
    /// From the end of the last run to the next row.
    pub(super) gap: usize,
    /// From the end of a row's weights to those of the next.
    pub(super) filter_gap: usize,
    /// Where a ring of rows ends.
    pub(super) end: *const u8,
    /// How far from there it begins again.
    pub(super) size: usize,
}

/// What the assembly is given, in its order.
#[repr(C)]
pub(super) struct Task {
    pub(super) results: Results,
    /// The first element.
    pub(super) x: *const f32,
    /// The first weight of the first channel.
    pub(super) filters: *const f32,
    /// Bytes from a channel's weights to the next channel's.
    pub(super) filter: usize,
    pub(super) rows: Rows,
}

/// Sums over the window, from sums of zero, with weights that the instructions `$weights` point to by r7 and r8:
/// `$four` adds four products to each sum, `$one` one, `$next` steps over weights by r1.
macro_rules! sums {
    ($zero:literal, [$($weights:literal),+], [$($four:literal),+], [$($one:literal),+], [$($next:literal),+]) => {
        concat!(
            $($weights, "\n",)+
            "ldr r0, [r3, #36]
             ldr r2, [r3, #48]\n",
            $zero, "
             12:
             ldr r9, [r3, #52]
             13:
             ldr r1, [r3, #60]
             subs r1, r1, #4
             blt 15f
             14:\n",
            $($four, "\n",)+
            "subs r1, r1, #4
             bge 14b
             15:
             adds r1, r1, #4
             beq 17f
             16:\n",
            $($one, "\n",)+
            "subs r1, r1, #1
             bne 16b
             17:
             subs r9, r9, #1
             beq 19f
             ldr r1, [r3, #56]
             add r0, r0, r1
             b 13b
             19:
             subs r2, r2, #1
             beq 18f
             ldr r1, [r3, #64]
             add r0, r0, r1
             ldr r1, [r3, #72]
             cmp r0, r1
             itt hs
             ldrhs r1, [r3, #76]
             subhs r0, r0, r1
             ldr r1, [r3, #68]\n",
            $($next, "\n",)+
            "b 12b
             18:"
        )
    };
}

/// Leaves results and filters at those of the next group of channels.
///
/// # Safety
/// What the task's pointers name can be read and written.
#[unsafe(naked)]
pub(super) unsafe extern "C" fn run(task: *mut Task) {
    naked_asm!(
        // The assembler of functions without a frame does not know the target's.
        ".fpu fpv4-sp-d16",
        "push {{r4-r11, lr}}",
        "sub sp, sp, #4",
        "vpush {{s16-s23}}",
        "mov r3, r0",
        "ldr r8, [r3, #40]",
        "ldr r7, [r3, #44]",
        all_results!(
            sums!(
                "vldmia r3, {{s0-s3}}",
                ["mov r4, r8", "add r5, r4, r7", "add r6, r5, r7", "add lr, r6, r7", "add r8, lr, r7"],
                [
                    "vldmia r0!, {{s4-s7}}",
                    "vldmia r4!, {{s8-s11}}",
                    "vldmia r5!, {{s12-s15}}",
                    "vldmia r6!, {{s16-s19}}",
                    "vldmia lr!, {{s20-s23}}",
                    "vmla.f32 s0, s4, s8",
                    "vmla.f32 s1, s4, s12",
                    "vmla.f32 s2, s4, s16",
                    "vmla.f32 s3, s4, s20",
                    "vmla.f32 s0, s5, s9",
                    "vmla.f32 s1, s5, s13",
                    "vmla.f32 s2, s5, s17",
                    "vmla.f32 s3, s5, s21",
                    "vmla.f32 s0, s6, s10",
                    "vmla.f32 s1, s6, s14",
                    "vmla.f32 s2, s6, s18",
                    "vmla.f32 s3, s6, s22",
                    "vmla.f32 s0, s7, s11",
                    "vmla.f32 s1, s7, s15",
                    "vmla.f32 s2, s7, s19",
                    "vmla.f32 s3, s7, s23"
                ],
                [
                    "vldmia r0!, {{s4}}",
                    "vldmia r4!, {{s8}}",
                    "vldmia r5!, {{s12}}",
                    "vldmia r6!, {{s16}}",
                    "vldmia lr!, {{s20}}",
                    "vmla.f32 s0, s4, s8",
                    "vmla.f32 s1, s4, s12",
                    "vmla.f32 s2, s4, s16",
                    "vmla.f32 s3, s4, s20"
                ],
                ["add r4, r4, r1", "add r5, r5, r1", "add r6, r6, r1", "add lr, lr, r1"]
            ),
            sums!(
                "vldr s0, [r3]",
                ["mov r4, r8", "add r8, r8, r7"],
                [
                    "vldmia r0!, {{s4-s7}}",
                    "vldmia r4!, {{s8-s11}}",
                    "vmla.f32 s0, s4, s8",
                    "vmla.f32 s0, s5, s9",
                    "vmla.f32 s0, s6, s10",
                    "vmla.f32 s0, s7, s11"
                ],
                ["vldmia r0!, {{s4}}", "vldmia r4!, {{s8}}", "vmla.f32 s0, s4, s8"],
                ["add r4, r4, r1"]
            ),
        ),
        "strd r11, r12, [r3, #28]",
        "str r8, [r3, #40]",
        "vpop {{s16-s23}}",
        "add sp, sp, #4",
        "pop {{r4-r11, pc}}",
    )
}
