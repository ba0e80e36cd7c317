//! Depthwise layers, straight from the image.

use super::super::Run;
use super::super::ends::{farthest, last};
use super::{is_clamped, words};
use crate::kernels::packed::{DEPTHWISE_WORDS, LANES, PackedI8, Window};
use crate::kernels::{Elements, Sink};
use core::arch::naked_asm;
use core::mem::offset_of;

/// As [`filter`](super::super::portable::filter) of the portable machine.
#[inline(always)]
pub(in crate::kernels) fn filter(
    p: &PackedI8<'_>,
    window: &Window<'_>,
    x: impl Elements<i8>,
    y: impl Sink<i8>,
    scratch: impl Sink<i32>,
    run: &Run,
) {
    let (Some(x), Some(y), Some(memory)) = (x.memory(), y.memory_mut(), words(scratch)) else { return };
    let Window { slide, band, columns, .. } = window;
    let (rows, columns) = (&band.rows.taps, columns);
    let inside = if rows.is_empty() { 0 } else { columns.taps.len() };
    let quads = p.channels / LANES;
    let row = slide.from.start(band.row(slide, rows.start));
    let first = columns.first * p.channels;
    // Bytes from the first tap of a row to behind the last.
    let (Some(taps), Some(image), Some(extent)) = (
        slide.y.taps.checked_mul(slide.x.taps),
        slide.from.held.checked_mul(slide.from.stride),
        last(p.channels, window.step(), inside),
    ) else {
        return;
    };
    let ends = |at: usize, step: usize, most: usize| farthest(at, step, run.pixels).is_some_and(|end| end <= most);
    let fits = run.pixels > 0
        && quads > 0
        && p.channels.is_multiple_of(LANES)
        && quads < memory.bytes / 4
        && p.pairs <= (memory.bytes / 4 - quads - 1) / 2
        && quads.checked_mul(4 * p.pairs + DEPTHWISE_WORDS).is_some_and(|words| words <= p.packed.len())
        && p.channels <= y.bytes
        && ends(run.to, run.to_step, y.bytes - p.channels)
        && taps > 0
        && taps / 2 == p.pairs
        && image <= x.bytes
        && (inside == 0
            || row < image
                && (rows.len() == 1 || slide.y.dilation <= slide.from.held)
                && extent <= slide.from.stride
                && ends(first, run.step, slide.from.stride - extent))
        // The zero points stay where they are: only a single pixel may read them.
        && (run.pixels == 1 || inside * rows.len() == taps);
    if !fits {
        return;
    }
    let single = memory.start.wrapping_add(8 * p.pairs);
    let [before, after] = [columns.taps.start, slide.x.taps - columns.taps.end];
    // SAFETY: the taps of all pixels lie in their rows of the image, which lies in `x`, the results in `y`, the weights
    // of all quads in `packed`, and all taps have room in the scratch before the zero points.
    unsafe {
        filter_pixels(
            p.packed.as_ptr(),
            memory.start,
            single,
            y.start.wrapping_add(run.to),
            x.start,
            run.pixels,
            p.channels,
            run.step,
            run.to_step.wrapping_sub(p.channels),
            2 * p.to + 1,
            if is_clamped([p.min, p.max]) { p } else { core::ptr::null() },
            row + first,
            slide.y.dilation * slide.from.stride,
            image,
            window.step(),
            single.addr().wrapping_add(4).wrapping_sub(x.start.addr()),
            if inside == 0 { 0 } else { rows.len() },
            inside,
            if inside == 0 { taps } else { rows.start * slide.x.taps + before },
            after + before,
            after + (slide.y.taps - rows.end) * slide.x.taps,
        );
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

/// From a sum, taken twice or more, to a result as [`requantize`], with the multiplier in a register of its own, `r9 <<
/// r10` still to be made and the next shift put in its place.
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

/// Makes the table at `taps` of the bytes from `from` to each tap, in pairs and an odd one at `single`: taps of `rows`
/// rows, `row` apart in the ring of `image` bytes, `inside` each and `tap` apart, the first at `start`; and before,
/// between and after those so many that are `outside`. `gap` are the bytes from behind a pixel's results to the next
/// pixel's, `centre` is `2 * zero point + 1`, `clamped` null where results need no bounds. As numbers, since a
/// structure would lie on the stack twice.
///
/// # Safety
/// The numbers have passed the checks of [`filter`].
#[allow(clippy::too_many_arguments, reason = "they lie as the assembly needs them")]
#[unsafe(naked)]
unsafe extern "C" fn filter_pixels(
    packed: *const i32,
    taps: *const u8,
    single: *const u8,
    to: *mut u8,
    from: *const u8,
    pixels: usize,
    channels: usize,
    step: usize,
    gap: usize,
    centre: i32,
    clamped: *const PackedI8<'_>,
    start: usize,
    row: usize,
    image: usize,
    tap: usize,
    outside: usize,
    rows: usize,
    inside: usize,
    before: usize,
    between: usize,
    after: usize,
) {
    naked_asm!(
        processor!(),
        "push {{r0-r3}}",
        "push {{r4-r11, lr}}",
        "sub sp, sp, #8",
        // 0: packed, 4: end of the pixel's channels, 44: entry, 48: taps, 52: their end, 56: results, 60: channels of
        // the pixel, 64: pixels, 68: channels, 72: step, 76: gap, 80: centre, 84: clamped, 88: start, 92: row,
        // 96: image, 100: tap, 104: outside, 108: rows, 112: inside, 116: before, 120: between, 124: after.
        "str r0, [sp]",
        "ldr r4, [sp, #60]",
        "ldr r5, [sp, #68]",
        "add r4, r4, r5",
        "str r4, [sp, #4]",
        // The table.
        "mov r0, r1",
        "add r3, sp, #88",
        "ldmia r3, {{r4-r12}}",
        "7:",
        "cmp r11, #0",
        "beq 9f",
        "8:",
        "str r8, [r0], #4",
        "subs r11, r11, #1",
        "bne 8b",
        "9:",
        "subs r9, r9, #1",
        "blt 21f",
        "mov r3, r4",
        "mov r11, r10",
        "20:",
        "str r3, [r0], #4",
        "add r3, r3, r7",
        "subs r11, r11, #1",
        "bne 20b",
        "add r4, r4, r5",
        "cmp r4, r6",
        "it hs",
        "subhs r4, r4, r6",
        "mov r11, r12",
        "cmp r9, #0",
        "it eq",
        "ldreq r11, [sp, #124]",
        "b 7b",
        "21:",
        // After pairs alone the odd tap's weights are zeros.
        "cmp r0, r2",
        "itt eq",
        "ldreq r3, [r0, #-4]",
        "streq r3, [r0]",
        // Where the first round enters the loop: four pairs a round, behind it if there are none.
        "sub r0, r2, r1",
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
        "str r1, [sp, #44]",
        "2:",
        "ldr lr, [sp]",
        "ldr r11, [sp, #60]",
        "3:",
        "ldmia lr!, {{r0-r3}}",
        "ldrd r8, r12, [sp, #44]",
        "bx r8",
        "4:",
        two_taps!(),
        two_taps!(),
        two_taps!(),
        two_taps!(),
        "ldr r8, [sp, #52]",
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
        "ldr r9, [sp, #80]",
        requantize_next!("r0", "r4"),
        requantize_next!("r1", "r5"),
        requantize_next!("r2", "r6"),
        requantize_next!("r3", "r7"),
        "ldr r12, [sp, #56]",
        "ldr r8, [sp, #84]",
        "cmp r8, #0",
        "bne 6f",
        "strb r0, [r12], #1",
        "strb r1, [r12], #1",
        "strb r2, [r12], #1",
        "strb r3, [r12], #1",
        "5:",
        "str r12, [sp, #56]",
        "ldr r8, [sp, #4]",
        "add r11, r11, #4",
        "cmp r11, r8",
        "bne 3b",
        "ldr r0, [sp, #60]",
        "ldrd r1, r2, [sp, #72]",
        "add r0, r0, r1",
        "str r0, [sp, #60]",
        "add r8, r8, r1",
        "str r8, [sp, #4]",
        "add r12, r12, r2",
        "str r12, [sp, #56]",
        "ldr r0, [sp, #64]",
        "subs r0, r0, #1",
        "str r0, [sp, #64]",
        "bne 2b",
        "add sp, sp, #8",
        "pop {{r4-r11, lr}}",
        "add sp, sp, #16",
        "bx lr",
        "6:",
        "pkhbt r0, r0, r2, lsl #16",
        "pkhbt r1, r1, r3, lsl #16",
        "uxtb16 r0, r0",
        "uxtb16 r1, r1",
        "orr r0, r0, r1, lsl #8",
        "ldrb r1, [r8, #{min}]",
        "ldrb r2, [r8, #{max}]",
        "mov r3, #0x01010101",
        "mul r1, r1, r3",
        "mul r2, r2, r3",
        "ssub8 r3, r0, r1",
        "sel r0, r0, r1",
        "ssub8 r3, r2, r0",
        "sel r0, r0, r2",
        "str r0, [r12], #4",
        "b 5b",
        min = const offset_of!(PackedI8<'static>, min),
        max = const offset_of!(PackedI8<'static>, max),
    )
}
