//! Depthwise layers of three by three taps, channel by channel, with the weights in registers.

use super::super::Lines;
use super::super::ends::{farthest, last as last_of};
use super::super::window::Memory;
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

/// The column's products with the last column of weights finish the sum in r0, in lr; the third of those is in a half
/// of r6.
macro_rules! last_column {
    ($third:literal) => {
        concat!("smlad lr, r11, r4, r0\n", $third, " lr, r12, r6, lr")
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

mod image;
mod rows;

use image::{FROM_LAST, MOST_PIXELS, ODD, SHIFT, WHOLE, filter_image};
use rows::filter_rows;

/// What the assembly has to know of the taps, as `Lines::lacks` says it, and of the walk.
const ABOVE: usize = 1;
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
    let Some(walk) = Walk::new(p, taps, pixel, [x, y.read()], lines) else { return lines.count };
    // SAFETY: all of the result lies in `y`, which may be written, and the weights of all channels in `packed`.
    unsafe { if walk.image(lines) { lines.count } else { walk.rows(lines) } }
}

/// What is added to a product so that results shifted to the right by one bit more are rounded about the zero point.
#[inline(always)]
const fn centre(zero_point: i32, shift: usize) -> usize {
    ((2 * zero_point + 1) << shift).cast_unsigned() as usize
}

/// Whether rows of taps `lines.offsets[0]` apart, of which at most one lacks at either end, start at `last_row` of the
/// image or before.
#[inline(never)]
fn lie_inside(lines: &Lines, last_row: usize) -> bool {
    let (apart, [first, last]) = (lines.offsets[0], lines.lacks);
    let (step, [above, below]) =
        if lines.backward { (lines.step.wrapping_neg(), [last, first]) } else { (lines.step, [first, last]) };
    let (Some(extent), Some(taps)) = ((lines.count - 1).checked_mul(step), apart.checked_mul(2)) else {
        return false;
    };
    let top = if lines.backward { lines.from.wrapping_sub(extent) } else { lines.from };
    let drop = |lacks: bool| if lacks { apart.min(step) } else { 0 };
    let lowest = top.wrapping_add(drop(above & ABOVE > 0));
    let highest = top.wrapping_add(extent).wrapping_add(taps).wrapping_sub(drop(below & BELOW > 0));
    // At most half of all numbers together, so that nothing wraps unseen.
    extent.max(taps) <= usize::MAX / 4 && lowest <= highest && highest <= last_row
}

/// A flag, or none.
#[inline(always)]
const fn flag(set: bool, flag: usize) -> usize {
    if set { flag } else { 0 }
}

/// How columns are walked.
struct Walk<'a> {
    p: &'a PackedI8<'a>,
    taps: &'a Taps,
    /// The last place in the image where a row can start.
    last_row: usize,
    /// The column that is read first and the pixel that is finished first, in the rows at offset 0.
    from: *const u8,
    to: *mut u8,
    /// Bytes from column to column and from pixel to pixel, wrapping.
    step: usize,
    pixel: usize,
    flags: usize,
}

