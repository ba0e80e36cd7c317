//! Depthwise layers of three by three taps, channel by channel, with the weights in registers.

use super::super::Lines;
use super::super::ends::{farthest, last as last_of};
use super::is_clamped;
use crate::kernels::depthwise3x3::WORDS;
use crate::kernels::packed::PackedI8;
use crate::kernels::slide::Taps;
use crate::kernels::{Elements, Sink};
use core::arch::naked_asm;
use core::mem::offset_of;

/// What of the taps and the walk the assembly has to know.
const ABOVE: usize = 1;
const MIDDLE: usize = 2;
const BELOW: usize = 4;
const FIRST: usize = 8;
const LAST: usize = 16;
const STRIDE: usize = 32;
const BACKWARD: usize = 64;
const EVEN: usize = 128;

/// As [`filter3x3`](super::super::portable::filter3x3) of the portable machine.
#[inline(always)]
pub(in crate::kernels) fn filter3x3(
    p: &PackedI8<'_>,
    taps: &Taps,
    pixel: usize,
    x: impl Elements<i8>,
    y: impl Sink<i8>,
    lines: &Lines,
) -> usize {
    let (Some(x), Some(y)) = (x.memory(), y.memory_mut()) else { return lines.count };
    let Taps { input, output, stride, before, .. } = *taps;
    // Columns up to one behind the image are read.
    let (Some(reach), Some(width), Some(row)) =
        (last_of(3, stride, output), input.checked_mul(p.channels), last_of(p.channels, pixel, output))
    else {
        return lines.count;
    };
    let within = |tap: usize, offset: usize| {
        let [before, count] = lines.with(tap);
        let from = lines.from.wrapping_add(offset).wrapping_add(before.wrapping_mul(lines.step));
        count == 0 || farthest(from, lines.step, count).is_some_and(|end| end <= x.bytes - width)
    };
    let fits = lines.count > 0
        && input > 0
        && output > 0
        && p.channels > 0
        && (1..=2).contains(&stride)
        && before <= 1
        && p.channels <= p.packed.len() / WORDS
        && reach <= input + before + 1
        && row <= y.bytes
        && farthest(lines.to, lines.to_step, lines.count).is_some_and(|end| end <= y.bytes - row)
        && width <= x.bytes
        && within(0, 0)
        && within(1, lines.offsets[0])
        && within(2, lines.offsets[1]);
    if !fits {
        return lines.count;
    }
    let columns = lines.columns(output);
    let after = reach > input + before;
    let [first, last] = if lines.backward { [after, before > 0] } else { [before > 0, after] };
    let flags = [(first, FIRST), (last, LAST), (stride == 2, STRIDE), (lines.backward, BACKWARD)];
    let walk = Walk {
        p,
        from: x
            .start
            .wrapping_add(if lines.backward { reach - 1 - before - usize::from(after) } else { 0 } * p.channels),
        to: y.start.wrapping_add(columns.at(0) * pixel),
        input,
        output,
        stride,
        step: columns.step(p.channels),
        pixel: columns.step(pixel),
        first,
        last,
        flags: set(&flags),
    };
    // SAFETY: all rows of the image lie in `x` and all of the result in `y`, in them the columns that are read, and
    // the weights of all channels in `packed`.
    unsafe {
        if walk.image(lines) {
            return lines.count;
        }
        let alike = lines.alike();
        walk.rows(&alike);
        alike.count
    }
}

/// Those flags that are set.
#[inline(always)]
fn set(flags: &[(bool, usize)]) -> usize {
    flags.iter().fold(0, |flags, (set, flag)| if *set { flags | flag } else { flags })
}

/// How columns are walked.
struct Walk<'a> {
    p: &'a PackedI8<'a>,
    /// The column that is read first and the pixel that is finished first, in the rows at offset 0.
    from: *const u8,
    to: *mut u8,
    /// Columns, pixels, and columns from pixel to pixel.
    input: usize,
    output: usize,
    stride: usize,
    /// Bytes from column to column and from pixel to pixel, wrapping.
    step: usize,
    pixel: usize,
    /// The first column and the last lie outside the image.
    first: bool,
    last: bool,
    flags: usize,
}

