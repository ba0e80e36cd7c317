//! ARMv7E-M with the DSP instructions: Cortex-M4 and M7.
//!
//! Cycles of a Cortex-M4 (`ldr` 2, `ldrd` 3, `ldm` 1 + N, multiply-accumulate 1, a taken branch 3) of the main loops:
//! two pixels by four channels 16 for 16 products and 1 a branch (12 instructions), one pixel by four channels 18 for
//! 16 products (14 instructions), widening of two runs 14 for 8 elements (8 instructions), two taps of four depthwise
//! channels 22 for 8 products (14 instructions).

use super::Run;
use super::window::{Memory, MemoryMut};
use crate::kernels::add_table::AddTableI8;
use crate::kernels::packed::{DEPTHWISE_WORDS, LANES, PackedI8, QUAD_WORDS};
use crate::kernels::{Elements, Sink};
use core::arch::naked_asm;

/// As [`widen`](super::portable::widen) of the portable machine.
#[inline(always)]
pub(in crate::kernels) fn widen(x: impl Elements<i8>, columns: impl Sink<i32>, at: usize, step: usize) {
    let (Some(x), Some(to)) = (x.memory(), words(columns)) else { return };
    let last = at + pairs(x.bytes).saturating_sub(1) * step;
    if x.bytes > 0 && last < to.bytes / 4 {
        // SAFETY: it reads the bytes of `x` and writes every `step`-th word of `to`, which is aligned, from `at` to
        // `last`.
        unsafe { widen_run(x.start, to.start.add(4 * at), x.bytes, 4 * step) };
    }
}

/// As [`widen_pair`](super::portable::widen_pair) of the portable machine.
#[inline(always)]
pub(in crate::kernels) fn widen_pair(x: [impl Elements<i8>; 2], columns: impl Sink<i32>, at: usize) {
    let [a, b] = x;
    let (Some(a), Some(b), Some(to)) = (a.memory(), b.memory(), words(columns)) else { return };
    if a.bytes == b.bytes && at + 2 * pairs(a.bytes) <= to.bytes / 4 {
        // SAFETY: it reads as many bytes of `a` and `b` and writes two words for each of their pairs to `to`, which is
        // aligned, from word `at` on.
        unsafe { widen_runs(a.start, b.start, to.start.add(4 * at), a.bytes) };
    }
}

/// As [`multiply`](super::portable::multiply) of the portable machine.
#[inline(always)]
pub(in crate::kernels) fn multiply(p: &PackedI8<'_>, columns: impl Sink<i32>, y: impl Sink<i8>, to: usize) {
    if let Some(task) = words(columns).and_then(|columns| Task::new(p, columns.read(), 4, y, [to])) {
        // SAFETY: the task is checked.
        unsafe { multiply_column(&raw const task) };
    }
}

/// As [`multiply_row`](super::portable::multiply_row) of the portable machine.
#[inline(always)]
pub(in crate::kernels) fn multiply_row(p: &PackedI8<'_>, x: impl Elements<i8>, y: impl Sink<i8>, to: usize) {
    if let Some(task) = x.memory().and_then(|x| Task::new(p, x, 2, y, [to])) {
        // SAFETY: the task is checked.
        unsafe { multiply_bytes(&raw const task) };
    }
}

/// As [`multiply_pair`](super::portable::multiply_pair) of the portable machine.
#[inline(always)]
pub(in crate::kernels) fn multiply_pair(p: &PackedI8<'_>, columns: impl Sink<i32>, y: impl Sink<i8>, to: [usize; 2]) {
    if let Some(task) = words(columns).and_then(|columns| Task::new(p, columns.read(), 4, y, to)) {
        // SAFETY: the task is checked.
        unsafe { multiply_columns(&raw const task) };
    }
}

/// As [`filter`](super::portable::filter) of the portable machine.
#[inline(always)]
pub(in crate::kernels) fn filter(
    p: &PackedI8<'_>,
    taps: &(impl Iterator<Item = Option<usize>> + Clone),
    x: impl Elements<i8>,
    y: impl Sink<i8>,
    scratch: impl Sink<i32>,
    run: Run,
) {
    if let Some(task) = FilterTask::new(p, taps.clone(), x, y, scratch, run) {
        // SAFETY: the task is checked.
        unsafe { filter_pixels(&raw const task) };
    }
}

