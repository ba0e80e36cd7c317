//! Columns times weights in blocks.

use super::super::Pixels;
use crate::kernels::Sink;
use crate::kernels::blocked::BlockedI8;
use core::arch::naked_asm;
use core::mem::offset_of;

/// As [`multiply_blocks`](super::super::portable::multiply_blocks) of the portable machine.
#[inline(always)]
pub(in crate::kernels) fn multiply_blocks(p: &BlockedI8<'_>, columns: impl Sink<i8>, y: impl Sink<i8>, pixels: Pixels) {
    let (Some(columns), Some(y)) = (columns.memory_mut(), y.memory_mut()) else { return };
    if pixels.fit(p, columns.bytes, y.bytes) {
        let (weights, y) = (p.blocked.as_ptr(), y.start.wrapping_add(pixels.to));
        // SAFETY: the columns, all weights and the results lie in their windows.
        unsafe { multiply_columns(p, columns.start, y, pixels.step, weights, pixels.count - 1) };
    }
}

/// A block of four pixels, in vectors 0 to 3, by two channels: 14 instructions.
macro_rules! four_by_two {
    ($multiply:literal) => {
        concat!(
            "vldrb.u8 q4, [r9], #16\n",
            "vldrb.u8 q0, [r1], #16\n",
            $multiply,
            " r0, q0, q4\n",
            "vldrb.u8 q1, [r3], #16\n",
            $multiply,
            " r2, q1, q4\n",
            "vldrb.u8 q2, [r5], #16\n",
            $multiply,
            " r4, q2, q4\n",
            "vldrb.u8 q3, [r7], #16\n",
            $multiply,
            " r6, q3, q4\n",
            "vldrb.u8 q4, [r9], #16\n",
            $multiply,
            " r8, q0, q4\n",
            $multiply,
            " r10, q1, q4\n",
            $multiply,
            " r12, q2, q4\n",
            $multiply,
            " lr, q3, q4",
        )
    };
}