impl Walk<'_> {
    /// Rows that have their taps alike.
    ///
    /// # Safety
    /// All columns that are read and all results lie in their windows, and the weights of all channels in `packed`.
    #[inline(always)]
    unsafe fn rows(&self, lines: &Lines) {
        let Self { p, input, output, stride, step, first, last, .. } = *self;
        // Columns that are read before a pixel is finished.
        let ahead = if stride == 1 { 2 } else { 1 } - usize::from(first);
        let (from, to) = (self.from.wrapping_add(lines.from), self.to.wrapping_add(lines.to));
        let finished = ahead + stride - 1;
        let delta = to.addr().wrapping_sub(from.addr()).wrapping_sub(step.wrapping_mul(finished));
        let end = step.wrapping_mul(ahead + (output - usize::from(last)) * stride);
        let more_row = lines.to_step.wrapping_sub(lines.step);
        let more = self.pixel.wrapping_sub(step.wrapping_mul(stride));
        let [above, middle, below] = lines.inside[0];
        // Whole rows one behind the other, in the image and in the result.
        let even = above
            && middle
            && below
            && lines.offsets[1] == lines.offsets[0].wrapping_mul(2)
            && lines.step == step.wrapping_mul(input)
            && [more_row, more] == [0; 2]
            && stride == 1
            && first
            && last
            && output > 1
            && !is_clamped([p.min, p.max]);
        let flags = self.flags | set(&[(!above, ABOVE), (!middle, MIDDLE), (!below, BELOW), (even, EVEN)]);
        // SAFETY: as for this function.
        unsafe {
            filter_rows(
                p.packed.as_ptr(),
                p,
                from,
                delta,
                lines.count,
                lines.offsets[0],
                lines.offsets[1],
                step,
                lines.step,
                more_row,
                more,
                end,
                flags,
            );
        }
    }

    /// All rows at once, if they suit that.
    ///
    /// # Safety
    /// As for [`rows`](Self::rows).
    #[inline(always)]
    unsafe fn image(&self, lines: &Lines) -> bool {
        let Self { p, input, output, stride, step, first, last, .. } = *self;
        let lacks = |inside: [bool; 3]| match inside {
            [true, true, true] => Some(0),
            [false, true, true] => Some(ABOVE),
            [true, true, false] => Some(BELOW),
            _ => None,
        };
        let (Some(above), Some(below)) = (lacks(lines.inside[0]), lacks(lines.inside(lines.count - 1))) else {
            return false;
        };
        // A single row is the last.
        let above = if lines.count == 1 { 0 } else { above };
        let row = lines.offsets[0];
        let line = step.wrapping_mul(input);
        let suits = lines.offsets[1] == row.wrapping_mul(2)
            && p.to == i8::MIN.into()
            && !is_clamped([p.min, p.max])
            && self.pixel == step
            && lines.to_step == step.wrapping_mul(output)
            && output > 1
            && (stride == 2 || first && last && lines.step == line);
        if !suits {
            return false;
        }
        let (from, to) = (self.from.wrapping_add(lines.from), self.to.wrapping_add(lines.to));
        // Rows of results but the last, if that is not whole, and among them those that are.
        let most = lines.count - usize::from(below > 0);
        let whole = most - usize::from(above > 0);
        // Pixels whose last column lies in the image.
        let pixels = output - usize::from(last);
        let [first_result, end, rows, line, more] = if stride == 1 {
            let [end, rows] = [1, most + 1].map(|rows| from.addr().wrapping_add(line.wrapping_mul(rows)));
            [0, end, rows, line, to.addr().wrapping_sub(from.addr()).wrapping_sub(step)]
        } else {
            let read = 2 * pixels + usize::from(!first);
            let rows = to.addr().wrapping_add(lines.to_step.wrapping_mul(most)).wrapping_sub(step);
            let line = lines.step.wrapping_sub(step.wrapping_mul(read));
            [step, 0, rows, line, step.wrapping_mul(pixels + 1)]
        };
        let odd = !pixels.is_multiple_of(2);
        let flags = self.flags | set(&[(whole > 0, WHOLE), (odd, ODD)]) | above | below << FROM_LAST;
        let zero = u32::from(p.from.cast_unsigned() as u16) * 0x1_0001;
        // SAFETY: as for this function.
        unsafe {
            filter_image(
                p.packed.as_ptr(),
                to.wrapping_sub(first_result).wrapping_sub(1),
                from.wrapping_sub(1),
                end.wrapping_sub(1),
                rows.wrapping_sub(1),
                line,
                p.channels,
                zero,
                flags,
                row,
                more,
                step,
            );
        }
        true
    }
}

