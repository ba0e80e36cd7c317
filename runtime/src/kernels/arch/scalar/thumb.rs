//! ARMv6-M: Cortex-M0 and M0+.
//!
//! One element by four channels takes 14 instructions: the window and the filters are reached from the ends of a row by
//! one register, sums are in upper registers, which only additions and moves reach. A tap of four channels takes 21, a
//! result about 42.

use super::{Dot, Filter};
use core::arch::naked_asm;

/// Keeps the caller's registers and `r0`.
macro_rules! enter {
    () => {
        "push {{r4-r7, lr}}
         mov r4, r8
         mov r5, r9
         mov r6, r10
         mov r7, r11
         push {{r0, r4-r7}}"
    };
}

/// Restores what [`enter`] keeps, and returns.
macro_rules! leave {
    () => {
        "pop {{r0, r4-r7}}
         mov r8, r4
         mov r9, r5
         mov r10, r6
         mov r11, r7
         pop {{r4-r7, pc}}"
    };
}

/// Loads the sums of what `r0` was into upper registers, and where it goes on into `r7`.
macro_rules! sums {
    () => {
        "ldr r7, [sp]
         ldmia r7!, {{r0-r3}}
         mov r8, r0
         mov r9, r1
         mov r10, r2
         mov r11, r3"
    };
}

