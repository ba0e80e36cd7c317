//! Columns times weights in blocks.

use super::super::{Fours, MemoryMut, Pixels};
use crate::kernels::blocked::{BLOCK, BlockedI8, PIXELS};
use crate::kernels::{Elements, Sink};
use core::arch::naked_asm;
use core::cell::Cell;
use core::marker::PhantomData;
use core::mem::offset_of;
use core::ptr::{null, null_mut};

/// Columns to be multiplied: what the assembly is given, in its order. It does not lie where it is written down, so that
/// what wrote it has given its stack back when it is run.
#[repr(C)]
pub(in crate::kernels) struct Multiply<'w> {
    p: *const BlockedI8<'w>,
    columns: *mut u8,
    /// Where the first results start.
    y: *mut u8,
    /// Bytes from a pixel's results to the next pixel's.
    step: usize,
    /// Pixels after the first, up to three.
    last: usize,
    weights: *const i32,
    /// Where the first window of the next four pixels starts.
    from: *const u8,
    /// Bytes from a window to the next.
    pixel: usize,
    /// Bytes of a run.
    len: usize,
    /// Bytes from behind the blocks of a run to the next.
    gap: usize,
    /// Runs of a window; none where the columns are as they should be.
    runs: usize,
    /// Where the first goes in a column.
    at: usize,
    /// Bytes from four windows to the next four.
    next: usize,
    /// Bytes from behind the results of a pixel to those of the pixel four further.
    next_to: usize,
    /// Fours that are left.
    fours: usize,
    windows: PhantomData<&'w [Cell<u8>]>,
}

impl<'w> Multiply<'w> {
    /// Nothing.
    #[inline(always)]
    pub(in crate::kernels) const fn new() -> Self {
        Self {
            p: null(),
            columns: null_mut(),
            y: null_mut(),
            step: 0,
            last: 0,
            weights: null(),
            from: null(),
            pixel: 0,
            len: 0,
            gap: 0,
            runs: 0,
            at: 0,
            next: 0,
            next_to: 0,
            fours: 0,
            windows: PhantomData,
        }
    }

    /// As [`blocks`](super::super::portable::Multiply::blocks) of the portable machine, when it is run.
    #[inline(always)]
    pub(in crate::kernels) fn blocks(
        &mut self,
        p: &'w BlockedI8<'_>,
        columns: impl Sink<i8> + 'w,
        y: impl Sink<i8> + 'w,
        pixels: Pixels,
    ) {
        let (Some(columns), Some(y)) = (columns.memory_mut(), y.memory_mut()) else { return };
        if pixels.fit(p, columns.bytes, y.bytes) {
            self.columns(p, columns, y.start.wrapping_add(pixels.to), pixels.step);
            (self.last, self.runs, self.fours) = (pixels.count - 1, 0, 1);
        }
    }

    /// As [`fours`](super::super::portable::Multiply::fours) of the portable machine, when it is run.
    #[inline(always)]
    pub(in crate::kernels) fn fours(
        &mut self,
        p: &'w BlockedI8<'_>,
        x: impl Elements<i8> + 'w,
        columns: impl Sink<i8> + 'w,
        y: impl Sink<i8> + 'w,
        fours: &Fours,
    ) {
        let (Some(x), Some(columns), Some(y)) = (x.memory(), columns.memory_mut(), y.memory_mut()) else { return };
        if !fours.fit(p, x.bytes, columns.bytes, y.bytes) {
            return;
        }
        let Fours { runs, step, at, to, to_step, count, backward } = *fours;
        let four = if backward { PIXELS.wrapping_neg() } else { PIXELS };
        let [next, next_to] = [step, to_step].map(|step| step.wrapping_mul(four));
        let [first, first_to] = [step, to_step].map(|step| if backward { PIXELS * (count - 1) * step } else { 0 });
        self.columns(p, columns, y.start.wrapping_add(to + first_to), to_step);
        self.last = PIXELS - 1;
        self.from = x.start.wrapping_add(runs.from + first);
        (self.pixel, self.len, self.runs, self.at, self.next) = (step, runs.len, runs.count, at, next);
        self.gap = runs.step.wrapping_sub(runs.len.next_multiple_of(BLOCK));
        (self.next_to, self.fours) = (next_to.wrapping_sub(p.channels), count);
    }

