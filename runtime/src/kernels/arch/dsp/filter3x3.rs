//! Depthwise layers of three by three taps, channel by channel, with the weights in registers.

use super::super::Lines;
use super::super::ends::{farthest, last as last_of};
use super::is_clamped;
use crate::kernels::depthwise3x3::WORDS;
use crate::kernels::packed::PackedI8;
use crate::kernels::slide::Taps;
use crate::kernels::{Elements, Sink};

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

/// One after the other.
macro_rules! lines {
    ($($lines:expr),+ $(,)?) => {
        concat!($($lines, "\n"),+)
    };
}

mod image;
mod rows;

use image::{FROM_LAST, ODD, WHOLE, filter_image};
use rows::filter_rows;

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
        flags: flag(first, FIRST) | flag(last, LAST) | flag(stride == 2, STRIDE) | flag(lines.backward, BACKWARD),
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

/// A flag, or none.
#[inline(always)]
const fn flag(set: bool, flag: usize) -> usize {
    if set { flag } else { 0 }
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
        let flags = self.flags | flag(!above, ABOVE) | flag(!middle, MIDDLE) | flag(!below, BELOW) | flag(even, EVEN);
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
            let end = from.addr().wrapping_add(line);
            let rows = end.wrapping_add(line.wrapping_mul(most));
            [0, end, rows, line, to.addr().wrapping_sub(from.addr()).wrapping_sub(step)]
        } else {
            let read = 2 * pixels + usize::from(!first);
            let rows = to.addr().wrapping_add(lines.to_step.wrapping_mul(most)).wrapping_sub(step);
            let line = lines.step.wrapping_sub(step.wrapping_mul(read));
            [step, 0, rows, line, step.wrapping_mul(pixels + 1)]
        };
        let odd = !pixels.is_multiple_of(2);
        let flags = self.flags | flag(whole > 0, WHOLE) | flag(odd, ODD) | above | below << FROM_LAST;
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