/// A column: the taps of the upper two rows as a pair in r11, that of the third in r12.
macro_rules! column {
    () => {
        column!("r10")
    };
    ($third:literal) => {
        concat!(
            "ldrsb r11, [r8]
             ldrsb r12, [r8, r9]
             pkhbt r11, r11, r12, lsl #16
             ldrsb r12, [r8, ",
            $third,
            "]"
        )
    };
}

/// The column's products with the last column of weights finish the sum in r0, in lr.
macro_rules! last_column {
    () => {
        "smlad lr, r11, r4, r0
         smlabt lr, r12, r6, lr"
    };
}

/// Its products with the middle column of weights and the sum in this register, in r0.
macro_rules! middle_column {
    ($sum:literal) => {
        concat!("smlad r0, r11, r3, ", $sum, "\n", "smlabt r0, r12, r5, r0")
    };
}

/// Its products with the first column of weights and the bias, in this register.
macro_rules! first_column {
    ($sum:literal) => {
        concat!("smlad ", $sum, ", r11, r2, r7\n", "smlabb ", $sum, ", r12, r5, ", $sum)
    };
}

/// From the sum in lr, taken twice or more, to a result.
macro_rules! requantize {
    () => {
        "ldrd r11, r12, [sp]
         add r12, r12, lr, asr #31
         smmlar lr, lr, r11, r12
         asr lr, lr, r6
         ssat lr, #8, lr, asr #1"
    };
}

/// As [`requantize`], between the bounds.
macro_rules! requantize_clamped {
    () => {
        concat!(
            requantize!(),
            "
             ldrd r11, r12, [sp, #48]
             cmp lr, r11
             it lt
             movlt lr, r11
             cmp lr, r12
             it gt
             movgt lr, r12"
        )
    };
}

/// To the next column.
macro_rules! step {
    () => {
        "ldr lr, [sp, #12]
         add r8, r8, lr"
    };
}

/// Stores the result, steps to the next column and moves on in the result by more or less than in the image.
macro_rules! store {
    () => {
        "ldrd r11, r12, [sp, #8]
         strb lr, [r8, r11]
         add r8, r8, r12
         ldr r12, [sp, #140]
         add r11, r11, r12
         str r11, [sp, #8]"
    };
}

/// One after the other.
macro_rules! lines {
    ($($lines:expr),+ $(,)?) => {
        concat!($($lines, "\n"),+)
    };
}

mod image;

use image::{FROM_LAST, ODD, WHOLE, filter_image};

/// Rows by so many columns a pixel.
macro_rules! rows {
    (stride: 1, $requantize:ident) => {
        lines!(
            "ldr r11, [sp, #148]
             ldr r0, [sp, #20]
             tst r11, #8
             bne 60f",
            lines!(column!(), first_column!("r0"), step!()),
            "60:",
            lines!(column!(), middle_column!("r0"), first_column!("r1"), step!()),
            "b 62f
             61:",
            lines!(column!(), last_column!(), middle_column!("r1"), first_column!("r1"), $requantize!(), store!()),
            "62:
             ldr r12, [sp, #16]
             cmp r8, r12
             bne 61b
             ldrd r11, r12, [sp, #20]
             add lr, r0, r12
             ldr r11, [sp, #148]
             tst r11, #16
             beq 50b",
            $requantize!(),
            "ldr r11, [sp, #8]
             strb lr, [r8, r11]
             b 50b"
        )
    };
    (stride: 2, $requantize:ident) => {
        lines!(
            "ldr r11, [sp, #148]
             ldr r0, [sp, #20]
             tst r11, #8
             bne 62f",
            lines!(column!(), first_column!("r0"), step!()),
            "b 62f
             61:",
            lines!(column!(), middle_column!("r0"), step!()),
            lines!(column!(), last_column!(), first_column!("r0"), $requantize!(), store!()),
            "62:
             ldr r12, [sp, #16]
             cmp r8, r12
             bne 61b
             ldr r11, [sp, #148]
             tst r11, #16
             beq 50b",
            lines!(column!(), middle_column!("r0"), step!()),
            "ldr r12, [sp, #24]
             add lr, r0, r12",
            $requantize!(),
            "ldr r11, [sp, #8]
             strb lr, [r8, r11]
             b 50b"
        )
    };
}

/// All channels of `count` rows. The first row of taps of the first starts at `from`, those of the others `second` and
/// `third` bytes further; a column is `step` bytes from the next, a row `row_step`. A result lies `delta` bytes from the
/// column behind the one that finishes it; `more_row` and `more` are how much farther rows and pixels of the result lie
/// apart than those of the image. Columns are read up to `end` bytes from the first.
///
/// # Safety
/// As for [`Walk::rows`].
#[allow(clippy::too_many_arguments, reason = "they lie as the assembly needs them")]
#[unsafe(naked)]
unsafe extern "C" fn filter_rows(
    packed: *const i32,
    p: *const PackedI8<'_>,
    from: *const u8,
    delta: usize,
    count: usize,
    second: usize,
    third: usize,
    step: usize,
    row_step: usize,
    more_row: usize,
    more: usize,
    end: usize,
    flags: usize,
) {
    naked_asm!(
        processor!(),
        "push {{r0-r3}}",
        "push {{r4-r11, lr}}",
        "sub sp, sp, #64",
        // 0: multiplier and offset, 8: delta, 12: step, 16: end, 20: sum before the first column and what the column
        // behind the last adds, 28: row, 32: rows left, 36: delta of the row, 40: `2 * zero point + 1`, 44: zero points,
        // 48: bounds, 56: channels left, 100: packed, 104: p, then the loop, 108: from, 112: delta, 116: count,
        // 120: rows of taps, 128: step, 132: step of rows, 136: more for rows, 140: more for pixels, 144: end,
        // 148: flags.
        "ldr r4, [r1, #{channels}]",
        "ldr r5, [r1, #{to}]",
        "ldr r6, [r1, #{from}]",
        "ldr r7, [r1, #{min}]",
        "ldr r8, [r1, #{max}]",
        "str r4, [sp, #56]",
        "lsls r5, r5, #1",
        "adds r5, r5, #1",
        "pkhbt r6, r6, r6, lsl #16",
        "strd r5, r6, [sp, #40]",
        "strd r7, r8, [sp, #48]",
        "ldr r4, [sp, #128]",
        "str r4, [sp, #12]",
        // Which loop.
        "ldr r4, [sp, #148]",
        "adr.w r5, 5f",
        "adr.w r9, 6f",
        "tst r4, #32",
        "itt ne",
        "adrne.w r5, 7f",
        "adrne.w r9, 8f",
        "cmn r7, #128",
        "it eq",
        "cmpeq r8, #127",
        "it ne",
        "movne r5, r9",
        "tst r4, #128",
        "it ne",
        "adrne.w r5, 9f",
        "orr r5, r5, #1",
        "str r5, [sp, #104]",
        "2:",
        "ldr lr, [sp, #100]",
        "ldmia lr!, {{r2-r7, r11}}",
        "str lr, [sp, #100]",
        "ldr r12, [sp, #40]",
        "lsl r12, r12, r6",
        "strd r11, r12, [sp]",
        "ldr r10, [sp, #148]",
        "ldr r12, [sp, #44]",
        "tst r10, #64",
        "beq 3f",
        // Columns come from the last on.
        "lsr r11, r6, #16",
        "pkhbt r6, r6, r5, lsl #16",
        "pkhbt r5, r11, r5",
        "mov r11, r2",
        "mov r2, r4",
        "mov r4, r11",
        "3:",
        "tst r10, #7",
        "beq 4f",
        // Rows outside the image: their weights give way to what they add.
        "tst r10, #1",
        "beq 31f",
        "uxth r11, r12",
        "smlad r7, r2, r11, r7",
        "smlad r7, r3, r11, r7",
        "smlad r7, r4, r11, r7",
        "bfc r2, #0, #16",
        "bfc r3, #0, #16",
        "bfc r4, #0, #16",
        "31:",
        "tst r10, #2",
        "beq 32f",
        "lsl r11, r12, #16",
        "smlad r7, r2, r11, r7",
        "smlad r7, r3, r11, r7",
        "smlad r7, r4, r11, r7",
        "uxth r2, r2",
        "uxth r3, r3",
        "uxth r4, r4",
        "32:",
        "tst r10, #4",
        "beq 4f",
        "smlad r7, r5, r12, r7",
        "smlatb r7, r6, r12, r7",
        "movs r5, #0",
        "bfc r6, #16, #16",
        "4:",
        "smlad r0, r2, r12, r7",
        "smlabb r0, r5, r12, r0",
        "smuad r1, r4, r12",
        "smlatb r1, r6, r12, r1",
        "strd r0, r1, [sp, #20]",
        "ldrd r8, r0, [sp, #108]",
        "add r1, r8, #1",
        "str r1, [sp, #108]",
        "str r0, [sp, #8]",
        "str r0, [sp, #36]",
        "ldr r0, [sp, #116]",
        "strd r8, r0, [sp, #28]",
        "ldr r0, [sp, #144]",
        "add r0, r0, r8",
        "str r0, [sp, #16]",
        "ldrd r9, r10, [sp, #120]",
        "ldr r0, [sp, #104]",
        "bx r0",
        // The next row.
        "50:",
        "ldrd r8, r12, [sp, #28]",
        "subs r12, r12, #1",
        "beq 51f",
        "ldrd r0, r1, [sp, #132]",
        "add r8, r8, r0",
        "strd r8, r12, [sp, #28]",
        "ldr r11, [sp, #16]",
        "add r11, r11, r0",
        "str r11, [sp, #16]",
        "ldr r11, [sp, #36]",
        "add r11, r11, r1",
        "str r11, [sp, #36]",
        "str r11, [sp, #8]",
        "ldr r0, [sp, #104]",
        "bx r0",
        "51:",
        "ldr r0, [sp, #56]",
        "subs r0, r0, #1",
        "str r0, [sp, #56]",
        "bne 2b",
        "add sp, sp, #64",
        "pop {{r4-r11, lr}}",
        "add sp, sp, #16",
        "bx lr",
        "5:",
        rows!(stride: 1, requantize),
        "6:",
        rows!(stride: 1, requantize_clamped),
        "7:",
        rows!(stride: 2, requantize),
        "8:",
        rows!(stride: 2, requantize_clamped),
        // 28: step of rows, 32: end of the last row; that of the row is in r10.
        "9:",
        "ldr r10, [sp, #16]",
        "ldr r0, [sp, #116]",
        "ldr r1, [sp, #132]",
        "mla r0, r0, r1, r10",
        "strd r1, r0, [sp, #28]",
        "90:",
        "ldr r0, [sp, #20]",
        column!("r9, lsl #1"),
        middle_column!("r0"),
        first_column!("r1"),
        step!(),
        "91:",
        column!("r9, lsl #1"),
        last_column!(),
        middle_column!("r1"),
        first_column!("r1"),
        requantize!(),
        "ldrd r11, r12, [sp, #8]",
        "strb lr, [r8, r11]",
        "add r8, r8, r12",
        "cmp r8, r10",
        "bne 91b",
        "ldr r12, [sp, #24]",
        "add lr, r0, r12",
        requantize!(),
        "ldr r11, [sp, #8]",
        "strb lr, [r8, r11]",
        "ldrd r11, r12, [sp, #28]",
        "add r10, r10, r11",
        "cmp r10, r12",
        "bne 90b",
        "b 51b",
        channels = const offset_of!(PackedI8<'static>, channels),
        from = const offset_of!(PackedI8<'static>, from),
        to = const offset_of!(PackedI8<'static>, to),
        min = const offset_of!(PackedI8<'static>, min),
        max = const offset_of!(PackedI8<'static>, max),
    )
}
