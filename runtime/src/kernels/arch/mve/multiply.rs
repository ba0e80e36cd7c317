//! Columns times weights in blocks.

use super::super::Pixels;
use crate::kernels::Sink;
use crate::kernels::blocked::{BLOCK, BlockedI8, LANES, PAIR_WORDS, PIXELS};
use core::arch::naked_asm;

/// As [`multiply_blocks`](super::super::portable::multiply_blocks) of the portable machine.
#[inline(always)]
pub(in crate::kernels) fn multiply_blocks(p: &BlockedI8<'_>, columns: impl Sink<i8>, y: impl Sink<i8>, pixels: Pixels) {
    if let Some(task) = Task::new(p, columns, y, pixels) {
        // SAFETY: the task is checked.
        unsafe { multiply_columns(&raw const task) };
    }
}

/// What the assembly is given, in its order.
#[repr(C)]
struct Task {
    /// The columns; missing ones are the last again.
    columns: [*const u8; PIXELS],
    /// Blocks of a column after the first.
    blocks: usize,
    y: *mut u8,
    /// Pairs of channels.
    pairs: usize,
    /// The result's zero point.
    to: i32,
    packed: *const i32,
    bounds: [i32; 2],
    /// Bytes from `y` to the two channels of each pixel, 16 bits each.
    places: [u32; PIXELS],
}

impl Task {
    /// The task, if all that it reads and writes lies in its windows.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "addresses have 32 bits")]
    fn new(p: &BlockedI8<'_>, columns: impl Sink<i8>, y: impl Sink<i8>, pixels: Pixels) -> Option<Self> {
        let (columns, y) = (columns.memory_mut()?, y.memory_mut()?);
        let Pixels { to, step, count } = pixels;
        let (size, pairs) = (p.blocks * BLOCK, p.channels.div_ceil(LANES));
        let last = count.wrapping_sub(1);
        let fits = last < PIXELS
            && p.blocks > 0
            && p.channels >= LANES
            && count * size <= columns.bytes
            && pairs * (size / 4 * LANES + PAIR_WORDS) <= p.blocked.len()
            && to + last * step + p.channels <= y.bytes
            && last * step < 1 << 16;
        if !fits {
            return None;
        }
        let [first, second, third] = [0, 1, 2].map(|pixel: usize| pixel.min(last));
        let pixels = [first, second, third, last];
        Some(Self {
            columns: pixels.map(|pixel| columns.start.cast_const().wrapping_add(pixel * size)),
            blocks: p.blocks - 1,
            y: y.start.wrapping_add(to),
            pairs,
            to: p.to,
            packed: p.blocked.as_ptr(),
            bounds: [p.min, p.max],
            places: pixels.map(|pixel| ((pixel * step) as u32 * 0x1_0001).wrapping_add(0x1_0000)),
        })
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
/// `task` has passed [`Task::new`].
#[unsafe(naked)]
unsafe extern "C" fn multiply_columns(task: *const Task) {
    naked_asm!(
        processor!(),
        "push {{r4-r11, lr}}",
        "vpush {{d8-d15}}",
        "ldmia r0!, {{r1-r8}}",
        "ldmia r0!, {{r9, r10, r11}}",
        "vdup.16 q5, r10",
        "vdup.16 q6, r11",
        "vldrw.u32 q7, [r0]",
        // 0: columns, 16: blocks, 20: results, 24: pairs, 28: zero point.
        "push {{r1-r8}}",
        "1:",
        "ldm sp, {{r1, r3, r5, r7, r11}}",
        four_by_two!("vmladav.s8"),
        "subs r11, r11, #1",
        "blt 3f",
        "2:",
        four_by_two!("vmladava.s8"),
        "subs r11, r11, #1",
        "bge 2b",
        "3:",
        // The sums of a channel in a vector.
        "vmov q0[2], q0[0], r0, r4",
        "vmov q0[3], q0[1], r2, r6",
        "vmov q1[2], q1[0], r8, r12",
        "vmov q1[3], q1[1], r10, lr",
        "ldm r9!, {{r0, r2, r4, r6, r8, r10, r12}}",
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
        "add r1, r1, r12",
        "vqadd.s16 q0, q0, r5",
        "subs r3, r3, #1",
        "vmax.s16 q0, q0, q5",
        "str r3, [sp, #24]",
        "vmin.s16 q0, q0, q6",
        "vstrb.16 q0, [r1, q7]",
        "bne 1b",
        "add sp, sp, #32",
        "vpop {{d8-d15}}",
        "pop {{r4-r11, pc}}",
    )
}
