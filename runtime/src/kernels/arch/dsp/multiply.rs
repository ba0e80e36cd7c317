//! Columns, or rows of bytes, times packed weights.

use super::super::window::Memory;
use super::{bounds, words};
use crate::kernels::packed::{LANES, PackedI8, QUAD_WORDS};
use crate::kernels::{Elements, Sink};
use core::arch::naked_asm;

/// As [`multiply`](super::super::portable::multiply) of the portable machine.
#[inline(always)]
pub(in crate::kernels) fn multiply(p: &PackedI8<'_>, columns: impl Sink<i32>, y: impl Sink<i8>, to: usize) {
    if let Some(task) = words(columns).and_then(|columns| Task::new(p, columns.read(), 4, y, [to])) {
        // SAFETY: the task is checked.
        unsafe { multiply_column(&raw const task) };
    }
}

/// As [`multiply_row`](super::super::portable::multiply_row) of the portable machine.
#[inline(always)]
pub(in crate::kernels) fn multiply_row(p: &PackedI8<'_>, x: impl Elements<i8>, y: impl Sink<i8>, to: usize) {
    if let Some(task) = x.memory().and_then(|x| Task::new(p, x, 2, y, [to])) {
        // SAFETY: the task is checked.
        unsafe { multiply_bytes(&raw const task) };
    }
}

/// As [`multiply_pair`](super::super::portable::multiply_pair) of the portable machine.
#[inline(always)]
pub(in crate::kernels) fn multiply_pair(p: &PackedI8<'_>, columns: impl Sink<i32>, y: impl Sink<i8>, to: [usize; 2]) {
    if let Some(task) = words(columns).and_then(|columns| Task::new(p, columns.read(), 4, y, to)) {
        // SAFETY: the task is checked.
        unsafe { multiply_columns(&raw const task) };
    }
}

/// What the assembly is given, in its order.
#[repr(C)]
struct Task {
    packed: *const i32,
    columns: *const u8,
    pairs: usize,
    /// Quads that are stored without further ado.
    plain: usize,
    y: [*mut u8; 2],
    /// `2 * zero point + 1`.
    centre: i32,
    /// Channels after the plain quads.
    rest: usize,
    /// The bounds in each byte.
    bounds: [u32; 2],
}

impl Task {
    /// The task, if all that it reads, `each` bytes a pair, and writes lies in its windows.
    #[inline(always)]
    fn new<const N: usize>(
        p: &PackedI8<'_>,
        columns: Memory<'_>,
        each: usize,
        y: impl Sink<i8>,
        to: [usize; N],
    ) -> Option<Self> {
        let y = y.memory_mut()?;
        let quads = p.channels.div_ceil(LANES);
        let fits = p.pairs > 0
            && p.pairs.is_multiple_of(2)
            && N * p.pairs <= columns.bytes / each
            && quads * (2 * p.pairs + QUAD_WORDS) <= p.packed.len()
            && to.iter().all(|to| to + p.channels <= y.bytes);
        if !fits || p.channels == 0 {
            return None;
        }
        let clamped = p.min > i32::from(i8::MIN) || p.max < i32::from(i8::MAX);
        let plain = if clamped { 0 } else { p.channels / LANES };
        let [first, second] = [to.first(), to.get(N - 1)].map(|to| y.start.wrapping_add(to.copied().unwrap_or(0)));
        Some(Self {
            packed: p.packed.as_ptr(),
            columns: columns.start,
            pairs: p.pairs,
            plain,
            y: [first, second],
            centre: 2 * p.to + 1,
            rest: p.channels - plain * LANES,
            bounds: bounds(p),
        })
    }
}

