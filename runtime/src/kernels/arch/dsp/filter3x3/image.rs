//! All rows of an image in one call, where its rows lie one behind the other and results saturate at the zero point.
//!
//! Rows of the result of which the first or the last row of taps lies outside the image have a loop of their own for
//! the other two. What a layer's channels have in common is decided before the first: where the code goes on after a
//! channel's weights are read, after the first row of results, and between and behind the columns of a row.

use super::{ABOVE, BACKWARD, BELOW, FIRST, LAST, STRIDE};
use core::arch::naked_asm;

/// Besides the flags of rows that are alike: there are rows with all their taps.
pub(super) const WHOLE: usize = 256;
/// The pixels that have a last column in the image are odd.
pub(super) const ODD: usize = 512;
/// What the last row lacks stands so many bits above what the first does.
pub(super) const FROM_LAST: usize = 10;
/// The most pixels of a row: they are counted in the upper half of a word.
pub(super) const MOST_PIXELS: usize = 1 << 15;
/// One less than the bits that results are shifted to the right, the same for all channels.
pub(super) const SHIFT: usize = 5;

/// From the sum in lr, taken so often as brings it to a result with this shift. A negative sum saturates however it is
/// rounded.
macro_rules! requantize {
    () => {
        "ldrd r11, r12, [sp, #12]
         smmlar lr, lr, r11, r12
         ssat lr, #8, lr, asr #{SHIFT} + 1"
    };
}

/// A column of two rows of taps in r11.
macro_rules! two_rows {
    () => {
        "ldrsb r11, [r8]
         ldrsb r12, [r8, r9]
         pkhbt r11, r11, r12, lsl #16"
    };
}

/// A column of three rows of taps.
macro_rules! three_rows {
    () => {
        column!("r9, lsl #1")
    };
}

/// To the next column, or back, by the register of the step.
macro_rules! next {
    () => {
        "add r8, r8, r10"
    };
}

/// The last pixel of a row, whose last column lies outside the image: its sum without that is in r0.
macro_rules! last_pixel {
    (rows: 2) => {
        concat!("ldr r12, [sp, #124]\nsmlad lr, r4, r12, r0\n", requantize!())
    };
    (rows: 3) => {
        concat!("ldr r12, [sp, #124]\nsmlad lr, r4, r12, r0\nsmlabb lr, r6, r12, lr\n", requantize!())
    };
}

/// The first column of a row by two columns.
macro_rules! first {
    () => {
        lines!(three_rows!(), first_column!("r0"), next!())
    };
}

/// A pixel by two columns.
macro_rules! two_columns {
    () => {
        lines!(
            three_rows!(),
            middle_column!("r0"),
            next!(),
            three_rows!(),
            last_column!("smlabb"),
            first_column!("r0"),
            next!(),
            requantize!()
        )
    };
}

/// Weights of the last column for those of the first, where columns come from the last on.
macro_rules! turn {
    () => {
        "pkhbt r11, r6, r5
         pkhbt r6, r5, r6
         mov r5, r11
         mov r11, r2
         mov r2, r4
         mov r4, r11"
    };
}

/// The bias of a row without its last row of taps, and how many pixels it has.
macro_rules! without_last {
    () => {
        "ldr r12, [sp, #124]
         smlad r7, r5, r12, r7
         smlabb r7, r6, r12, r7
         mov r6, lr"
    };
}