/// # Safety
/// The columns of `last + 1` pixels, four at most, and all weights are readable, and of each pixel, `step` bytes from
/// the one before, all channels are writable; `3 * step` has 16 bits.
#[unsafe(naked)]
unsafe extern "C" fn multiply_columns(
    p: *const BlockedI8<'_>,
    columns: *const u8,
    y: *mut u8,
    step: usize,
    weights: *const i32,
    last: usize,
) {
    naked_asm!(
        processor!(),
        "push {{r4-r11, lr}}",
        "vpush {{d8-d15}}",
        "sub sp, sp, #32",
        // The pixels; missing ones are the last again.
        "movs r4, #0",
        "ldrd r9, r5, [sp, #132]",
        "cmp r5, #0",
        "beq 6f",
        "vidup.u32 q0, r4, #1",
        "vdup.32 q1, r5",
        "vmin.u32 q0, q0, q1",
        // Bytes from `y` to the two channels of each, 16 bits each.
        "orr r3, r3, r3, lsl #16",
        "vmul.i32 q7, q0, r3",
        "mov r3, #0x10000",
        "vadd.i32 q7, q7, r3",
        "ldr r4, [r0, #{blocks}]",
        "lsl r3, r4, #4",
        "vmul.i32 q0, q0, r3",
        "vadd.i32 q0, q0, r1",
        "ldr r3, [r0, #{min}]",
        "vdup.16 q5, r3",
        "ldr r3, [r0, #{max}]",
        "vdup.16 q6, r3",
        "ldr r6, [r0, #{channels}]",
        "ldr r7, [r0, #{to}]",
        "subs r4, r4, #1",
        // Pairs of blocks after the first, the first of them half where their number is odd, which bit 0 tells.
        "and r3, r4, #1",
        "add r4, r4, r3",
        "orr r4, r4, r3",
        "mov r5, r2",
        "subs r6, r6, #2",
        // 0: columns, 16: pairs of blocks after the first, 20: results, 24: channels after these two, 28: zero point.
        "vstrw.32 q0, [sp]",
        "add r3, sp, #16",
        "stm r3, {{r4-r7}}",
        "1:",
        "ldm sp, {{r1, r3, r5, r7, r11}}",
        four_by_two!("vmladav.s8"),
        "lsrs r11, r11, #1",
        "beq 4f",
        "bcs 3f",
        "2:",
        four_by_two!("vmladava.s8"),
        "3:",
        four_by_two!("vmladava.s8"),
        "subs r11, r11, #1",
        "bne 2b",
        "4:",
        // The sums of a channel in a vector.
        "vmov q0[2], q0[0], r0, r4",
        "vmov q0[3], q0[1], r2, r6",
        "vmov q1[2], q1[0], r8, r12",
        "vmov q1[3], q1[1], r10, lr",
        "ldm r9!, {{r0, r2, r4, r6, r8, r10}}",
        "vadd.i32 q0, q0, r0",
        "vadd.i32 q1, q1, r6",
        "vshr.s32 q2, q0, #31",
        "vqrdmulh.s32 q0, q0, r2",
        "vshr.s32 q3, q1, #31",
        "vqrdmulh.s32 q1, q1, r8",
        "vadd.i32 q0, q0, q2",
        "vrshl.s32 q0, r4",
        "vadd.i32 q1, q1, q3",
        "vrshl.s32 q1, r10",
        "ldrd r1, r3, [sp, #20]",
        "vqmovnb.s32 q0, q0",
        "ldr r5, [sp, #28]",
        "vqmovnt.s32 q0, q1",
        "add r12, r1, #2",
        "vqadd.s16 q0, q0, r5",
        "subs r3, r3, #2",
        "vmax.s16 q0, q0, q5",
        "strd r12, r3, [sp, #20]",
        "vmin.s16 q0, q0, q6",
        "vstrb.16 q0, [r1, q7]",
        "bge 1b",
        // Of an odd number the last two once more.
        "adds r3, r3, #1",
        "bne 5f",
        "sub r12, r12, #1",
        "strd r12, r3, [sp, #20]",
        "b 1b",
        "5:",
        "add sp, sp, #32",
        "vpop {{d8-d15}}",
        "pop {{r4-r11, pc}}",
        // One pixel: its column at r1, results at r2, r3 blocks, r11 channels after these two.
        "6:",
        "ldr r3, [r0, #{blocks}]",
        "ldr r4, [r0, #{min}]",
        "vdup.16 q5, r4",
        "ldr r4, [r0, #{max}]",
        "vdup.16 q6, r4",
        "ldr r4, [r0, #{to}]",
        "vdup.16 q7, r4",
        "ldr r11, [r0, #{channels}]",
        "subs r11, r11, #2",
        "7:",
        "mov r5, r1",
        "movs r4, #0",
        "movs r6, #0",
        "dls lr, r3",
        "8:",
        "vldrb.u8 q0, [r5], #16",
        "vldrb.u8 q1, [r9], #16",
        "vmladava.s8 r4, q0, q1",
        "vldrb.u8 q2, [r9], #16",
        "vmladava.s8 r6, q0, q2",
        "le lr, 8b",
        "ldm r9!, {{r0, r5, r7, r8, r10, r12}}",
        "add r4, r4, r0",
        "add r6, r6, r8",
        // The channels in elements 0 and 2.
        "vmov q0[2], q0[0], r4, r6",
        "vmov q1[2], q1[0], r5, r10",
        "vmov q2[2], q2[0], r7, r12",
        "vshr.s32 q3, q0, #31",
        "vqrdmulh.s32 q0, q0, q1",
        "vadd.i32 q0, q0, q3",
        "vrshl.s32 q0, q0, q2",
        "vqmovnb.s32 q0, q0",
        "vqadd.s16 q0, q0, q7",
        "vmax.s16 q0, q0, q5",
        "vmin.s16 q0, q0, q6",
        "vmov.u16 r0, q0[0]",
        "vmov.u16 r4, q0[4]",
        "strb r0, [r2], #1",
        "strb r4, [r2], #1",
        "subs r11, r11, #2",
        "bge 7b",
        "adds r11, r11, #1",
        "bne 5b",
        "subs r2, r2, #1",
        "b 7b",
        blocks = const offset_of!(BlockedI8<'static>, blocks),
        channels = const offset_of!(BlockedI8<'static>, channels),
        to = const offset_of!(BlockedI8<'static>, to),
        min = const offset_of!(BlockedI8<'static>, min),
        max = const offset_of!(BlockedI8<'static>, max),
    )
}