/// As [`add`](super::portable::add) of the portable machine.
#[inline(always)]
pub(in crate::kernels) fn add(
    p: &AddTableI8<'_>,
    a: impl Elements<i8>,
    b: impl Elements<i8>,
    y: impl Sink<i8>,
    to: usize,
) {
    let (Some(a), Some(b), Some(y)) = (a.memory(), b.memory(), y.memory_mut()) else { return };
    let fits = a.bytes == b.bytes && to + a.bytes <= y.bytes && p.table.len() == 256 && (1..=20).contains(&p.shift);
    if !fits {
        return;
    }
    let clamped = p.min > i32::from(i8::MIN) || p.max < i32::from(i8::MAX);
    let task = AddTask {
        a: a.start,
        b: b.start,
        y: y.start.wrapping_add(to),
        fast: if clamped { 0 } else { a.bytes / 4 },
        table: p.table.as_ptr(),
        multiplier: p.multiplier,
        offset: (2 * p.zero_point + 1) << (p.shift - 1),
        shift: p.shift - 1,
        slow: if clamped { a.bytes } else { a.bytes % 4 },
        bounds: [p.min, p.max],
    };
    // SAFETY: it reads as many bytes of `a` and `b` as it writes of `y`, in their windows, and any of 256 in the table.
    unsafe { add_pairs(&raw const task) };
}

/// Pairs that a run takes.
fn pairs(len: usize) -> usize {
    len / 4 * 2 + (len % 4).div_ceil(2)
}

/// Aligned words.
#[inline(always)]
fn words<'w>(columns: impl Sink<i32> + 'w) -> Option<MemoryMut<'w>> {
    columns.memory_mut().filter(|memory| memory.start.cast::<u32>().is_aligned())
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

/// What the assembly is given, in its order.
#[repr(C)]
struct FilterTask {
    packed: *const i32,
    /// Bytes from `from` to each tap, in pairs.
    taps: *const u8,
    /// Those to the odd tap.
    taps_end: *const u8,
    y: *mut u8,
    from: *const u8,
    pixels: usize,
    channels: usize,
    step: usize,
    /// Bytes from behind a pixel's results to the next pixel's.
    gap: usize,
    /// `2 * zero point + 1`.
    centre: i32,
    clamped: usize,
    /// The bounds in each byte.
    bounds: [u32; 2],
}

impl FilterTask {
    /// The task, if all that it reads and writes lies in its windows.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "addresses have 32 bits")]
    fn new(
        p: &PackedI8<'_>,
        mut taps: impl Iterator<Item = Option<usize>>,
        x: impl Elements<i8>,
        y: impl Sink<i8>,
        scratch: impl Sink<i32>,
        run: Run,
    ) -> Option<Self> {
        let (x, y, memory) = (x.memory()?, y.memory_mut()?, words(scratch)?);
        let quads = p.channels / LANES;
        let behind = |start: usize, step: usize| start + (run.pixels - 1) * step + p.channels;
        let fits = run.pixels > 0
            && quads > 0
            && p.channels.is_multiple_of(LANES)
            && 2 * p.pairs + 1 + quads <= memory.bytes / 4
            && quads * (4 * p.pairs + DEPTHWISE_WORDS) <= p.packed.len()
            && behind(run.to, run.to_step) <= y.bytes;
        if !fits {
            return None;
        }
        let single = memory.start.wrapping_add(8 * p.pairs);
        let outside = single.addr().wrapping_add(4).wrapping_sub(x.start.addr());
        let mut count = 0;
        let mut last = 0;
        let inside = taps.all(|tap| {
            last = match tap {
                Some(tap) if behind(tap, run.step) <= x.bytes => tap,
                // The zero points stay where they are: only a single pixel may read them.
                None if run.pixels == 1 => outside,
                _ => return false,
            };
            scratch.put(count, last as i32);
            count += 1;
            count <= 2 * p.pairs + 1
        });
        // After pairs alone the odd tap's weights are zeros.
        if count == 2 * p.pairs {
            scratch.put(count, last as i32);
            count += 1;
        }
        if !inside || count != 2 * p.pairs + 1 {
            return None;
        }
        Some(Self {
            packed: p.packed.as_ptr(),
            taps: memory.start,
            taps_end: single,
            y: y.start.wrapping_add(run.to),
            from: x.start,
            pixels: run.pixels,
            channels: p.channels,
            step: run.step,
            gap: run.to_step.wrapping_sub(p.channels),
            centre: 2 * p.to + 1,
            clamped: usize::from(p.min > i32::from(i8::MIN) || p.max < i32::from(i8::MAX)),
            bounds: bounds(p),
        })
    }
}