/// Two products of two pairs each for four channels of two pixels: 12 instructions of four bytes.
///
/// Sums of the pixels, r0 and r1 of channels 0 and 1 at once, r2 and r3 of channel 0, r4 and r5 of channels 2 and 3
/// at once, r6 and r7 of channel 2. The columns are at r12, the weights at lr.
macro_rules! two_by_four {
    () => {
        "ldrd r8, r9, [r12], #8
         ldrd r10, r11, [lr], #8
         smlad r0, r8, r10, r0
         smlad r1, r9, r10, r1
         sxtb16 r10, r10
         smlad r4, r8, r11, r4
         smlad r5, r9, r11, r5
         sxtb16 r11, r11
         smlad r2, r8, r10, r2
         smlad r3, r9, r10, r3
         smlad r6, r8, r11, r6
         smlad r7, r9, r11, r7"
    };
}

/// Two pairs, in r8 and r9, for four channels of a pixel.
macro_rules! two_pairs {
    () => {
        "ldmia lr!, {{r1, r3, r5, r7}}
         smlad r0, r8, r1, r0
         smlad r4, r8, r3, r4
         smlad r0, r9, r5, r0
         smlad r4, r9, r7, r4
         sxtb16 r1, r1
         sxtb16 r3, r3
         sxtb16 r5, r5
         sxtb16 r7, r7
         smlad r2, r8, r1, r2
         smlad r6, r8, r3, r6
         smlad r2, r9, r5, r2
         smlad r6, r9, r7, r6"
    };
}

/// Two pairs for four channels of a pixel, as [`two_by_four`]: 14 instructions of four bytes.
macro_rules! one_by_four {
    () => {
        concat!("ldrd r8, r9, [r12], #8\n", two_pairs!())
    };
}

/// As [`one_by_four`], straight from four bytes at r12: 16 instructions of four bytes.
macro_rules! bytes_by_four {
    () => {
        concat!("ldr r9, [r12], #4\n", "sxtb16 r8, r9\n", "sxtb16 r9, r9, ror #8\n", two_pairs!())
    };
}

/// From a sum to a result: `ssat((hm(2 * sum, r8) + ((r11 << r10) + sign)) >> (r10 + 1))`, where r9 is `r11 << r10`.
///
/// The doubled sum saturates, which leaves a result that saturates too, as multipliers are at least 2^30 and shifts
/// at most 20.
macro_rules! requantize {
    ($sum:literal) => {
        concat!(
            "add r12, r9, ",
            $sum,
            ", asr #31\n",
            "qadd ",
            $sum,
            ", ",
            $sum,
            ", ",
            $sum,
            "\n",
            "smmlar ",
            $sum,
            ", ",
            $sum,
            ", r8, r12\n",
            "asr ",
            $sum,
            ", ",
            $sum,
            ", r10\n",
            "ssat ",
            $sum,
            ", #8, ",
            $sum,
            ", asr #1"
        )
    };
}

