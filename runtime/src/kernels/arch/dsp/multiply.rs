//! Columns, or rows of bytes, times packed weights.

use super::super::window::{Memory, MemoryMut};
use super::super::{Pairs, Runs, pairs as pairs_of};
use super::widen::widen_two;
use super::{bounds, words};
use crate::kernels::packed::{LANES, PackedI8, QUAD_WORDS};
use crate::kernels::{Elements, Sink};
use core::arch::naked_asm;

/// As [`multiply`](super::super::portable::multiply) of the portable machine.
#[inline(never)]
pub(in crate::kernels) fn multiply(p: &PackedI8<'_>, columns: impl Sink<i32>, y: impl Sink<i8>, to: usize) {
    if let Some(task) = words(columns).and_then(|columns| Task::new(p, columns.read(), 4, y, to)) {
        // SAFETY: the task is checked.
        unsafe { multiply_column(&raw const task) };
    }
}

/// As [`multiply_row`](super::super::portable::multiply_row) of the portable machine.
#[inline(always)]
pub(in crate::kernels) fn multiply_row(p: &PackedI8<'_>, x: impl Elements<i8>, y: impl Sink<i8>, to: usize) {
    if let Some(task) = x.memory().and_then(|x| Task::new(p, x, 2, y, to)) {
        // SAFETY: the task is checked.
        unsafe { multiply_bytes(&raw const task) };
    }
}

/// As [`multiply_pairs`](super::super::portable::multiply_pairs) of the portable machine.
#[inline(always)]
pub(in crate::kernels) fn multiply_pairs(
    p: &PackedI8<'_>,
    runs: &Runs,
    pairs: &Pairs,
    x: impl Elements<i8>,
    columns: impl Sink<i32>,
    y: impl Sink<i8>,
) {
    let (Some(x), Some(columns), Some(y)) = (x.memory(), words(columns), y.memory_mut()) else { return };
    let ([a, b], [first, second]) = (pairs.from, pairs.to);
    // Steps may go down: the farthest of both ends is compared, and what would lie before the window is far behind it.
    let more = pairs.count.saturating_sub(1);
    let farthest = |[a, b]: [usize; 2], step: usize| {
        let all = more.wrapping_mul(step);
        a.max(b).max(a.wrapping_add(all)).max(b.wrapping_add(all))
    };
    let widened = runs.count == 0 && pairs.count == 1
        || runs.len == runs.whole
            && runs.words == 2 * pairs_of(runs.len)
            && pairs.at + runs.count * runs.words <= columns.bytes / 4
            && runs.extent() <= x.bytes
            && farthest(pairs.from, pairs.step) <= x.bytes - runs.extent();
    let last = farthest(pairs.to, pairs.to_step);
    if pairs.count == 0 || !widened || !fits(p, columns.read(), 8, y, last) {
        return;
    }
    let [first, second] = [first, second].map(|to| y.start.wrapping_add(to));
    let [least, most] = bounds(p);
    // SAFETY: what is read of `x` and written to `y` for the first pair and for the last lies in them, and so does what
    // lies between; all runs have room in the columns.
    unsafe {
        multiply_columns(
            p.packed.as_ptr(),
            columns.start,
            p.pairs,
            plain(p),
            first,
            second,
            2 * p.to + 1,
            p.channels - plain(p) * LANES,
            least,
            most,
            x.start.wrapping_add(a),
            x.start.wrapping_add(b),
            columns.start.wrapping_add(4 * pairs.at),
            runs.len,
            runs.count,
            runs.stride.wrapping_sub(runs.len & !3),
            pairs.step,
            pairs.to_step,
            pairs.count,
        );
    }
}

/// All that is read, `each` bytes a pair, and written, the last pixel at `last`, lies in its windows.
#[inline(always)]
fn fits(p: &PackedI8<'_>, columns: Memory<'_>, each: usize, y: MemoryMut<'_>, last: usize) -> bool {
    p.pairs > 0
        && p.pairs.is_multiple_of(2)
        && p.pairs * each <= columns.bytes
        && p.channels > 0
        && p.channels.div_ceil(LANES) * (2 * p.pairs + QUAD_WORDS) <= p.packed.len()
        && p.channels <= y.bytes
        && last <= y.bytes - p.channels
}