/// The weights again, and the start of the second row of results.
macro_rules! again {
    () => {
        "ldr lr, [sp, #20]
         ldmdb lr, {{r2-r7, r11}}
         ldr r8, [sp, #8]
         ldr r11, [sp, #128]
         add r8, r8, r11
         ldr r12, [sp, #116]
         pkhbt r6, r6, r12"
    };
}

/// All channels of all rows. `x` is the first column that is read of the first row of taps of the first row of results,
/// inside the image or not; `row` bytes further lies that of the next row of taps, `next_row` bytes further that of the
/// next row of results. A column is `step` bytes from the next. Rows of results follow each other; `y` is the pixel
/// before their first. `zero` is the zero point in both halves, `centre` what results are rounded about. `flags` are
/// those of rows that are alike, [`ABOVE`] and [`BELOW`] for the first row and, [`FROM_LAST`] bits up, for the last.
///
/// `turns` are those of the loop of a row with all its taps, less one, in the upper half, which by two columns
/// are two pixels; `pixels` those of the others, one pixel, and one more if it is the `last` row. Behind the last
/// column that is read `line` bytes further lies the next row. By one column, rows of the image follow each other too;
/// `rows` is the end of that of the last whole row of results, and a result lies `more` bytes from the column that
/// finishes it. By two columns, `rows` is the last pixel of the whole rows. `rows`, `y` and `x` are one less.
///
/// # Safety
/// All columns that are read lie in the image and all results in their window; `packed` holds all channels up to
/// `end`. A row has from two to [`MOST_PIXELS`] and lacks one row of taps at most.
#[allow(clippy::too_many_arguments, reason = "they lie as the assembly needs them")]
#[unsafe(naked)]
pub(super) unsafe extern "C" fn filter_image(
    rows: usize,
    y: *mut u8,
    x: *const u8,
    flags: usize,
    centre: usize,
    packed: *const i32,
    end: *const i32,
    row: usize,
    step: usize,
    last: usize,
    line: usize,
    turns: usize,
    pixels: usize,
    zero: u32,
    next_row: usize,
    more: usize,
) {
    naked_asm!(
        processor!(),
        "push {{r4-r11, lr}}",
        "sub sp, sp, #36",
        "push {{r0-r3}}",
        // 0: rows, y, x, 12: multiplier and centre, 20: packed and its end, 28: sum before the first column; where to
        // go: 32: with a channel's weights, 36: from where they are turned, 40: after a row that lacks taps, 44: after
        // the first of them, 48: to the last row; where the arguments from the centre to the step were: 88: to a row,
        // 92: to its end, 96, 100: the same of rows without their last row of taps, 104: to those without their first;
        // the other arguments: 108: pixels of the last row, line, 116: turns, pixels, 124: zero points, next row, more.
        "ldrd r4, r5, [sp, #88]",
        "ldr r6, [sp, #96]",
        "strd r4, r5, [sp, #16]",
        "str r6, [sp, #24]",
        "ldrd r9, r10, [sp, #100]",
        // To a row in r4, to its end in r5, the same of rows that lack taps in r6 and r7, and in r8.
        "adr.w r4, 50f+1",
        "adr.w r6, 62f+1",
        "adr.w r8, 64f+1",
        "adr.w r12, 60f+1",
        "tst r3, #{STRIDE}",
        "beq 1f",
        "adr.w r4, 73f+1",
        "adr.w r5, 77f+1",
        "adr.w r6, 84f+1",
        "adr.w r7, 83f+1",
        "adr.w r0, 74f+1",
        "adr.w r12, 80f+1",
        "tst r3, #{FIRST}",
        "itttt ne",
        "adrne.w r4, 72f+1",
        "adrne.w r6, 81f+1",
        "adrne.w r0, 71f+1",
        "adrne.w r12, 60f+1",
        "tst r3, #{ODD}",
        "it ne",
        "movne r4, r0",
        "mov r8, r6",
        "tst r3, #{LAST}",
        "itt eq",
        "adreq.w r5, 70f+1",
        "adreq.w r7, 85f+1",
        "1:",
        "add r0, sp, #88",
        "stmia r0, {{r4-r8}}",
        // To the last row in r0, after the first in r1, with a channel's weights in r2, and after a row that lacks taps
        // in r5.
        "adr.w r0, 53f+1",
        "tst r3, #{ABOVE} << {FROM_LAST}",
        "it ne",
        "adrne.w r0, 6f+1",
        "tst r3, #{BELOW} << {FROM_LAST}",
        "it ne",
        "movne r0, r12",
        "adr.w r1, 59f+1",
        "tst r3, #{FIRST}",
        "it ne",
        "adrne.w r4, 5f+1",
        "tst r3, #{WHOLE}",
        "it ne",
        "movne r1, r4",
        "mov r2, r1",
        "tst r3, #{ABOVE}",
        "it ne",
        "adrne.w r2, 6f+1",
        "tst r3, #{BELOW}",
        "it ne",
        "movne r2, r12",
        "adr.w r5, 53f+1",
        "tst r3, #{LACKS}",
        "it ne",
        "adrne.w r5, 69f+1",
        "str r0, [sp, #48]",
        "str r2, [sp, #36]",
        "tst r3, #{BACKWARD}",
        "beq 1f",
        "adr.w r2, 3f+1",
        "tst r3, #{LACKS}",
        "it ne",
        "adrne.w r5, 68f+1",
        "1:",
        "str r2, [sp, #32]",
        "strd r5, r1, [sp, #40]",
        // The next channel.
        "2:",
        "ldmia sp, {{r0, r1, r8, r11, r12, lr}}",
        "adds r0, r0, #1",
        "adds r1, r1, #1",
        "add r8, r8, #1",
        "ldmia lr!, {{r2-r7, r11}}",
        "stmia sp, {{r0, r1, r8, r11, r12, lr}}",
        "ldrd r12, lr, [sp, #116]",
        "pkhbt r6, r6, r12",
        "ldr pc, [sp, #32]",
        "3:",
        turn!(),
        "ldr pc, [sp, #36]",
        // Whole rows: their sum before the first column, if that lies outside the image.
        "5:",
        "ldr r12, [sp, #124]",
        "smlad r0, r2, r12, r7",
        "smlabb r0, r5, r12, r0",
        "str r0, [sp, #28]",
        "ldr pc, [sp, #88]",
        // By one column.
        "50:",
        "ldr r0, [sp, #28]",
        three_rows!(),
        middle_column!("r0"),
        first_column!("r1"),
        next!(),
        "52:",
        three_rows!(),
        last_column!("smlabb"),
        middle_column!("r1"),
        first_column!("r1"),
        requantize!(),
        "ldr r12, [sp, #132]",
        "strb lr, [r8, r12]",
        next!(),
        "subs r6, r6, #0x10000",
        "bpl 52b",
        last_pixel!(rows: 3),
        "ldr r12, [sp, #132]",
        "strb lr, [r8, r12]",
        "ldr r0, [sp]",
        "ldr r12, [sp, #116]",
        "pkhbt r6, r6, r12",
        "cmp r8, r0",
        "bne 50b",
        // The last row, if it is not whole.
        "58:",
        "ldrd lr, r11, [sp, #108]",
        "add r8, r8, r11",
        "ldr pc, [sp, #48]",
        "59:",
        "ldr lr, [sp, #108]",
        "ldr pc, [sp, #48]",
        "53:",
        "ldrd r0, r11, [sp, #20]",
        "cmp r0, r11",
        "bne 2b",
        "add sp, sp, #52",
        "pop {{r4-r11, pc}}",
        // A row without its first row of taps: what that adds, and pairs of the second row and the third.
        "6:",
        "ldr r12, [sp, #124]",
        "smlabb r7, r2, r12, r7",
        "smlabb r7, r3, r12, r7",
        "smlabb r7, r4, r12, r7",
        "lsrs r2, r2, #16",
        "pkhbt r2, r2, r5, lsl #16",
        "pkhtb r3, r5, r3, asr #16",
        "lsrs r4, r4, #16",
        "pkhbt r4, r4, r6, lsl #16",
        "add r8, r8, r9",
        "mov r6, lr",
        "ldr pc, [sp, #104]",
        // One without its last.
        "60:",
        without_last!(),
        "ldr pc, [sp, #96]",
        // By one column.
        "64:",
        "ldr r5, [sp, #132]",
        "sub r5, r5, r9",
        "b 65f",
        "62:",
        "ldr r5, [sp, #132]",
        "65:",
        "smlad r0, r2, r12, r7",
        two_rows!(),
        "smlad r0, r11, r3, r0",
        "smlad r1, r11, r2, r7",
        next!(),
        "63:",
        two_rows!(),
        "smlad lr, r11, r4, r0",
        "smlad r0, r11, r3, r1",
        "smlad r1, r11, r2, r7",
        requantize!(),
        "strb lr, [r8, r5]",
        next!(),
        "subs r6, r6, #0x10000",
        "bpl 63b",
        last_pixel!(rows: 2),
        "strb lr, [r8, r5]",
        "ldr pc, [sp, #40]",
        // By two columns.
        "81:",
        "smlad r0, r2, r12, r7",
        "b 82f",
        "80:",
        without_last!(),
        "84:",
        two_rows!(),
        "smlad r0, r11, r2, r7",
        next!(),
        "82:",
        two_rows!(),
        "smlad r0, r11, r3, r0",
        next!(),
        two_rows!(),
        "smlad lr, r11, r4, r0",
        "smlad r0, r11, r2, r7",
        next!(),
        requantize!(),
        "add r1, r1, r10",
        "strb lr, [r1]",
        "subs r6, r6, #0x10000",
        "bpl 82b",
        "ldr pc, [sp, #100]",
        "83:",
        two_rows!(),
        "smlad r0, r11, r3, r0",
        last_pixel!(rows: 2),
        "add r1, r1, r10",
        "strb lr, [r1]",
        "85:",
        "ldr pc, [sp, #40]",
        // After the first row, unless it was the last.
        "68:",
        "tst r6, #1",
        "bne 53b",
        again!(),
        turn!(),
        "ldr pc, [sp, #44]",
        "69:",
        "tst r6, #1",
        "bne 53b",
        again!(),
        "ldr pc, [sp, #44]",
        // A whole row by two columns.
        "74:",
        first!(),
        "b 75f",
        "71:",
        "ldr r0, [sp, #28]",
        "75:",
        "sub r1, r1, r10",
        "b 76f",
        "72:",
        "ldr r0, [sp, #28]",
        "b 79f",
        "73:",
        first!(),
        "79:",
        two_columns!(),
        "strb lr, [r1, r10]",
        "76:",
        two_columns!(),
        "add r1, r1, r10, lsl #1",
        "strb lr, [r1]",
        "subs r6, r6, #0x10000",
        "bpl 79b",
        "ldr pc, [sp, #92]",
        "77:",
        three_rows!(),
        middle_column!("r0"),
        last_pixel!(rows: 3),
        "add r1, r1, r10",
        "strb lr, [r1]",
        "70:",
        "ldr lr, [sp]",
        "cmp r1, lr",
        "beq 58b",
        "ldrd r11, r12, [sp, #112]",
        "add r8, r8, r11",
        "pkhbt r6, r6, r12",
        "ldr pc, [sp, #88]",
        ABOVE = const ABOVE,
        LACKS = const ABOVE | BELOW,
        BELOW = const BELOW,
        FIRST = const FIRST,
        LAST = const LAST,
        STRIDE = const STRIDE,
        BACKWARD = const BACKWARD,
        WHOLE = const WHOLE,
        ODD = const ODD,
        FROM_LAST = const FROM_LAST,
        SHIFT = const SHIFT,
    )
}