/// # Safety
/// `task` has passed [`Task::new`] with two pixels.
#[unsafe(naked)]
unsafe extern "C" fn multiply_columns(task: *const Task) {
    naked_asm!(
        "push {{r4-r11, lr}}",
        "ldmia r0, {{r1-r10}}",
        "mov lr, r1",
        // Where the first round enters the loop: 8 columns a round.
        "rsb r11, r3, #0",
        "and r11, r11, #7",
        "movs r0, #48",
        "adr.w r1, 2f",
        "mla r1, r11, r0, r1",
        "orr r1, r1, #1",
        "add r3, r2, r3, lsl #3",
        // 0: entry, 4: columns, 8: their end, 12: plain quads, 16: results, 24: centre, 28: rest, 32: bounds.
        "sub sp, sp, #40",
        "stmia sp, {{r1-r10}}",
        "1:",
        "ldmia lr!, {{r2, r6}}",
        "mov r0, r2",
        "mov r1, r2",
        "mov r3, r2",
        "mov r4, r6",
        "mov r5, r6",
        "mov r7, r6",
        "ldrd r8, r12, [sp]",
        "bx r8",
        "2:",
        two_by_four!(),
        two_by_four!(),
        two_by_four!(),
        two_by_four!(),
        two_by_four!(),
        two_by_four!(),
        two_by_four!(),
        two_by_four!(),
        "ldr r8, [sp, #8]",
        "cmp r12, r8",
        "bne 2b",
        // The odd channels, times 256.
        "sub r0, r0, r2",
        "sub r1, r1, r3",
        "sub r4, r4, r6",
        "sub r5, r5, r7",
        "ldr r11, [sp, #24]",
        "ldmia lr!, {{r8, r10}}",
        "lsl r9, r11, r10",
        requantize!("r2"),
        requantize!("r3"),
        "ldmia lr!, {{r8, r12}}",
        "lsr r10, r10, #8",
        "lsl r9, r11, r10",
        "add r0, r12, r0, asr #8",
        "add r1, r12, r1, asr #8",
        requantize!("r0"),
        requantize!("r1"),
        "ldr r8, [lr], #4",
        "lsr r10, r10, #8",
        "lsl r9, r11, r10",
        requantize!("r6"),
        requantize!("r7"),
        "ldmia lr!, {{r8, r12}}",
        "lsr r10, r10, #8",
        "lsl r9, r11, r10",
        "add r4, r12, r4, asr #8",
        "add r5, r12, r5, asr #8",
        requantize!("r4"),
        requantize!("r5"),
        "ldrd r9, r10, [sp, #16]",
        "ldr r8, [sp, #12]",
        "subs r8, r8, #1",
        "blt 3f",
        "strb r2, [r9], #1",
        "strb r0, [r9], #1",
        "strb r6, [r9], #1",
        "strb r4, [r9], #1",
        "strb r3, [r10], #1",
        "strb r1, [r10], #1",
        "strb r7, [r10], #1",
        "strb r5, [r10], #1",
        "str r8, [sp, #12]",
        "strd r9, r10, [sp, #16]",
        "bne 1b",
        "ldr r8, [sp, #28]",
        "cmp r8, #0",
        "bne 1b",
        "add sp, sp, #40",
        "pop {{r4-r11, pc}}",
        // Four channels in a register, between the bounds.
        "3:",
        "pkhbt r2, r2, r6, lsl #16",
        "pkhbt r0, r0, r4, lsl #16",
        "uxtb16 r2, r2",
        "uxtb16 r0, r0",
        "orr r2, r2, r0, lsl #8",
        "pkhbt r3, r3, r7, lsl #16",
        "pkhbt r1, r1, r5, lsl #16",
        "uxtb16 r3, r3",
        "uxtb16 r1, r1",
        "orr r3, r3, r1, lsl #8",
        "ldrd r11, r12, [sp, #32]",
        "ssub8 r8, r2, r11",
        "sel r2, r2, r11",
        "ssub8 r8, r12, r2",
        "sel r2, r2, r12",
        "ssub8 r8, r3, r11",
        "sel r3, r3, r11",
        "ssub8 r8, r12, r3",
        "sel r3, r3, r12",
        "ldr r8, [sp, #28]",
        "subs r11, r8, #4",
        "blt 4f",
        "str r2, [r9], #4",
        "str r3, [r10], #4",
        "str r11, [sp, #28]",
        "strd r9, r10, [sp, #16]",
        "bne 1b",
        "add sp, sp, #40",
        "pop {{r4-r11, pc}}",
        "4:",
        "strb r2, [r9], #1",
        "strb r3, [r10], #1",
        "lsr r2, r2, #8",
        "lsr r3, r3, #8",
        "subs r8, r8, #1",
        "bne 4b",
        "add sp, sp, #40",
        "pop {{r4-r11, pc}}",
    )
}

