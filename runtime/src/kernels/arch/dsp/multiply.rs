//! Columns, or rows of bytes, times packed weights.

use super::super::ends::farthest;
use super::super::window::{Memory, MemoryMut};
use super::super::{Pairs, Runs, pairs as pairs_of};
use super::widen::{widen_eight, widen_four, widen_two};
use super::{bounds, is_clamped, words};
use crate::kernels::packed::{LANES, PackedI8, QUAD_WORDS};
use crate::kernels::{Elements, Sink};
use core::arch::naked_asm;
use core::mem::offset_of;

/// As [`multiply`](super::super::portable::multiply) of the portable machine.
#[inline(never)]
pub(in crate::kernels) fn multiply(p: &PackedI8<'_>, columns: impl Sink<i32>, y: impl Sink<i8>, to: usize) {
    let (Some(columns), Some(y)) = (words(columns), y.memory_mut()) else { return };
    if fits(p, columns.read(), 4, y, to) {
        // SAFETY: what is read of the columns and the weights and written to `y` lies in them.
        unsafe { one(multiply_column, p, columns.read(), y, to) };
    }
}

/// As [`multiply_row`](super::super::portable::multiply_row) of the portable machine.
#[inline(always)]
pub(in crate::kernels) fn multiply_row(p: &PackedI8<'_>, x: impl Elements<i8>, y: impl Sink<i8>, to: usize) {
    let (Some(x), Some(y)) = (x.memory(), y.memory_mut()) else { return };
    if fits(p, x, 2, y, to) {
        // SAFETY: as in [`multiply`].
        unsafe { one(multiply_bytes, p, x, y, to) };
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
    let pixels = pairs.count.saturating_mul(2);
    let (Some(extent), Some(last)) = (runs.extent(), farthest(pairs.to, pairs.to_step, pixels)) else { return };
    let room = columns.bytes / 4;
    let widened = runs.count == 0 && pairs.count == 1
        || runs.len == runs.whole
            && runs.words == 2 * pairs_of(runs.len)
            && pairs.at <= room
            && runs.count.checked_mul(runs.words).is_some_and(|all| all <= room - pairs.at)
            && extent <= x.bytes
            && farthest(pairs.from, pairs.step, pixels).is_some_and(|end| end <= x.bytes - extent);
    if pairs.count == 0 || !widened || !fits(p, columns.read(), 8, y, last) {
        return;
    }
    // SAFETY: what is read of `x` and written to `y` for the first pair and for the last lies in them, and so does what
    // lies between; all runs have room in the columns.
    unsafe {
        multiply_columns(
            p.packed.as_ptr(),
            p,
            columns.start,
            columns.start.wrapping_add(4 * pairs.at),
            y.start.wrapping_add(pairs.to),
            pairs.to_step,
            x.start.wrapping_add(pairs.from),
            pairs.step,
            runs.len,
            runs.stride.wrapping_sub(runs.len & !3),
            runs.count,
            pairs.count,
        );
    }
}

/// All that is read, `each` bytes a pair, and written, the last pixel at `last`, lies in its windows.
#[inline(always)]
fn fits(p: &PackedI8<'_>, columns: Memory<'_>, each: usize, y: MemoryMut<'_>, last: usize) -> bool {
    p.pairs > 0
        && p.pairs.is_multiple_of(2)
        && p.pairs <= columns.bytes / each
        && p.channels > 0
        && p.channels.div_ceil(LANES).checked_mul(2 * p.pairs + QUAD_WORDS).is_some_and(|all| all <= p.packed.len())
        && p.channels <= y.bytes
        && last <= y.bytes - p.channels
}

/// Quads that are stored without further ado.
#[inline(always)]
fn plain(p: &PackedI8<'_>) -> usize {
    if is_clamped([p.min, p.max]) { 0 } else { p.channels / LANES }
}

/// What computes the channels of a pixel: of the weights, so many pairs, the column, so many quads that are stored
/// without further ado, where results go, `2 * zero point + 1`, the channels after those quads and the bounds in each
/// byte.
type One = unsafe extern "C" fn(*const i32, usize, *const u8, usize, *mut u8, i32, usize, u32, u32);

/// Calls `function` for a pixel.
///
/// # Safety
/// The numbers have passed the checks of [`fits`].
#[inline(always)]
unsafe fn one(function: One, p: &PackedI8<'_>, columns: Memory<'_>, y: MemoryMut<'_>, to: usize) {
    let ([least, most], plain) = (bounds(p), plain(p));
    let (packed, y, rest) = (p.packed.as_ptr(), y.start.wrapping_add(to), p.channels - plain * LANES);
    // SAFETY: the caller's.
    unsafe { function(packed, p.pairs, columns.start, plain, y, 2 * p.to + 1, rest, least, most) };
}

/// Two products of two pairs each for four channels of two pixels: 12 instructions of four bytes.
///
/// Sums of the pixels, r0 and r1 of channels 0 and 1 at once, r2 and r3 of channel 0, r4 and r5 of channels 2 and 3
/// at once, r6 and r7 of channel 2. The columns are at r12, the weights at lr. The second pixel's sums may start as
/// other registers.
macro_rules! two_by_four {
    () => {
        two_by_four!("r1", "r3", "r5", "r7")
    };
    ($r1:literal, $r3:literal, $r5:literal, $r7:literal) => {
        concat!(
            "ldrd r8, r9, [r12], #8
             ldrd r10, r11, [lr], #8
             smlad r1, r9, r10, ",
            $r1,
            "
             smlad r0, r8, r10, r0
             sxtb16 r10, r10
             smlad r5, r9, r11, ",
            $r5,
            "
             smlad r4, r8, r11, r4
             sxtb16 r11, r11
             smlad r3, r9, r10, ",
            $r3,
            "
             smlad r2, r8, r10, r2
             smlad r7, r9, r11, ",
            $r7,
            "
             smlad r6, r8, r11, r6"
        )
    };
}

/// As [`two_by_four`] for the first two of the channels.
macro_rules! two_by_two {
    () => {
        "ldrd r8, r9, [r12], #8
         ldr r10, [lr], #8
         smlad r1, r9, r10, r1
         smlad r0, r8, r10, r0
         sxtb16 r10, r10
         smlad r3, r9, r10, r3
         smlad r2, r8, r10, r2"
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

/// From a doubled sum to a result: `ssat((hm(sum, r8) + ((r11 << r10) + sign)) >> (r10 + 1))`, where r9 is
/// `r11 << r10`.
macro_rules! requantize {
    ($sum:literal) => {
        concat!("add r12, r9, ", $sum, ", asr #31\n", requantize!($sum, "smmlar", "r12", "1"))
    };
    ($sum:literal, $multiply:literal, $centre:literal, $shift:literal) => {
        concat!(
            $multiply, " ", $sum, ", ", $sum, ", r8, ", $centre, "\n", "asr ", $sum, ", ", $sum, ", r10\n", "ssat ",
            $sum, ", #8, ", $sum, ", asr #", $shift
        )
    };
}

/// As [`requantize`] where negative sums give the least result, however they are rounded.
macro_rules! requantize_even {
    ($sum:literal) => {
        requantize!($sum, "smmlar", "r9", "1")
    };
}

/// As [`requantize_even`] of 256 times an odd channel's sum, where r9 is `((r11 << r10) << 7) + 64`.
macro_rules! requantize_odd {
    ($sum:literal) => {
        requantize!($sum, "smmla", "r9", "8")
    };
}

/// Doubles an even channel's sum. One that saturates leaves a result that saturates too, as multipliers are at least
/// 2^30 and shifts at most 20.
macro_rules! double_even {
    ($sum:literal) => {
        concat!("qadd ", $sum, ", ", $sum, ", ", $sum)
    };
}

/// 256 times the sum of an odd channel, of both channels' sum and that of the even one.
macro_rules! odd {
    ($both:literal, $even:literal) => {
        concat!("sub ", $both, ", ", $both, ", ", $even)
    };
}

/// The doubled sum of an odd channel, as [`odd`].
macro_rules! double_odd {
    ($both:literal, $even:literal) => {
        concat!(odd!($both, $even), "\n", "asr ", $both, ", ", $both, ", #7")
    };
}

/// From the sums of four channels of two pixels to results: what frees those of odd channels from the even ones, what
/// is needed before the first result, what gives results of even and of odd channels, and what brings the centre of the
/// odd ones, by the shift in r10, to r9.
macro_rules! scale {
    ($free:ident, $before:literal, $even:ident, $odd:ident, $centre:literal) => {
        lines!(
            $free!("r0", "r2"),
            $free!("r1", "r3"),
            $free!("r4", "r6"),
            $free!("r5", "r7"),
            double_even!("r2"),
            double_even!("r3"),
            double_even!("r6"),
            double_even!("r7"),
            "ldmia lr!, {{r8, r10}}",
            $before,
            "lsl r9, r11, r10",
            $even!("r2"),
            $even!("r3"),
            "ldr r8, [lr], #4",
            "lsr r10, r10, #8",
            $centre,
            $odd!("r0"),
            $odd!("r1"),
            "ldr r8, [lr], #4",
            "lsr r10, r10, #8",
            "lsl r9, r11, r10",
            $even!("r6"),
            $even!("r7"),
            "ldr r8, [lr], #4",
            "lsr r10, r10, #8",
            $centre,
            $odd!("r4"),
            $odd!("r5"),
        )
    };
}

/// Stores the results of four channels of two pixels and goes on, those of quads that are `plain` without further ado.
macro_rules! store {
    () => {
        "ldmia sp, {{r8, r9, r10}}
         subs r8, r8, #1
         blt 3f
         strb r2, [r9], #1
         strb r0, [r9], #1
         strb r6, [r9], #1
         strb r4, [r9], #1
         strb r3, [r10], #1
         strb r1, [r10], #1
         strb r7, [r10], #1
         strb r5, [r10], #1
         stmia sp, {{r8, r9, r10}}
         bne 1b"
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
    p: *const PackedI8<'_>,
    columns: *const u8,
    at: *mut u8,
    to: *mut u8,
    to_step: usize,
    from: *const u8,
    step: usize,
    len: usize,
    gap: usize,
    runs: usize,
    pairs: usize,
) {
    naked_asm!(
        processor!(),
        "push {{r0-r3}}",
        "push {{r4-r11, lr}}",
        "sub sp, sp, #40",
        // 0: plain quads left, 4: results, 12: rest left, 16: end of the columns, 20: plain quads, 24: rest,
        // 28: `2 * zero point + 1`, 32: the bounds in each byte, 76: packed, 80: entry, 84: columns, 88: where runs go,
        // 92: results and their step, 100: runs and their step, 108: length and gap, 116: count, 120: pairs.
        "ldr r4, [r1, #{pairs}]",
        "ldr r5, [r1, #{channels}]",
        "ldr r6, [r1, #{to}]",
        "ldr r7, [r1, #{min}]",
        "ldr r8, [r1, #{max}]",
        "lsls r6, r6, #1",
        "adds r6, r6, #1",
        "str r6, [sp, #28]",
        "mov r9, #0x01010101",
        "uxtb r10, r7",
        "uxtb r11, r8",
        "mul r10, r10, r9",
        "mul r11, r11, r9",
        "strd r10, r11, [sp, #32]",
        // Quads that are stored without further ado, and the channels after them.
        "lsrs r9, r5, #2",
        "and r10, r5, #3",
        "cmn r7, #128",
        "it eq",
        "cmpeq r8, #127",
        "itt ne",
        "movne r9, #0",
        "movne r10, r5",
        "strd r9, r10, [sp, #20]",
        // Where the loop is entered after the first column: 12 columns a round.
        "add r3, r4, #10",
        "movs r0, #12",
        "udiv r3, r3, r0",
        "mul r3, r3, r0",
        "subs r3, r3, r4",
        "adds r3, r3, #1",
        "movs r0, #48",
        "adr.w r5, 2f",
        "mla r5, r3, r0, r5",
        "orr r5, r5, #1",
        "str r5, [sp, #80]",
        "add r2, r2, r4, lsl #3",
        "str r2, [sp, #16]",
        "5:",
        "ldr r9, [sp, #116]",
        "cmp r9, #0",
        "beq 6f",
        "ldrd r0, r6, [sp, #100]",
        "ldrd r3, r10, [sp, #108]",
        "ldr r2, [sp, #88]",
        "add r1, r0, r6",
        "add r6, r1, r6",
        "str r6, [sp, #100]",
        "10:",
        widen_two!(),
        "add r0, r0, r10",
        "add r1, r1, r10",
        "subs r9, r9, #1",
        "bne 10b",
        "6:",
        "ldrd r0, r3, [sp, #20]",
        "ldrd r1, r4, [sp, #92]",
        "add r2, r1, r4",
        "stmia sp, {{r0-r3}}",
        "add r4, r2, r4",
        "str r4, [sp, #92]",
        "ldr lr, [sp, #76]",
        "1:",
        "ldmia lr!, {{r0, r2, r4, r6}}",
        "ldr r12, [sp, #84]",
        two_by_four!("r0", "r2", "r4", "r6"),
        "ldr pc, [sp, #80]",
        "2:",
        two_by_four!(),
        two_by_four!(),
        two_by_four!(),
        two_by_four!(),
        two_by_four!(),
        two_by_four!(),
        two_by_four!(),
        two_by_four!(),
        two_by_four!(),
        two_by_four!(),
        two_by_four!(),
        two_by_four!(),
        "ldr r8, [sp, #16]",
        "cmp r12, r8",
        "bne 2b",
        "22:",
        "ldr r11, [sp, #28]",
        "cmn r11, #255",
        "bne 20f",
        scale!(odd, "lsl r12, r11, #7", requantize_even, requantize_odd, "lsl r9, r12, r10\nadd r9, r9, #64"),
        store!(),
        "8:",
        "ldr r8, [sp, #12]",
        "cmp r8, #0",
        "beq 7f",
        "cmp r8, #2",
        "bgt 1b",
        // One or two channels are left.
        "ldmia lr!, {{r0, r2, r4, r6}}",
        "mov r1, r0",
        "mov r3, r2",
        "mov r5, r4",
        "mov r7, r6",
        "ldr r12, [sp, #84]",
        "ldr r11, [sp, #16]",
        "9:",
        two_by_two!(),
        two_by_two!(),
        "cmp r12, r11",
        "bne 9b",
        "b 22b",
        "7:",
        "ldr r0, [sp, #120]",
        "subs r0, r0, #1",
        "str r0, [sp, #120]",
        "bne 5b",
        "add sp, sp, #40",
        "pop {{r4-r11, lr}}",
        "add sp, sp, #16",
        "bx lr",
        "20:",
        scale!(double_odd, "", requantize, requantize, "lsl r9, r11, r10"),
        store!(),
        "b 8b",
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
        "ldr r8, [sp, #12]",
        "subs r11, r8, #4",
        "blt 4f",
        "str r2, [r9], #4",
        "str r3, [r10], #4",
        "str r11, [sp, #12]",
        "strd r9, r10, [sp, #4]",
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
        pairs = const offset_of!(PackedI8<'static>, pairs),
        channels = const offset_of!(PackedI8<'static>, channels),
        to = const offset_of!(PackedI8<'static>, to),
        min = const offset_of!(PackedI8<'static>, min),
        max = const offset_of!(PackedI8<'static>, max),
    )
}

/// The function for all channels of a pixel, whose column takes two pairs by two; a pair has `code` bytes of code and
/// two to the power of `data` bytes of column.
macro_rules! multiply_one {
    ($name:ident, $step:ident, code: $code:literal, data: $data:literal) => {
        /// # Safety
        /// The numbers have passed the checks of [`fits`] with so many bytes a pair.
        #[allow(clippy::too_many_arguments, reason = "as [`One`]")]
        #[unsafe(naked)]
        unsafe extern "C" fn $name(
            packed: *const i32,
            pairs: usize,
            columns: *const u8,
            plain: usize,
            y: *mut u8,
            centre: i32,
            rest: usize,
            least: u32,
            most: u32,
        ) {
            naked_asm!(
                processor!(),
                "push {{r4-r11, lr}}",
                "push {{r0-r3}}",
                // 0: weights, then entry, 4: pairs, then end of the column, 8: column, 12: plain quads, 52: results,
                // 56: centre, 60: rest, 64: bounds.
                "mov lr, r0",
                // Where the first round enters the loop: 16 columns a round, two at a time.
                "rsb r11, r1, #0",
                "and r11, r11, #14",
                concat!("movs r0, #", $code),
                "adr.w r4, 2f",
                "mla r4, r11, r0, r4",
                "orr r4, r4, #1",
                concat!("add r5, r2, r1, lsl #", $data),
                "strd r4, r5, [sp]",
                "1:",
                "ldmia lr!, {{r0, r2, r4, r6}}",
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
                double_odd!("r0", "r2"),
                double_odd!("r4", "r6"),
                double_even!("r2"),
                double_even!("r6"),
                "ldr r11, [sp, #56]",
                "ldmia lr!, {{r8, r10}}",
                "lsl r9, r11, r10",
                requantize!("r2"),
                "ldr r8, [lr], #4",
                "lsr r10, r10, #8",
                "lsl r9, r11, r10",
                requantize!("r0"),
                "ldr r8, [lr], #4",
                "lsr r10, r10, #8",
                "lsl r9, r11, r10",
                requantize!("r6"),
                "ldr r8, [lr], #4",
                "lsr r10, r10, #8",
                "lsl r9, r11, r10",
                requantize!("r4"),
                "ldr r9, [sp, #52]",
                "ldr r8, [sp, #12]",
                "subs r8, r8, #1",
                "blt 3f",
                "strb r2, [r9], #1",
                "strb r0, [r9], #1",
                "strb r6, [r9], #1",
                "strb r4, [r9], #1",
                "str r8, [sp, #12]",
                "str r9, [sp, #52]",
                "bne 1b",
                "ldr r8, [sp, #60]",
                "cmp r8, #0",
                "bne 1b",
                "add sp, sp, #16",
                "pop {{r4-r11, pc}}",
                "3:",
                "pkhbt r2, r2, r6, lsl #16",
                "pkhbt r0, r0, r4, lsl #16",
                "uxtb16 r2, r2",
                "uxtb16 r0, r0",
                "orr r2, r2, r0, lsl #8",
                "ldrd r11, r12, [sp, #64]",
                "ssub8 r8, r2, r11",
                "sel r2, r2, r11",
                "ssub8 r8, r12, r2",
                "sel r2, r2, r12",
                "ldr r8, [sp, #60]",
                "subs r11, r8, #4",
                "blt 4f",
                "str r2, [r9], #4",
                "str r11, [sp, #60]",
                "str r9, [sp, #52]",
                "bne 1b",
                "add sp, sp, #16",
                "pop {{r4-r11, pc}}",
                "4:",
                "strb r2, [r9], #1",
                "lsr r2, r2, #8",
                "subs r8, r8, #1",
                "bne 4b",
                "add sp, sp, #16",
                "pop {{r4-r11, pc}}",
            )
        }
    };
}

multiply_one!(multiply_column, one_by_four, code: 28, data: 2);
multiply_one!(multiply_bytes, bytes_by_four, code: 32, data: 1);