/// Quads that are stored without further ado.
#[inline(always)]
fn plain(p: &PackedI8<'_>) -> usize {
    let clamped = p.min > i32::from(i8::MIN) || p.max < i32::from(i8::MAX);
    if clamped { 0 } else { p.channels / LANES }
}

/// What the assembly is given for a pixel, in its order.
#[repr(C)]
struct Task {
    packed: *const i32,
    columns: *const u8,
    pairs: usize,
    /// Quads that are stored without further ado.
    plain: usize,
    y: *mut u8,
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
    fn new(p: &PackedI8<'_>, columns: Memory<'_>, each: usize, y: impl Sink<i8>, to: usize) -> Option<Self> {
        let y = y.memory_mut()?;
        let plain = plain(p);
        fits(p, columns, each, y, to).then(|| Self {
            packed: p.packed.as_ptr(),
            columns: columns.start,
            pairs: p.pairs,
            plain,
            y: y.start.wrapping_add(to),
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

/// Pairs of pixels; `runs`, the bytes from behind the fours of each to the next, are widened to `at` first. As numbers,
/// since a structure would lie on the stack twice.
///
/// # Safety
/// The numbers have passed the checks of [`multiply_pairs`].
#[allow(clippy::too_many_arguments, reason = "they lie as the assembly needs them")]
#[unsafe(naked)]
unsafe extern "C" fn multiply_columns(
    packed: *const i32,
    columns: *const u8,
    pairs: usize,
    plain: usize,
    first: *mut u8,
    second: *mut u8,
    centre: i32,
    rest: usize,
    least: u32,
    most: u32,
    first_runs: *const u8,
    second_runs: *const u8,
    at: *mut u8,
    len: usize,
    runs: usize,
    gap: usize,
    step: usize,
    to_step: usize,
    pixels: usize,
) {
    naked_asm!(
        processor!(),
        "push {{r0-r3}}",
        "push {{r4-r11, lr}}",
        "sub sp, sp, #36",
        // 0: count and gap for `widen_two`, 8: entry, 12: columns, 16: plain quads left, 20: results, 28: rest left,
        // 72: packed, 76: columns, 80: their end, 84: plain quads, 88: results, 96: centre, 100: rest, 104: bounds,
        // 112: runs, 120: where they go, 124: length, 128: count, 132: gap, 136: step, 140: step of results, 144: pixels.
        // Where the first round enters the loop: 8 columns a round.
        "rsb r3, r2, #0",
        "and r3, r3, #7",
        "movs r0, #48",
        "adr.w r4, 2f",
        "mla r4, r3, r0, r4",
        "orr r4, r4, #1",
        "add r2, r1, r2, lsl #3",
        "strd r4, r1, [sp, #8]",
        "str r2, [sp, #80]",
        "ldrd r4, r5, [sp, #128]",
        "strd r4, r5, [sp]",
        "5:",
        "ldr r0, [sp]",
        "cbz r0, 6f",
        "ldrd r0, r1, [sp, #112]",
        "ldrd r2, r3, [sp, #120]",
        "ldr r6, [sp, #136]",
        "add r4, r0, r6",
        "add r5, r1, r6",
        "strd r4, r5, [sp, #112]",
        "bl {widen_two}",
        "6:",
        "ldr r0, [sp, #84]",
        "ldrd r1, r2, [sp, #88]",
        "ldr r3, [sp, #100]",
        "add r4, sp, #16",
        "stmia r4, {{r0-r3}}",
        "ldr r4, [sp, #140]",
        "add r1, r1, r4",
        "add r2, r2, r4",
        "strd r1, r2, [sp, #88]",
        "ldr lr, [sp, #72]",
        "1:",
        "ldmia lr!, {{r2, r6}}",
        "mov r0, r2",
        "mov r1, r2",
        "mov r3, r2",
        "mov r4, r6",
        "mov r5, r6",
        "mov r7, r6",
        "ldrd r8, r12, [sp, #8]",
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
        "ldr r8, [sp, #80]",
        "cmp r12, r8",
        "bne 2b",
        // The odd channels, times 256.
        "sub r0, r0, r2",
        "sub r1, r1, r3",
        "sub r4, r4, r6",
        "sub r5, r5, r7",
        "ldr r11, [sp, #96]",
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
        "ldrd r9, r10, [sp, #20]",
        "ldr r8, [sp, #16]",
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
        "str r8, [sp, #16]",
        "strd r9, r10, [sp, #20]",
        "bne 1b",
        "ldr r8, [sp, #28]",
        "cmp r8, #0",
        "bne 1b",
        "7:",
        "ldr r0, [sp, #144]",
        "subs r0, r0, #1",
        "str r0, [sp, #144]",
        "bne 5b",
        "add sp, sp, #36",
        "pop {{r4-r11, lr}}",
        "add sp, sp, #16",
        "bx lr",
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
        "ldrd r11, r12, [sp, #104]",
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
        "strd r9, r10, [sp, #20]",
        "bne 1b",
        "b 7b",
        "4:",
        "strb r2, [r9], #1",
        "strb r3, [r10], #1",
        "lsr r2, r2, #8",
        "lsr r3, r3, #8",
        "subs r8, r8, #1",
        "bne 4b",
        "b 7b",
        widen_two = sym widen_two,
    )
}

/// All channels of a pixel, whose column takes two pairs by two; a pair has `code` bytes of code and
/// two to the power of `data` bytes of column.
macro_rules! multiply_one {
    ($step:ident, code: $code:literal, data: $data:literal) => {
        naked_asm!(
            processor!(),
            "push {{r4-r11, lr}}",
            "ldmia r0, {{r1-r9}}",
            "mov lr, r1",
            // Where the first round enters the loop: 16 columns a round, two at a time.
            "rsb r11, r3, #0",
            "and r11, r11, #14",
            concat!("movs r0, #", $code),
            "adr.w r1, 2f",
            "mla r1, r11, r0, r1",
            "orr r1, r1, #1",
            concat!("add r3, r2, r3, lsl #", $data),
            // 0: entry, 4: end of the column, 8: column, 12: plain quads, 16: results, 20: centre, 24: rest, 28: bounds.
            "sub sp, sp, #36",
            "stmia sp, {{r1-r9}}",
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
            $step!(),
            $step!(),
            $step!(),
            $step!(),
            "cmp r12, r11",
            "bne 2b",
            "sub r0, r0, r2",
            "sub r4, r4, r6",
            "ldr r11, [sp, #20]",
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
            "ldr r8, [sp, #24]",
            "cmp r8, #0",
            "bne 1b",
            "add sp, sp, #36",
            "pop {{r4-r11, pc}}",
            "3:",
            "pkhbt r2, r2, r6, lsl #16",
            "pkhbt r0, r0, r4, lsl #16",
            "uxtb16 r2, r2",
            "uxtb16 r0, r0",
            "orr r2, r2, r0, lsl #8",
            "ldrd r11, r12, [sp, #28]",
            "ssub8 r8, r2, r11",
            "sel r2, r2, r11",
            "ssub8 r8, r12, r2",
            "sel r2, r2, r12",
            "ldr r8, [sp, #24]",
            "subs r11, r8, #4",
            "blt 4f",
            "str r2, [r9], #4",
            "str r11, [sp, #24]",
            "str r9, [sp, #16]",
            "bne 1b",
            "add sp, sp, #36",
            "pop {{r4-r11, pc}}",
            "4:",
            "strb r2, [r9], #1",
            "lsr r2, r2, #8",
            "subs r8, r8, #1",
            "bne 4b",
            "add sp, sp, #36",
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
