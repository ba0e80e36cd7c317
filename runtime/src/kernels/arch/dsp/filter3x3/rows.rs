//! Rows that have their taps alike, wherever they lie.

use crate::kernels::packed::PackedI8;
use core::arch::naked_asm;
use core::mem::offset_of;

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
            lines!(
                column!(),
                last_column!("smlabt"),
                middle_column!("r1"),
                first_column!("r1"),
                $requantize!(),
                store!()
            ),
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
            lines!(column!(), last_column!("smlabt"), first_column!("r0"), $requantize!(), store!()),
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
/// `third` bytes further; a column is `step` bytes from the next, a row `row_step`. A result lies `delta` bytes from
/// the column behind the one that finishes it; `more_row` and `more` are how much farther rows and pixels of the result
/// lie apart than those of the image. Columns are read up to `end` bytes from the first.
///
/// # Safety
/// All columns that are read and all results lie in their windows, and the weights of all channels in `packed`.
#[allow(clippy::too_many_arguments, reason = "they lie as the assembly needs them")]
#[unsafe(naked)]
pub(super) unsafe extern "C" fn filter_rows(
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
        // behind the last adds, 28: row, 32: rows left, 36: delta of the row, 40: `2 * zero point + 1`, 44: zero
        // points, 48: bounds, 56: channels left, 100: packed, 104: p, then the loop, 108: from, 112: delta, 116: count,
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
        "ror r6, r6, #16",
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
        last_column!("smlabt"),
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
