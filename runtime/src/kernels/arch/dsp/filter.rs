//! Depthwise layers, straight from the image.

use super::super::Run;
use super::{bounds, words};
use crate::kernels::packed::{DEPTHWISE_WORDS, LANES, PackedI8};
use crate::kernels::{Elements, Sink};
use core::arch::naked_asm;

/// As [`filter`](super::super::portable::filter) of the portable machine.
#[inline(always)]
pub(in crate::kernels) fn filter(
    p: &PackedI8<'_>,
    taps: &(impl Iterator<Item = Option<usize>> + Clone),
    x: impl Elements<i8>,
    y: impl Sink<i8>,
    scratch: impl Sink<i32>,
    run: Run,
) {
    if let Some(task) = Task::new(p, taps.clone(), x, y, scratch, run) {
        // SAFETY: the task is checked.
        unsafe { filter_pixels(&raw const task) };
    }
}

/// What the assembly is given, in its order.
#[repr(C)]
struct Task {
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

impl Task {
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
/// `task` has passed [`Task::new`].
#[unsafe(naked)]
unsafe extern "C" fn filter_pixels(task: *const Task) {
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
