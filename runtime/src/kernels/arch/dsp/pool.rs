//! The largest and the mean of windows.

use super::super::pool::{Pooled, pooled};
use crate::kernels::windows::Windows;
use crate::kernels::{Elements, Sink};
use core::arch::naked_asm;

pooled!(max_i8, i8, largest_i8);
pooled!(max_u8, u8, largest_u8);
pooled!(mean_i8, i8, means_i8);
pooled!(mean_u8, u8, means_u8);

/// So many channels of a window: what is done for a column, which is at the offset r4 from r1, and from r3 four bytes
/// further.
macro_rules! window {
    ($width:literal, $($column:tt)*) => {
        concat!(
            "ldr r1, [r0]
             ldr r2, [r0, #8]
             add r3, r1, #", $width, "
             str r3, [r0]
             2:
             add r3, r1, #4
             mov r4, r7
             3:
             ", $($column)*, "
             subs r4, r4, r5
             bpl 3b
             add r1, r1, r6
             subs r2, r2, #1
             bne 2b
             ldr r2, [r0, #12]
             cbz r2, 4f
             rsbs r3, r2, #0
             str r3, [r0, #12]
             bpl 4f
             ldr r3, [r0, #16]
             add r1, r1, r3
             b 2b
             4:"
        )
    };
}

/// On to the next pixel, if there is one.
macro_rules! next {
    () => {
        "ldrd r1, r2, [r0]
         add r1, r1, r2
         str r1, [r0]
         ldrd r1, r2, [r0, #32]
         add lr, lr, r2
         subs r1, r1, #1
         str r1, [r0, #32]"
    };
}

/// The function for bytes that `$subtract` compares and `$load` loads.
macro_rules! largest {
    ($name:ident, $subtract:literal, $load:literal) => {
        /// # Safety
        /// What the task names is readable and writable; there are pixels, channels, rows and columns.
        #[unsafe(naked)]
        unsafe extern "C" fn $name(task: *mut Pooled) {
            naked_asm!(
                processor!(),
                "push {{r0, r4-r11, lr}}",
                "add r1, r0, #40",
                "ldm r1, {{r5-r7, lr}}",
                "sub r7, r7, #1",
                "mul r7, r7, r5",
                "1:",
                "ldr r12, [r0, #20]",
                "subs r12, r12, #8",
                "blt 6f",
                // Eight channels.
                "5:",
                "ldr r10, [r0, #24]",
                "mov r11, r10",
                window!(
                    "8",
                    "ldr r8, [r1, r4]\n",
                    $subtract,
                    " r9, r8, r10\n",
                    "sel r10, r8, r10\n",
                    "ldr r8, [r3, r4]\n",
                    $subtract,
                    " r9, r8, r11\n",
                    "sel r11, r8, r11"
                ),
                "ldr r8, [r0, #28]",
                concat!($subtract, " r9, r8, r10"),
                "sel r10, r10, r8",
                concat!($subtract, " r9, r8, r11"),
                "sel r11, r11, r8",
                "str r10, [lr], #4",
                "str r11, [lr], #4",
                "subs r12, r12, #8",
                "bge 5b",
                "6:",
                "adds r12, r12, #4",
                "blt 7f",
                // Four.
                "sub r12, r12, #4",
                "ldr r10, [r0, #24]",
                window!("4", "ldr r8, [r1, r4]\n", $subtract, " r9, r8, r10\n", "sel r10, r8, r10"),
                "ldr r8, [r0, #28]",
                concat!($subtract, " r9, r8, r10"),
                "sel r10, r10, r8",
                "str r10, [lr], #4",
                "7:",
                "adds r12, r12, #4",
                "beq 9f",
                // Up to three, one by one.
                "8:",
                concat!($load, " r10, [r0, #24]"),
                window!("1", $load, " r8, [r1, r4]\n", "cmp r8, r10\n", "it gt\n", "movgt r10, r8"),
                concat!($load, " r8, [r0, #28]"),
                "cmp r10, r8",
                "it gt",
                "movgt r10, r8",
                "strb r10, [lr], #1",
                "subs r12, r12, #1",
                "bne 8b",
                "9:",
                next!(),
                "bne 1b",
                "pop {{r0, r4-r11, pc}}",
            )
        }
    };
}

largest!(largest_i8, "ssub8", "ldrsb");
largest!(largest_u8, "usub8", "ldrb");

/// What this register makes of a sum, divided by r2, whose half is in r3: halves away from zero.
macro_rules! mean {
    ($sum:literal) => {
        concat!(
            "cmp ",
            $sum,
            ", #0
             ite gt
             addgt ",
            $sum,
            ", ",
            $sum,
            ", r3
             suble ",
            $sum,
            ", ",
            $sum,
            ", r3
             sdiv ",
            $sum,
            ", ",
            $sum,
            ", r2"
        )
    };
}

/// The function for bytes that `$load` loads, of which `$add` adds two, whose sums of 16 bits `$low` and `$high` widen
/// and whose bytes `$subtract` compares.
macro_rules! means {
    ($name:ident, $load:literal, $add:literal, $low:literal, $high:literal, $subtract:literal) => {
        /// # Safety
        /// As for [`largest_i8`].
        #[unsafe(naked)]
        unsafe extern "C" fn $name(task: *mut Pooled) {
            naked_asm!(
                processor!(),
                "push {{r0, r4-r11, lr}}",
                "add r1, r0, #40",
                "ldm r1, {{r5-r7, lr}}",
                "sub r7, r7, #1",
                "mul r7, r7, r5",
                "1:",
                "ldr r4, [r0, #20]",
                "ldr r1, [r0, #64]",
                "cmp r1, #0",
                "beq 8f",
                "5:",
                "subs r4, r4, #8",
                "blt 6f",
                // Eight channels, two words.
                "movs r1, #2",
                "strd r1, r4, [r0, #68]",
                "mov r8, #0",
                "mov r9, #0",
                "mov r10, #0",
                "mov r11, #0",
                window!(
                    "8",
                    "ldr r12, [r1, r4]\n",
                    $add,
                    " r8, r8, r12\n",
                    $add,
                    " r9, r9, r12, ror #8\n",
                    "ldr r12, [r3, r4]\n",
                    $add,
                    " r10, r10, r12\n",
                    $add,
                    " r11, r11, r12, ror #8"
                ),
                "b 10f",
                "6:",
                "adds r4, r4, #4",
                "blt 7f",
                // Four, one word.
                "movs r1, #1",
                "strd r1, r4, [r0, #68]",
                "mov r8, #0",
                "mov r9, #0",
                window!("4", "ldr r12, [r1, r4]\n", $add, " r8, r8, r12\n", $add, " r9, r9, r12, ror #8"),
                // The word of the sums 0 and 2 in r8, 1 and 3 in r9.
                "10:",
                "ldrd r2, r3, [r0, #56]",
                concat!($low, " r1, r8"),
                mean!("r1"),
                concat!($low, " r12, r9"),
                mean!("r12"),
                "bfi r1, r12, #8, #8",
                concat!($high, " r8, r8, #16"),
                mean!("r8"),
                "bfi r1, r8, #16, #8",
                concat!($high, " r9, r9, #16"),
                mean!("r9"),
                "bfi r1, r9, #24, #8",
                "ldrd r2, r3, [r0, #24]",
                concat!($subtract, " r8, r1, r2"),
                "sel r1, r1, r2",
                concat!($subtract, " r8, r1, r3"),
                "sel r1, r3, r1",
                "str r1, [lr], #4",
                "mov r8, r10",
                "mov r9, r11",
                "ldrd r1, r4, [r0, #68]",
                "subs r1, r1, #1",
                "str r1, [r0, #68]",
                "bne 10b",
                "b 5b",
                "7:",
                "adds r4, r4, #4",
                "beq 9f",
                // One by one.
                "8:",
                "str r4, [r0, #72]",
                "mov r8, #0",
                window!("1", $load, " r12, [r1, r4]\n", "add r8, r8, r12"),
                "ldrd r2, r3, [r0, #56]",
                mean!("r8"),
                concat!($load, " r2, [r0, #24]"),
                concat!($load, " r3, [r0, #28]"),
                "cmp r8, r2",
                "it lt",
                "movlt r8, r2",
                "cmp r8, r3",
                "it gt",
                "movgt r8, r3",
                "strb r8, [lr], #1",
                "ldr r4, [r0, #72]",
                "subs r4, r4, #1",
                "bne 8b",
                "9:",
                next!(),
                "bne 1b",
                "pop {{r0, r4-r11, pc}}",
            )
        }
    };
}

means!(means_i8, "ldrsb", "sxtab16", "sxth", "asr", "ssub8");
means!(means_u8, "ldrb", "uxtab16", "uxth", "lsr", "usub8");