impl<'a> Walk<'a> {
    /// `None` where something of the rows `lines` does not lie in the result, or the weights are too few.
    #[inline(always)]
    fn new(p: &'a PackedI8<'a>, taps: &'a Taps, pixel: usize, [x, y]: [Memory<'_>; 2], lines: &Lines) -> Option<Self> {
        let Taps { input, output, stride, before, .. } = *taps;
        // Columns up to one behind the image are read.
        let reach = last_of(3, stride, output)?;
        let width = x.bytes.checked_sub(input.checked_mul(p.channels)?)?;
        let row = y.bytes.checked_sub(last_of(p.channels, pixel, output)?)?;
        let fits = lines.count > 0
            && input > 0
            && output > 0
            && p.channels > 0
            && (1..=2).contains(&stride)
            && before <= 1
            && p.channels <= p.packed.len() / WORDS
            && reach <= input + before + 1
            && farthest(lines.to, lines.to_step, lines.count).is_some_and(|end| end <= row);
        if !fits {
            return None;
        }
        let after = reach > input + before;
        let [first, last] = if lines.backward { [after, before > 0] } else { [before > 0, after] };
        let [column, result] = if lines.backward {
            [(reach - 1 - before - usize::from(after)) * p.channels, (output - 1) * pixel]
        } else {
            [0; 2]
        };
        let back = |size: usize| if lines.backward { size.wrapping_neg() } else { size };
        Some(Self {
            p,
            taps,
            last_row: width,
            from: x.start.wrapping_add(column),
            to: y.start.cast_mut().wrapping_add(result),
            step: back(p.channels),
            pixel: back(pixel),
            flags: flag(first, FIRST) | flag(last, LAST) | flag(stride == 2, STRIDE) | flag(lines.backward, BACKWARD),
        })
    }

    /// Whether the first column and the last lie outside the image.
    #[inline(always)]
    const fn outside(&self) -> [bool; 2] {
        [self.flags & FIRST > 0, self.flags & LAST > 0]
    }

    /// The first rows that have their taps alike: returns how many.
    ///
    /// # Safety
    /// All results lie in their window, and the weights of all channels in `packed`.
    #[inline(never)]
    unsafe fn rows(&self, lines: &Lines) -> usize {
        let within = |tap: usize, offset: usize| {
            let [before, count] = lines.with(tap);
            let from = lines.from.wrapping_add(offset).wrapping_add(before.wrapping_mul(lines.step));
            count == 0 || farthest(from, lines.step, count).is_some_and(|end| end <= self.last_row)
        };
        if !(within(0, 0) && within(1, lines.offsets[0]) && within(2, lines.offsets[1])) {
            return lines.count;
        }
        let lines = lines.alike();
        let Self { p, taps: &Taps { input, output, stride, .. }, step, .. } = *self;
        let [first, last] = self.outside();
        // Columns that are read before a pixel is finished.
        let ahead = if stride == 1 { 2 } else { 1 } - usize::from(first);
        let (from, to) = (self.from.wrapping_add(lines.from), self.to.wrapping_add(lines.to));
        let finished = ahead + stride - 1;
        let delta = to.addr().wrapping_sub(from.addr()).wrapping_sub(step.wrapping_mul(finished));
        let end = step.wrapping_mul(ahead + (output - usize::from(last)) * stride);
        let more_row = lines.to_step.wrapping_sub(lines.step);
        let more = self.pixel.wrapping_sub(step.wrapping_mul(stride));
        let [lacks, _] = lines.lacks;
        // Whole rows one behind the other, in the image and in the result.
        let even = lacks == 0
            && lines.offsets[1] == lines.offsets[0].wrapping_mul(2)
            && lines.step == step.wrapping_mul(input)
            && [more_row, more] == [0; 2]
            && stride == 1
            && first
            && last
            && output > 1
            && !is_clamped([p.min, p.max]);
        let flags = self.flags | lacks | flag(even, EVEN);
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
        lines.count
    }

    /// All rows at once, if they suit that.
    ///
    /// # Safety
    /// As for [`rows`](Self::rows).
    #[inline(always)]
    unsafe fn image(&self, lines: &Lines) -> bool {
        let Self { p, taps: &Taps { input, output, stride, .. }, step, .. } = *self;
        let [first, last] = self.outside();
        let [first_lacks, below] = lines.lacks;
        // A single row is the last.
        let above = if lines.count == 1 { 0 } else { first_lacks };
        let is_one = |lacks: usize| [0, ABOVE, BELOW].contains(&lacks);
        let row = lines.offsets[0];
        let line = step.wrapping_mul(input);
        let suits = is_one(above)
            && is_one(below)
            && lines.offsets[1] == row.wrapping_mul(2)
            && p.to == i8::MIN.into()
            && !is_clamped([p.min, p.max])
            && self.pixel == step
            && lines.to_step == step.wrapping_mul(output)
            && (2..=MOST_PIXELS).contains(&output)
            && (stride == 2 || first && last && lines.step == line)
            && lie_inside(lines, self.last_row);
        if !suits {
            return false;
        }
        let (from, to) = (self.from.wrapping_add(lines.from), self.to.wrapping_add(lines.to));
        // Rows of results but the last, if that is not whole, and among them those that are.
        let most = lines.count - usize::from(below > 0);
        let whole = most - usize::from(above > 0);
        // Pixels whose last column lies in the image.
        let pixels = output - usize::from(last);
        let odd = !pixels.is_multiple_of(2);
        let before = to.wrapping_sub(step);
        let [rows, line, turns] = if stride == 1 {
            [from.addr().wrapping_add(line.wrapping_mul(most)), 0, pixels]
        } else {
            let read = 2 * pixels + usize::from(!first);
            let rows = before.addr().wrapping_add(lines.to_step.wrapping_mul(most));
            [rows, lines.step.wrapping_sub(step.wrapping_mul(read)), pixels.div_ceil(2)]
        };
        let [turns, pixels] = [(turns - 1) << 16, (pixels - 1) << 16];
        let flags = self.flags | flag(whole > 0, WHOLE) | flag(odd, ODD) | above | below << FROM_LAST;
        let zero = u32::from(p.from.cast_unsigned() as u16) * 0x1_0001;
        let packed = p.packed.as_ptr();
        // SAFETY: as for this function.
        unsafe {
            filter_image(
                rows.wrapping_sub(1),
                before.wrapping_sub(1),
                from.wrapping_sub(1),
                flags,
                centre(p.to, SHIFT),
                packed,
                packed.wrapping_add(p.channels * WORDS),
                row,
                step,
                pixels + 1,
                line,
                turns,
                pixels,
                zero,
                lines.step,
                before.addr().wrapping_sub(from.addr()),
            );
        }
        true
    }
}