/// All channels of a pixel, whose column takes two pairs by two; a pair has `code` bytes of code and
/// two to the power of `data` bytes of column.
macro_rules! multiply_one {
    ($step:ident, code: $code:literal, data: $data:literal) => {
        naked_asm!(
            "push {{r4-r11, lr}}",
            "ldmia r0, {{r1-r10}}",
            "mov lr, r1",
            // Where the first round enters the loop: 8 columns a round, two at a time.
            "rsb r11, r3, #0",
            "and r11, r11, #6",
            concat!("movs r0, #", $code),
            "adr.w r1, 2f",
            "mla r1, r11, r0, r1",
            "orr r1, r1, #1",
            concat!("add r3, r2, r3, lsl #", $data),
            // As in `multiply_columns`, but 4: end, 8: columns.
            "sub sp, sp, #40",
            "stmia sp, {{r1-r10}}",
            "strd r3, r2, [sp, #4]",
            "1:",
            "ldmia lr!, {{r2, r6}}",
            "mov r0, r2",
            "mov r4, r6",
            "ldmia sp, {{r10, r11, r12}}",
            "bx r10",
            "2:",
            $step!(),
            $step!(),
            $step!(),
            $step!(),
            "cmp r12, r11",
            "bne 2b",
            "sub r0, r0, r2",
            "sub r4, r4, r6",
            "ldr r11, [sp, #24]",
            "ldmia lr!, {{r8, r10}}",
            "lsl r9, r11, r10",
            requantize!("r2"),
            "ldmia lr!, {{r8, r12}}",
            "lsr r10, r10, #8",
            "lsl r9, r11, r10",
            "add r0, r12, r0, asr #8",
            requantize!("r0"),
            "ldr r8, [lr], #4",
            "lsr r10, r10, #8",
            "lsl r9, r11, r10",
            requantize!("r6"),
            "ldmia lr!, {{r8, r12}}",
            "lsr r10, r10, #8",
            "lsl r9, r11, r10",
            "add r4, r12, r4, asr #8",
            requantize!("r4"),
            "ldr r9, [sp, #16]",
            "ldr r8, [sp, #12]",
            "subs r8, r8, #1",
            "blt 3f",
            "strb r2, [r9], #1",
            "strb r0, [r9], #1",
            "strb r6, [r9], #1",
            "strb r4, [r9], #1",
            "str r8, [sp, #12]",
            "str r9, [sp, #16]",
            "bne 1b",
            "ldr r8, [sp, #28]",
            "cmp r8, #0",
            "bne 1b",
            "add sp, sp, #40",
            "pop {{r4-r11, pc}}",
            "3:",
            "pkhbt r2, r2, r6, lsl #16",
            "pkhbt r0, r0, r4, lsl #16",
            "uxtb16 r2, r2",
            "uxtb16 r0, r0",
            "orr r2, r2, r0, lsl #8",
            "ldrd r11, r12, [sp, #32]",
            "ssub8 r8, r2, r11",
            "sel r2, r2, r11",
            "ssub8 r8, r12, r2",
            "sel r2, r2, r12",
            "ldr r8, [sp, #28]",
            "subs r11, r8, #4",
            "blt 4f",
            "str r2, [r9], #4",
            "str r11, [sp, #28]",
            "str r9, [sp, #16]",
            "bne 1b",
            "add sp, sp, #40",
            "pop {{r4-r11, pc}}",
            "4:",
            "strb r2, [r9], #1",
            "lsr r2, r2, #8",
            "subs r8, r8, #1",
            "bne 4b",
            "add sp, sp, #40",
            "pop {{r4-r11, pc}}",
        )
    };
}

/// # Safety
/// `task` has passed [`Task::new`] with one pixel and four bytes a pair.
#[unsafe(naked)]
unsafe extern "C" fn multiply_column(task: *const Task) {
    multiply_one!(one_by_four, code: 28, data: 2)
}

/// # Safety
/// `task` has passed [`Task::new`] with one pixel and two bytes a pair.
#[unsafe(naked)]
unsafe extern "C" fn multiply_bytes(task: *const Task) {
    multiply_one!(bytes_by_four, code: 32, data: 1)
}