/// The bounds in each byte.
#[inline(always)]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the bounds are those of i8")]
fn bounds(p: &PackedI8<'_>) -> [u32; 2] {
    [p.min, p.max].map(|bound| u32::from(bound as u8) * 0x0101_0101)
}

/// What the assembly is given, in its order.
#[repr(C)]
struct AddTask {
    a: *const u8,
    b: *const u8,
    y: *mut u8,
    /// Fours of elements that need no bounds.
    fast: usize,
    table: *const i32,
    multiplier: i32,
    offset: i32,
    shift: u32,
    /// Elements after those.
    slow: usize,
    bounds: [i32; 2],
}

/// `to[0]`, `to[step]`, .. = the pairs of `len` bytes at `x`; `step` in bytes.
///
/// # Safety
/// `x` is readable, `to` aligned and writable.
#[unsafe(naked)]
unsafe extern "C" fn widen_run(x: *const u8, to: *mut u8, len: usize, step: usize) {
    naked_asm!(
        "push {{r4, lr}}",
        "subs r2, r2, #4",
        "blt 2f",
        "1:",
        "ldr r4, [r0], #4",
        "sxtb16 r12, r4",
        "sxtb16 r4, r4, ror #8",
        "str r12, [r1]",
        "str r4, [r1, r3]",
        "add r1, r1, r3, lsl #1",
        "subs r2, r2, #4",
        "bge 1b",
        "2:",
        "adds r2, r2, #4",
        "beq 4f",
        "cmp r2, #2",
        "ldrsb r4, [r0]",
        "blt 3f",
        "ldrsb r12, [r0, #1]",
        "beq 5f",
        "str r12, [r1, r3]",
        "ldrsb r12, [r0, #2]",
        "5:",
        "pkhbt r4, r4, r12, lsl #16",
        "3:",
        "str r4, [r1]",
        "4:",
        "pop {{r4, pc}}",
    )
}