/// Stores the sums if no results are wanted, else the results of four channels; back to `again` for the next.
macro_rules! finish {
    ($again:literal) => {
        concat!(
            "ldr r7, [sp]
             ldr r0, [r7, #56]
             cmp r0, #0
             beq 81f
             bl {scale}
             beq 82f
             b ",
            $again,
            "
             81:
             mov r0, r8
             mov r1, r9
             mov r2, r10
             mov r3, r11
             stmia r7!, {{r0-r3}}
             82:\n",
            leave!(),
        )
    };
}

/// The products of element `r1`, from the ends on, with four filters.
macro_rules! element {
    () => {
        "ldrsb r6, [r0, r1]
         ldrsb r7, [r2, r1]
         muls r7, r6, r7
         add r8, r7
         ldrsb r7, [r3, r1]
         muls r7, r6, r7
         add r9, r7
         ldrsb r7, [r4, r1]
         muls r7, r6, r7
         add r10, r7
         ldrsb r7, [r5, r1]
         muls r7, r6, r7
         add r11, r7
         adds r1, r1, #1"
    };
}

/// # Safety
/// As [`Dot`] says.
#[unsafe(naked)]
pub(super) unsafe extern "C" fn dot(dot: &mut Dot) {
    naked_asm!(
        enter!(),
        "70:",
        sums!(),
        "ldr r0, [r7, #52]",
        "cmp r0, #0",
        "beq 74f",
        "mov r12, r7",
        "mov lr, r0",
        "ldr r6, [r7, #68]",
        "ldr r2, [r7, #60]",
        "adds r3, r2, r6",
        "adds r4, r3, r6",
        "adds r5, r4, r6",
        "adds r6, r5, r6",
        "str r6, [r7, #60]",
        "ldr r0, [r7, #44]",
        "ldr r1, [r7, #48]",
        "adds r0, r0, r1",
        "adds r2, r2, r1",
        "adds r3, r3, r1",
        "adds r4, r4, r1",
        "adds r5, r5, r1",
        "rsbs r1, r1, #0",
        // Until four at a time are left.
        "71:",
        "lsls r7, r1, #30",
        "beq 72f",
        element!(),
        "bne 71b",
        "b 73f",
        "72:",
        element!(),
        element!(),
        element!(),
        element!(),
        "bne 72b",
        "73:",
        "mov r7, lr",
        "subs r7, r7, #1",
        "beq 74f",
        "mov lr, r7",
        "mov r6, r12",
        "ldr r1, [r6, #72]",
        "cmp r7, r1",
        "bne 75f",
        "ldr r1, [r6, #76]",
        "subs r0, r0, r1",
        "75:",
        "mov r7, r12",
        "ldr r1, [r7, #48]",
        "ldr r6, [r7, #56]",
        "ldr r7, [r7, #64]",
        "adds r6, r6, r1",
        "adds r7, r7, r1",
        "adds r0, r0, r6",
        "adds r2, r2, r7",
        "adds r3, r3, r7",
        "adds r4, r4, r7",
        "adds r5, r5, r7",
        "rsbs r1, r1, #0",
        "b 71b",
        "74:",
        finish!("70b"),
        scale = sym scale,
    )
}

/// The products of lane `index` of a pixel.
macro_rules! lane {
    ($index:literal, $sum:literal) => {
        concat!(
            "ldrsb r6, [r0, ",
            $index,
            "]
             ldrsb r7, [r1, ",
            $index,
            "]
             muls r7, r6, r7
             add ",
            $sum,
            ", r7"
        )
    };
}

/// The products of element `r6` and the weight of a lane.
macro_rules! shared {
    ($index:literal, $sum:literal) => {
        concat!("ldrsb r7, [r1, ", $index, "]\nmuls r7, r6, r7\nadd ", $sum, ", r7")
    };
}

/// To the next tap, at `again`, if the row has more.
macro_rules! next_tap {
    ($again:literal) => {
        concat!(
            "add r0, r12
             ldr r6, [sp]
             ldr r7, [sp, #4]
             adds r1, r1, r6
             cmp r1, r7
             bne ",
            $again
        )
    };
}

/// # Safety
/// As [`Filter`] says.
#[unsafe(naked)]
pub(super) unsafe extern "C" fn filter(filter: &mut Filter) {
    naked_asm!(
        enter!(),
        "70:",
        sums!(),
        "ldr r6, [r7, #60]",
        "cmp r6, #0",
        "beq 73f",
        "ldr r0, [r7, #48]",
        "mov r12, r0",
        "ldr r0, [r7, #44]",
        "ldr r2, [r7, #84]",
        "adds r2, r0, r2",
        "str r2, [r7, #44]",
        "ldr r1, [r7, #64]",
        "adds r2, r1, #4",
        "str r2, [r7, #64]",
        // How many rows are left.
        "mov lr, r6",
        "movs r2, #0",
        "movs r3, #1",
        "movs r4, #2",
        "movs r5, #3",
        "71:",
        // What is added to `r1`, and where a row of weights ends.
        "ldr r7, [sp]",
        "ldr r6, [r7, #84]",
        "ldr r7, [r7, #68]",
        "muls r7, r6, r7",
        "adds r7, r7, r1",
        "push {{r6, r7}}",
        "ldr r7, [sp, #8]",
        "ldr r6, [r7, #100]",
        "cmp r6, #0",
        "beq 75f",
        "72:",
        lane!("r2", "r8"),
        lane!("r3", "r9"),
        lane!("r4", "r10"),
        lane!("r5", "r11"),
        next_tap!("72b"),
        "b 76f",
        // The same element for all four.
        "75:",
        "ldrsb r6, [r0, r2]",
        shared!("r2", "r8"),
        shared!("r3", "r9"),
        shared!("r4", "r10"),
        shared!("r5", "r11"),
        next_tap!("75b"),
        "76:",
        "add sp, #8",
        "mov r6, lr",
        "subs r6, r6, #1",
        "beq 73f",
        "mov lr, r6",
        "ldr r7, [sp]",
        "ldr r7, [r7, #92]",
        "cmp r6, r7",
        "ldr r7, [sp]",
        "bne 74f",
        "ldr r6, [r7, #96]",
        "subs r0, r0, r6",
        "74:",
        "ldr r6, [r7, #72]",
        "adds r0, r0, r6",
        "ldr r6, [r7, #88]",
        "adds r1, r1, r6",
        "b 71b",
        "73:",
        finish!("70b"),
        scale = sym scale,
    )
}

/// The result of a lane.
macro_rules! result {
    ($sum:literal, $lane:literal) => {
        concat!(
            "mov r0, ",
            $sum,
            "
             ldr r1, [r4]
             add r4, r12
             adds r0, r0, r1
             ldr r1, [r5]
             add r5, lr
             movs r3, #0
             ldrsb r3, [r6, r3]
             ldr r2, [r7, #36]
             adds r6, r6, r2
             cmp r3, #0
             blt 91f
             lsls r0, r3
             91:
             sxth r2, r0
             cmp r2, r0
             beq 92f
             push {{r3, r4, r5}}
             asrs r2, r0, #16
             uxth r3, r0
             asrs r4, r1, #16
             uxth r1, r1
             mov r5, r3
             muls r5, r1, r5
             lsrs r5, r5, #16
             muls r3, r4, r3
             adds r3, r3, r5
             muls r1, r2, r1
             uxth r5, r3
             adds r1, r1, r5
             muls r2, r4, r2
             asrs r3, r3, #16
             adds r2, r2, r3
             lsls r2, r2, #1
             asrs r1, r1, #14
             adds r1, r1, #1
             asrs r1, r1, #1
             adds r2, r2, r1
             pop {{r3, r4, r5}}
             b 93f
             92:
             asrs r2, r1, #16
             muls r2, r0, r2
             uxth r1, r1
             muls r1, r0, r1
             asrs r1, r1, #16
             adds r2, r2, r1
             asrs r2, r2, #14
             adds r2, r2, #1
             asrs r2, r2, #1
             93:
             mvns r3, r3
             bmi 94f
             asrs r1, r0, #31
             adds r2, r2, r1
             asrs r2, r3
             adds r2, r2, #1
             asrs r2, r2, #1
             94:
             ldr r1, [r7, #40]
             adds r2, r2, r1
             ldr r1, [r7, #44]
             cmp r2, r1
             bge 95f
             mov r2, r1
             95:
             ldr r1, [r7, #48]
             cmp r2, r1
             ble 96f
             mov r2, r1
             96:
             ldr r1, [r7, #52]
             strb r2, [r1, #",
            $lane,
            "]"
        )
    };
}

/// Stores the results of the sums `r8` to `r11` by the scale of `r7`, and counts them; equal behind the last.
///
/// # Safety
/// `r7` is a `Dot` or `Filter` whose scale has four channels.
#[unsafe(naked)]
unsafe extern "C" fn scale() {
    naked_asm!(
        "push {{lr}}",
        "ldr r0, [r7, #20]",
        "mov r12, r0",
        "ldr r0, [r7, #28]",
        "mov lr, r0",
        "ldr r4, [r7, #16]",
        "ldr r5, [r7, #24]",
        "ldr r6, [r7, #32]",
        result!("r8", "0"),
        result!("r9", "1"),
        result!("r10", "2"),
        result!("r11", "3"),
        "str r4, [r7, #16]",
        "str r5, [r7, #24]",
        "str r6, [r7, #32]",
        "ldr r0, [r7, #52]",
        "adds r0, r0, #4",
        "str r0, [r7, #52]",
        "ldr r0, [r7, #56]",
        "subs r0, r0, #1",
        "str r0, [r7, #56]",
        "pop {{pc}}",
    )
}

/// Adds to the sums the products of `zero_point` with the weights of each filter.
///
/// # Safety
/// The filters have as many weights as [`Dot`] says; it reads no elements.
#[unsafe(naked)]
pub(super) unsafe extern "C" fn outside(dot: &mut Dot, zero_point: i32) {
    naked_asm!(
        enter!(),
        "mov r12, r1",
        "movs r1, #0",
        "mov r8, r1",
        "mov r9, r1",
        "mov r10, r1",
        "mov r11, r1",
        "mov r7, r0",
        "adds r7, r7, #64",
        "ldr r1, [r7, #4]",
        "mov lr, r1",
        "ldr r2, [r7, #12]",
        "ldr r6, [r7, #20]",
        "adds r3, r2, r6",
        "adds r4, r3, r6",
        "adds r5, r4, r6",
        "71:",
        "ldr r1, [r7]",
        "adds r2, r2, r1",
        "adds r3, r3, r1",
        "adds r4, r4, r1",
        "adds r5, r5, r1",
        "rsbs r1, r1, #0",
        "72:",
        "ldrsb r6, [r2, r1]",
        "add r8, r6",
        "ldrsb r6, [r3, r1]",
        "add r9, r6",
        "ldrsb r6, [r4, r1]",
        "add r10, r6",
        "ldrsb r6, [r5, r1]",
        "add r11, r6",
        "adds r1, r1, #1",
        "bne 72b",
        "ldr r6, [r7, #16]",
        "adds r2, r2, r6",
        "adds r3, r3, r6",
        "adds r4, r4, r6",
        "adds r5, r5, r6",
        "mov r6, lr",
        "subs r6, r6, #1",
        "mov lr, r6",
        "bne 71b",
        "mov r1, r12",
        "mov r4, r8",
        "mov r5, r9",
        "mov r6, r10",
        "mov r7, r11",
        "muls r4, r1, r4",
        "muls r5, r1, r5",
        "muls r6, r1, r6",
        "muls r7, r1, r7",
        "ldr r1, [r0]",
        "adds r4, r4, r1",
        "ldr r1, [r0, #4]",
        "adds r5, r5, r1",
        "ldr r1, [r0, #8]",
        "adds r6, r6, r1",
        "ldr r1, [r0, #12]",
        "adds r7, r7, r1",
        "stmia r0!, {{r4-r7}}",
        leave!(),
    )
}