    /// The columns times the weights of `p`, to `y`.
    #[inline(always)]
    fn columns(&mut self, p: &'w BlockedI8<'_>, columns: MemoryMut<'w>, y: *mut u8, step: usize) {
        (self.p, self.columns, self.y, self.step, self.weights) = (p, columns.start, y, step, p.blocked.as_ptr());
    }

    /// Computes the results.
    #[inline(always)]
    pub(in crate::kernels) fn run(&mut self) {
        if self.fours > 0 {
            // SAFETY: the windows, the columns, all weights and the results lie in their windows.
            unsafe { multiply_columns(self) };
            self.fours = 0;
        }
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
/// the one before, all channels are writable; `3 * step` has 16 bits. If there are runs, they are readable for all
/// fours, the columns of four pixels are writable, and so are the results of all.
#[unsafe(naked)]
unsafe extern "C" fn multiply_columns(task: *mut Multiply<'_>) {
    naked_asm!(
        processor!(),
        "push {{r4-r11, lr}}",
        "vpush {{d8-d15}}",
        "sub sp, sp, #36",
        "str r0, [sp, #32]",
        "ldm r0, {{r0-r3, r5, r9}}",
        // The pixels; missing ones are the last again.
        "movs r4, #0",
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
        // 0: columns, 16: pairs of blocks after the first, 20: results, 24: channels after these two, 28: zero point,
        // 32: what the function is given.
        "vstrw.32 q0, [sp]",
        "add r3, sp, #16",
        "stm r3, {{r4-r7}}",
        // The windows of four pixels, at r0 to r3, to their columns, at r4 to r7.
        "20:",
        "ldr r12, [sp, #32]",
        "add r12, r12, #{from}",
        "ldm r12, {{r0, r3, r8, r9, r11}}",
        "cmp r11, #0",
        "beq 23f",
        "ldrd r1, r2, [r12, #{at} - {from}]",
        "add r2, r2, r0",
        "str r2, [r12]",
        // From behind the blocks of a run to the next in a column.
        "add r10, r8, #15",
        "bic r10, r10, #15",
        "sub r10, r8, r10",
        "ldm sp, {{r4-r7}}",
        "add r4, r4, r1",
        "add r5, r5, r1",
        "add r6, r6, r1",
        "add r7, r7, r1",
        "add r1, r0, r3",
        "add r2, r1, r3",
        "add r3, r2, r3",
        "21:",
        "dlstp.8 lr, r8",
        "22:",
        "vldrb.u8 q0, [r0], #16",
        "vldrb.u8 q1, [r1], #16",
        "vldrb.u8 q2, [r2], #16",
        "vldrb.u8 q3, [r3], #16",
        "vstrb.8 q0, [r4], #16",
        "vstrb.8 q1, [r5], #16",
        "vstrb.8 q2, [r6], #16",
        "vstrb.8 q3, [r7], #16",
        "letp lr, 22b",
        "subs r11, r11, #1",
        "beq 23f",
        "add r0, r0, r9",
        "add r1, r1, r9",
        "add r2, r2, r9",
        "add r3, r3, r9",
        "add r4, r4, r10",
        "add r5, r5, r10",
        "add r6, r6, r10",
        "add r7, r7, r10",
        "b 21b",
        "23:",
        "ldr r9, [r12, #-4]",
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
        "vqrdmlah.s32 q2, q0, r2",
        "vshr.s32 q3, q1, #31",
        "vqrdmlah.s32 q3, q1, r8",
        "vrshl.s32 q2, r4",
        "vrshl.s32 q3, r10",
        "ldrd r1, r3, [sp, #20]",
        "vqmovnb.s32 q0, q2",
        "ldr r5, [sp, #28]",
        "vqmovnt.s32 q0, q3",
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
        "bne 25f",
        "sub r12, r12, #1",
        "strd r12, r3, [sp, #20]",
        "b 1b",
        // The next four.
        "25:",
        "ldr r0, [sp, #32]",
        "ldrd r1, r3, [r0, #{next_to}]",
        "subs r3, r3, #1",
        "beq 5f",
        "str r3, [r0, #{next_to} + 4]",
        "add r1, r1, r12",
        "ldr r3, [r0]",
        "ldr r3, [r3, #{channels}]",
        "subs r3, r3, #2",
        "strd r1, r3, [sp, #20]",
        "b 20b",
        "5:",
        "add sp, sp, #36",
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
        from = const offset_of!(Multiply<'static>, from),
        at = const offset_of!(Multiply<'static>, at),
        next_to = const offset_of!(Multiply<'static>, next_to),
    )
}
