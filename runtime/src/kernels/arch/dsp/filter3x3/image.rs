//! All rows of an image in one call, where its rows lie one behind the other and results saturate at the zero point.
//!
//! Rows of the result of which the first or the last row of taps lies outside the image have a loop of their own for
//! the other two.

use super::{ABOVE, BACKWARD, BELOW, FIRST, LAST, STRIDE};
use core::arch::naked_asm;

/// Besides the flags of rows that are alike: there are rows with all their taps.
pub(super) const WHOLE: usize = 256;
/// The pixels that have a last column in the image are odd.
pub(super) const ODD: usize = 512;
/// What the last row lacks stands so many bits above what the first does.
pub(super) const FROM_LAST: usize = 10;

/// From the sum in lr, taken twice or more, to a result: a negative sum saturates however it is rounded.
macro_rules! requantize {
    () => {
        "ldrd r11, r12, [sp]
         smmlar lr, lr, r11, r12
         asr lr, lr, r6
         ssat lr, #8, lr, asr #1"
    };
}

/// A column of two rows of taps, so many bytes from r8, in r11.
macro_rules! two_rows {
    ($first:literal, $second:literal) => {
        concat!("ldrsb r11, [r8, ", $first, "]\nldrsb r12, [r8, ", $second, "]\npkhbt r11, r11, r12, lsl #16")
    };
}

/// To the next column, or back, by the register of the step.
macro_rules! next {
    () => {
        "add r8, r8, r10"
    };
}

/// A column of three rows of taps.
macro_rules! three_rows {
    () => {
        column!("r9, lsl #1")
    };
}

/// The last pixel of a row, whose last column lies outside the image: its sum without that is in r0.
macro_rules! last_pixel {
    () => {
        concat!("ldr r12, [sp, #20]\nadd lr, r0, r12\n", requantize!())
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
            last_column!(),
            first_column!("r0"),
            next!(),
            requantize!()
        )
    };
}