/// `to[0]`, `to[2]`, .. = the pairs of `len` bytes at `a`, and between them those of `b`.
///
/// # Safety
/// `a` and `b` are readable, `to` aligned and writable.
#[unsafe(naked)]
unsafe extern "C" fn widen_runs(a: *const u8, b: *const u8, to: *mut u8, len: usize) {
    naked_asm!(
        "push {{r4-r8, lr}}",
        "subs r3, r3, #8",
        "blt 2f",
        "1:",
        "ldr r4, [r0], #4",
        "ldr r5, [r1], #4",
        "ldr r8, [r0], #4",
        "ldr r12, [r1], #4",
        "sxtb16 r6, r4",
        "sxtb16 r7, r5",
        "strd r6, r7, [r2], #8",
        "sxtb16 r4, r4, ror #8",
        "sxtb16 r5, r5, ror #8",
        "strd r4, r5, [r2], #8",
        "sxtb16 r6, r8",
        "sxtb16 r7, r12",
        "strd r6, r7, [r2], #8",
        "sxtb16 r4, r8, ror #8",
        "sxtb16 r5, r12, ror #8",
        "strd r4, r5, [r2], #8",
        "subs r3, r3, #8",
        "bge 1b",
        "2:",
        "adds r3, r3, #4",
        "blt 3f",
        "ldr r4, [r0], #4",
        "ldr r5, [r1], #4",
        "sxtb16 r6, r4",
        "sxtb16 r7, r5",
        "strd r6, r7, [r2], #8",
        "sxtb16 r4, r4, ror #8",
        "sxtb16 r5, r5, ror #8",
        "strd r4, r5, [r2], #8",
        "subs r3, r3, #4",
        "3:",
        "adds r3, r3, #4",
        "beq 4f",
        "cmp r3, #2",
        "ldrsb r4, [r0]",
        "ldrsb r5, [r1]",
        "blt 5f",
        "ldrsb r6, [r0, #1]",
        "ldrsb r7, [r1, #1]",
        "beq 6f",
        "ldrsb r8, [r0, #2]",
        "ldrsb r12, [r1, #2]",
        "pkhbt r4, r4, r8, lsl #16",
        "pkhbt r5, r5, r12, lsl #16",
        "strd r6, r7, [r2, #8]",
        "b 5f",
        "6:",
        "pkhbt r4, r4, r6, lsl #16",
        "pkhbt r5, r5, r7, lsl #16",
        "5:",
        "strd r4, r5, [r2]",
        "4:",
        "pop {{r4-r8, pc}}",
    )
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

/// Two pairs for four channels of a pixel, as [`two_by_four`]: 14 instructions of four bytes.
macro_rules! one_by_four {
    () => {
        "ldrd r8, r9, [r12], #8
         ldmia lr!, {{r1, r3, r5, r7}}
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

/// As [`one_by_four`], straight from four bytes at r12: 16 instructions of four bytes.
macro_rules! bytes_by_four {
    () => {
        "ldr r9, [r12], #4
         ldmia lr!, {{r1, r3, r5, r7}}
         sxtb16 r8, r9
         sxtb16 r9, r9, ror #8
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
    ($two_pairs:ident, code: $code:literal, data: $data:literal) => {
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
            $two_pairs!(),
            $two_pairs!(),
            $two_pairs!(),
            $two_pairs!(),
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

/// Two taps of four channels: 14 instructions of four bytes.
///
/// Sums in r0 to r3, the taps' distances at r12 from the channels at r11, the weights at lr.
macro_rules! two_taps {
    () => {
        "ldrd r8, r9, [r12], #8
         ldmia lr!, {{r4, r5, r6, r7}}
         ldr.w r8, [r11, r8]
         ldr.w r9, [r11, r9]
         pkhbt r10, r8, r9, lsl #16
         pkhtb r9, r9, r8, asr #16
         sxtb16 r8, r10
         sxtb16 r10, r10, ror #8
         smlad r0, r8, r4, r0
         smlad r1, r10, r5, r1
         sxtb16 r8, r9
         sxtb16 r10, r9, ror #8
         smlad r2, r8, r6, r2
         smlad r3, r10, r7, r3"
    };
}

/// From a doubled sum to a result as [`requantize`], with the multiplier in a register of its own, `r9 << r10` still to
/// be made and the next shift put in its place.
macro_rules! requantize_next {
    ($sum:literal, $multiplier:literal) => {
        concat!(
            "lsl r8, r9, r10\n",
            "add r12, r8, ",
            $sum,
            ", asr #31\n",
            "smmlar ",
            $sum,
            ", ",
            $sum,
            ", ",
            $multiplier,
            ", r12\n",
            "asr ",
            $sum,
            ", ",
            $sum,
            ", r10\n",
            "ssat ",
            $sum,
            ", #8, ",
            $sum,
            ", asr #1\n",
            "lsr r10, r10, #8"
        )
    };
}

/// # Safety
/// `task` has passed [`FilterTask::new`].
#[unsafe(naked)]
unsafe extern "C" fn filter_pixels(task: *const FilterTask) {
    naked_asm!(
        "push {{r4-r11, lr}}",
        "sub sp, sp, #60",
        "ldmia r0!, {{r1-r7}}",
        "ldmia r0, {{r8-r12, lr}}",
        // 0: entry, 4: taps, 8: their end, 12: results, 16: channels of the pixel, 20: pixels, 24: channels,
        // 28: step, 32: gap, 36: centre, 40: clamped, 44: bounds, 52: packed, 56: end of the pixel's channels.
        "str r1, [sp, #52]",
        "add r0, r5, r7",
        "str r0, [sp, #56]",
        "add r0, sp, #28",
        "stmia r0, {{r8-r12, lr}}",
        // Where the first round enters the loop: four pairs a round, behind it if there are none.
        "sub r0, r3, r2",
        "lsr r0, r0, #3",
        "rsb r8, r0, #0",
        "and r8, r8, #3",
        "cmp r0, #0",
        "it eq",
        "moveq r8, #4",
        "movs r0, #56",
        "adr.w r1, 4f",
        "mla r1, r8, r0, r1",
        "orr r1, r1, #1",
        "stmia sp, {{r1-r7}}",
        "2:",
        "ldr lr, [sp, #52]",
        "ldr r11, [sp, #16]",
        "3:",
        "ldmia lr!, {{r0-r3}}",
        "ldrd r8, r12, [sp]",
        "bx r8",
        "4:",
        two_taps!(),
        two_taps!(),
        two_taps!(),
        two_taps!(),
        "ldr r8, [sp, #8]",
        "cmp r12, r8",
        "bne 4b",
        // The odd tap.
        "ldr r8, [r12]",
        "ldr r8, [r11, r8]",
        "ldrd r4, r5, [lr], #8",
        "sxtb16 r9, r8",
        "sxtb16 r8, r8, ror #8",
        "smlabb r0, r9, r4, r0",
        "smlabb r1, r8, r5, r1",
        "smlatt r2, r9, r4, r2",
        "smlatt r3, r8, r5, r3",
        "ldmia lr!, {{r4-r7, r10}}",
        "ldr r9, [sp, #36]",
        requantize_next!("r0", "r4"),
        requantize_next!("r1", "r5"),
        requantize_next!("r2", "r6"),
        requantize_next!("r3", "r7"),
        "ldr r12, [sp, #12]",
        "ldr r8, [sp, #40]",
        "cmp r8, #0",
        "bne 6f",
        "strb r0, [r12], #1",
        "strb r1, [r12], #1",
        "strb r2, [r12], #1",
        "strb r3, [r12], #1",
        "5:",
        "str r12, [sp, #12]",
        "ldr r8, [sp, #56]",
        "add r11, r11, #4",
        "cmp r11, r8",
        "bne 3b",
        "ldr r0, [sp, #16]",
        "ldrd r1, r2, [sp, #28]",
        "add r0, r0, r1",
        "str r0, [sp, #16]",
        "add r8, r8, r1",
        "str r8, [sp, #56]",
        "add r12, r12, r2",
        "str r12, [sp, #12]",
        "ldr r0, [sp, #20]",
        "subs r0, r0, #1",
        "str r0, [sp, #20]",
        "bne 2b",
        "add sp, sp, #60",
        "pop {{r4-r11, pc}}",
        "6:",
        "pkhbt r0, r0, r2, lsl #16",
        "pkhbt r1, r1, r3, lsl #16",
        "uxtb16 r0, r0",
        "uxtb16 r1, r1",
        "orr r0, r0, r1, lsl #8",
        "ldrd r1, r2, [sp, #44]",
        "ssub8 r3, r0, r1",
        "sel r0, r0, r1",
        "ssub8 r3, r2, r0",
        "sel r0, r0, r2",
        "str r0, [r12], #4",
        "b 5b",
    )
}

/// Element r8 plus that of the table at r11: the result, in r10.
macro_rules! add_one {
    () => {
        "ldr.w r11, [r4, r11, lsl #2]
         add r10, r11, r10, lsl #19
         add r11, r6, r10, asr #31
         lsl r10, r10, #1
         smmlar r10, r10, r5, r11
         asr r10, r10, r7
         ssat r10, #8, r10, asr #1"
    };
}

/// # Safety
/// What the task's pointers name is readable and writable as [`add`] says.
#[unsafe(naked)]
unsafe extern "C" fn add_pairs(task: *const AddTask) {
    naked_asm!(
        "push {{r0, r4-r11, lr}}",
        "ldmia r0, {{r0-r7}}",
        "cmp r3, #0",
        "beq 2f",
        "1:",
        "ldr r8, [r0], #4",
        "ldr r9, [r1], #4",
        "sxtb r10, r8",
        "uxtb r11, r9",
        add_one!(),
        "strb r10, [r2], #1",
        "sxtb.w r10, r8, ror #8",
        "uxtb.w r11, r9, ror #8",
        add_one!(),
        "strb r10, [r2], #1",
        "sxtb.w r10, r8, ror #16",
        "uxtb.w r11, r9, ror #16",
        add_one!(),
        "strb r10, [r2], #1",
        "asr r10, r8, #24",
        "lsr r11, r9, #24",
        add_one!(),
        "strb r10, [r2], #1",
        "subs r3, r3, #1",
        "bne 1b",
        "2:",
        // Slow elements, the bounds.
        "ldr r12, [sp]",
        "add r12, r12, #32",
        "ldmia r12, {{r3, r12, lr}}",
        "cmp r3, #0",
        "beq 4f",
        "3:",
        "ldrsb r10, [r0], #1",
        "ldrb r11, [r1], #1",
        add_one!(),
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