/// All channels of all rows. `x` is the first column that is read of the first row of taps of the first row of results,
/// inside the image or not; `row` bytes further lies that of the next row of taps. A column is `step` bytes from the
/// next. Rows of results follow each other; `y` is their first pixel. `zero` is the zero point in both halves. `flags`
/// are those of rows that are alike, [`ABOVE`] and [`BELOW`] for the first row and, [`FROM_LAST`] bits up, for the
/// last.
///
/// By one column, rows of the image follow each other too: `line` bytes from one to the next, the first ends at `end`,
/// and that of the last whole row of results at one `line` before `rows`; a result lies `more` bytes from the column
/// behind the one that finishes it. By two columns, `y` is the pixel before the first; `more` are the bytes from there
/// to the one behind the last that has a last column in the image; `line` is how far the next row lies from the column
/// behind the last that is read; and `rows` is the last pixel of the whole rows. `y`, `x`, `end` and `rows` are one
/// less.
///
/// # Safety
/// All columns that are read lie in the image and all results in their window; `packed` holds all channels. A row has
/// two pixels at least and lacks one row of taps at most.
#[allow(clippy::too_many_arguments, reason = "they lie as the assembly needs them")]
#[unsafe(naked)]
pub(super) unsafe extern "C" fn filter_image(
    packed: *const i32,
    y: *mut u8,
    x: *const u8,
    end: usize,
    rows: usize,
    line: usize,
    channels: usize,
    zero: u32,
    flags: usize,
    row: usize,
    more: usize,
    step: usize,
) {
    naked_asm!(
        processor!(),
        "push {{r0-r3}}",
        "push {{r4-r11, lr}}",
        "sub sp, sp, #28",
        // 0: multiplier and offset, 8: end of the row, 12: row, 16: sum before the first column and what the column
        // behind the last adds, 24: the first row is done, 64: packed, 68: y, 72: x, 76: end, 80: rows, 84: line, 88:
        // channels, 92: zero points, 96: flags, 100: where a row by two columns starts, 104: more, 108: step.
        "ldrd r10, r9, [sp, #96]",
        "adr.w r11, 71f",
        "adr.w r12, 72f",
        "tst r10, #{FIRST}",
        "itt eq",
        "adreq.w r11, 73f",
        "adreq.w r12, 74f",
        "tst r10, #{ODD}",
        "it ne",
        "movne r11, r12",
        "orr r11, r11, #1",
        "str r11, [sp, #100]",
        "str r9, [sp, #12]",
        "2:",
        "add r0, sp, #68",
        "ldmia r0, {{r1, r8, r11, r12}}",
        "adds r1, r1, #1",
        "add r8, r8, #1",
        "add r11, r11, #1",
        "add r12, r12, #1",
        "stmia r0, {{r1, r8, r11, r12}}",
        "str r11, [sp, #8]",
        "ldr lr, [sp, #64]",
        "ldmia lr!, {{r2-r7, r11}}",
        "str lr, [sp, #64]",
        "mvn r12, #254",
        "lsl r12, r12, r6",
        "strd r11, r12, [sp]",
        "movs r0, #0",
        "3:",
        "str r0, [sp, #24]",
        "ldrd r12, r10, [sp, #92]",
        "tst r10, #{BACKWARD}",
        "beq 4f",
        "lsr r11, r6, #16",
        "pkhbt r6, r6, r5, lsl #16",
        "pkhbt r5, r11, r5",
        "mov r11, r2",
        "mov r2, r4",
        "mov r4, r11",
        "4:",
        "cmp r0, #0",
        "bne 5f",
        "tst r10, #{LACKS}",
        "bne 6f",
        "5:",
        "tst r10, #{WHOLE}",
        "beq 50f",
        "smlad r0, r2, r12, r7",
        "smlabb r0, r5, r12, r0",
        "smuad r11, r4, r12",
        "smlatb r11, r6, r12, r11",
        "strd r0, r11, [sp, #16]",
        "tst r10, #{STRIDE}",
        "bne 7f",
        // Whole rows, by one column.
        "ldr r10, [sp, #8]",
        "51:",
        "ldr r0, [sp, #16]",
        three_rows!(),
        middle_column!("r0"),
        first_column!("r1"),
        "ldr lr, [sp, #108]",
        "add r8, r8, lr",
        "52:",
        three_rows!(),
        last_column!(),
        middle_column!("r1"),
        first_column!("r1"),
        requantize!(),
        "ldrd r11, r12, [sp, #104]",
        "strb lr, [r8, r11]",
        "add r8, r8, r12",
        "cmp r8, r10",
        "bne 52b",
        last_pixel!(),
        "ldr r11, [sp, #104]",
        "strb lr, [r8, r11]",
        "ldrd r12, r11, [sp, #80]",
        "add r10, r10, r11",
        "cmp r10, r12",
        "bne 51b",
        "str r10, [sp, #8]",
        // The last row.
        "50:",
        "ldrd r12, r10, [sp, #92]",
        "lsrs r10, r10, #{FROM_LAST}",
        "bne 6f",
        // The next channel.
        "53:",
        "ldr r0, [sp, #88]",
        "subs r0, r0, #1",
        "str r0, [sp, #88]",
        "bne 2b",
        "add sp, sp, #28",
        "pop {{r4-r11, lr}}",
        "add sp, sp, #16",
        "bx lr",
        // A row without its first or its last row of taps: what that adds.
        "6:",
        "tst r10, #{ABOVE}",
        "beq 60f",
        "uxth r11, r12",
        "smlad r7, r2, r11, r7",
        "smlad r7, r3, r11, r7",
        "smlad r7, r4, r11, r7",
        // Pairs of the second row and the third, which lie r9 and r5 bytes farther.
        "lsr r2, r2, #16",
        "pkhbt r2, r2, r5, lsl #16",
        "pkhtb r3, r5, r3, asr #16",
        "pkhtb r4, r6, r4, asr #16",
        "lsl r5, r9, #1",
        "b 61f",
        "60:",
        "smlad r7, r5, r12, r7",
        "smlatb r7, r6, r12, r7",
        "mov r5, r9",
        "movs r9, #0",
        "61:",
        "ldr r10, [sp, #96]",
        "smuad r11, r4, r12",
        "str r11, [sp, #20]",
        "smlad r0, r2, r12, r7",
        "tst r10, #{STRIDE}",
        "bne 8f",
        // By one column.
        "ldr r10, [sp, #8]",
        two_rows!("r9", "r5"),
        "smlad r0, r11, r3, r0",
        "smlad r1, r11, r2, r7",
        "ldr lr, [sp, #108]",
        "add r8, r8, lr",
        "62:",
        two_rows!("r9", "r5"),
        "smlad lr, r11, r4, r0",
        "smlad r0, r11, r3, r1",
        "smlad r1, r11, r2, r7",
        requantize!(),
        "ldrd r11, r12, [sp, #104]",
        "strb lr, [r8, r11]",
        "add r8, r8, r12",
        "cmp r8, r10",
        "bne 62b",
        last_pixel!(),
        "ldr r11, [sp, #104]",
        "strb lr, [r8, r11]",
        "ldr r11, [sp, #84]",
        "add r10, r10, r11",
        "str r10, [sp, #8]",
        "63:",
        "ldr r9, [sp, #12]",
        "ldr r0, [sp, #24]",
        "cmp r0, #0",
        "bne 53b",
        "ldr r10, [sp, #96]",
        "tst r10, #{LACKS}",
        "beq 53b",
        // The others need the weights again.
        "ldr lr, [sp, #64]",
        "sub lr, lr, #28",
        "ldmia lr, {{r2-r7}}",
        "movs r0, #1",
        "str r0, [sp, #24]",
        "ldrd r12, r10, [sp, #92]",
        "tst r10, #{BACKWARD}",
        "beq 5b",
        "b 3b",
        // Whole rows, by two columns: where they start.
        "7:",
        "ldr r10, [sp, #108]",
        "70:",
        "ldrd r12, r11, [sp, #100]",
        "add r11, r11, r1",
        "str r11, [sp, #8]",
        "bx r12",
        "71:",
        "ldr r0, [sp, #16]",
        "add r1, r1, r10",
        "b 75f",
        "72:",
        "ldr r0, [sp, #16]",
        "b 76f",
        "74:",
        three_rows!(),
        first_column!("r0"),
        next!(),
        "b 76f",
        "73:",
        three_rows!(),
        first_column!("r0"),
        next!(),
        "add r1, r1, r10",
        "75:",
        two_columns!(),
        "strb lr, [r1]",
        "76:",
        two_columns!(),
        "strb lr, [r1, r10]",
        "add r1, r1, r10, lsl #1",
        "ldr r12, [sp, #8]",
        "cmp r1, r12",
        "bne 75b",
        "ldr r12, [sp, #96]",
        "tst r12, #{LAST}",
        "beq 78f",
        three_rows!(),
        middle_column!("r0"),
        last_pixel!(),
        "strb lr, [r1]",
        "77:",
        "ldrd r12, r11, [sp, #80]",
        "add r8, r8, r11",
        "cmp r1, r12",
        "bne 70b",
        "b 50b",
        "78:",
        "sub r1, r1, r10",
        "b 77b",
        // A row by two columns, from its first row of taps in the image on.
        "8:",
        "str r9, [sp, #8]",
        "add r8, r8, r9",
        "sub r9, r5, r9",
        "ldr r5, [sp, #104]",
        "add r5, r5, r1",
        "tst r10, #{FIRST}",
        "ldr r10, [sp, #108]",
        "add r1, r1, r10",
        "bne 81f",
        two_rows!("#0", "r9"),
        "smlad r0, r11, r2, r7",
        next!(),
        "81:",
        two_rows!("#0", "r9"),
        "smlad r0, r11, r3, r0",
        next!(),
        two_rows!("#0", "r9"),
        "smlad lr, r11, r4, r0",
        "smlad r0, r11, r2, r7",
        next!(),
        requantize!(),
        "strb lr, [r1]",
        "add r1, r1, r10",
        "cmp r1, r5",
        "bne 81b",
        "ldr r12, [sp, #96]",
        "tst r12, #{LAST}",
        "beq 83f",
        two_rows!("#0", "r9"),
        "smlad r0, r11, r3, r0",
        last_pixel!(),
        "strb lr, [r1]",
        "82:",
        "ldr r5, [sp, #8]",
        "ldr r11, [sp, #84]",
        "add r8, r8, r11",
        "sub r8, r8, r5",
        "b 63b",
        "83:",
        "sub r1, r1, r10",
        "b 82b",
        ABOVE = const ABOVE,
        LACKS = const ABOVE | BELOW,
        FIRST = const FIRST,
        LAST = const LAST,
        STRIDE = const STRIDE,
        BACKWARD = const BACKWARD,
        WHOLE = const WHOLE,
        ODD = const ODD,
        FROM_LAST = const FROM_LAST,
    )
}
