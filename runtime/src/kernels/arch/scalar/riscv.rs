//! RISC-V with 32 bits and multiplication.
//!
//! One element by four channels takes 13 instructions, and 6 a turn of 16 elements; a tap of four channels takes 20, a
//! result 25.

use super::{Dot, Filter};
use core::arch::naked_asm;

/// Keeps the caller's registers.
macro_rules! enter {
    () => {
        // The assembler of functions without a frame does not know the target's.
        ".option push
         .option arch, +m
         addi sp, sp, -16
         sw s0, 0(sp)
         sw s1, 4(sp)
         sw s2, 8(sp)
         lw s0, 20(a0)
         lw s1, 28(a0)
         lw s2, 36(a0)"
    };
}

/// Loads the sums of `a0`.
macro_rules! sums {
    () => {
        "lw t0, 0(a0)
         lw t1, 4(a0)
         lw t2, 8(a0)
         lw t3, 12(a0)"
    };
}

/// Stores the sums if no results are wanted, else the results of four channels; back to `again` for the next.
macro_rules! finish {
    ($again:literal) => {
        concat!(
            "lw t4, 56(a0)
             beqz t4, 98f
             lw a1, 16(a0)
             lw a2, 24(a0)
             lw a3, 32(a0)
             lw a4, 52(a0)
             lw a5, 40(a0)
             lw a6, 44(a0)
             lw a7, 48(a0)
             .irp lane, 0, 1, 2, 3
             lw t4, 0(a1)
             add a1, a1, s0
             add t\\lane, t\\lane, t4
             lw t5, 0(a2)
             add a2, a2, s1
             lb t6, 0(a3)
             add a3, a3, s2
             bltz t6, 91f
             sll t\\lane, t\\lane, t6
             91:
             mulh t4, t\\lane, t5
             mul t5, t\\lane, t5
             srli t5, t5, 30
             addi t5, t5, 1
             srli t5, t5, 1
             slli t4, t4, 1
             add t4, t4, t5
             bgez t6, 92f
             srai t5, t\\lane, 31
             add t4, t4, t5
             not t6, t6
             sra t4, t4, t6
             addi t4, t4, 1
             srai t4, t4, 1
             92:
             add t4, t4, a5
             bge t4, a6, 93f
             mv t4, a6
             93:
             ble t4, a7, 94f
             mv t4, a7
             94:
             sb t4, \\lane(a4)
             .endr
             addi a4, a4, 4
             sw a1, 16(a0)
             sw a2, 24(a0)
             sw a3, 32(a0)
             sw a4, 52(a0)
             lw t4, 56(a0)
             addi t4, t4, -1
             sw t4, 56(a0)
             bnez t4, ",
            $again,
            "
             j 99f
             98:
             sw t0, 0(a0)
             sw t1, 4(a0)
             sw t2, 8(a0)
             sw t3, 12(a0)
             99:
             lw s0, 0(sp)
             lw s1, 4(sp)
             lw s2, 8(sp)
             addi sp, sp, 16
             ret
             .option pop"
        )
    };
}

/// The products of the elements at those places with four filters.
macro_rules! elements {
    ($places:literal) => {
        concat!(
            ".irp at, ",
            $places,
            "
            lb t5, \\at(a1)
            lb t6, \\at(a2)
            mul t6, t5, t6
            add t0, t0, t6
            lb t6, \\at(a3)
            mul t6, t5, t6
            add t1, t1, t6
            lb t6, \\at(a4)
            mul t6, t5, t6
            add t2, t2, t6
            lb t6, \\at(a5)
            mul t6, t5, t6
            add t3, t3, t6
            .endr"
        )
    };
}

/// To the elements so many further.
macro_rules! advance {
    ($by:literal) => {
        concat!(".irp pointer, a1, a2, a3, a4, a5\naddi \\pointer, \\pointer, ", $by, "\n.endr")
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
        "lw a1, 60(a0)",
        "lw a6, 68(a0)",
        "lw t6, 84(a0)",
        "lw a2, 76(a0)",
        "add a3, a2, t6",
        "add a4, a3, t6",
        "add a5, a4, t6",
        "add t6, a5, t6",
        "sw t6, 76(a0)",
        "beqz a6, 78f",
        "71:",
        // The end of the row, and where less than a turn is left.
        "lw t4, 64(a0)",
        "add t4, t4, a1",
        "addi a7, t4, -15",
        "bgeu a1, a7, 73f",
        "72:",
        elements!("0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15"),
        advance!("16"),
        "bltu a1, a7, 72b",
        "73:",
        "addi a7, t4, -3",
        "bgeu a1, a7, 75f",
        "74:",
        elements!("0, 1, 2, 3"),
        advance!("4"),
        "bltu a1, a7, 74b",
        "75:",
        "beq a1, t4, 77f",
        "76:",
        elements!("0"),
        advance!("1"),
        "bne a1, t4, 76b",
        "77:",
        "addi a6, a6, -1",
        "beqz a6, 78f",
        "lw t5, 72(a0)",
        "lw t6, 80(a0)",
        "lw a7, 88(a0)",
        "add a1, a1, t5",
        "add a2, a2, t6",
        "add a3, a3, t6",
        "add a4, a4, t6",
        "add a5, a5, t6",
        "bne a6, a7, 71b",
        "lw t5, 92(a0)",
        "sub a1, a1, t5",
        "j 71b",
        "78:",
        finish!("70b"),
    )
}

/// To the next tap, at `again`, if the row has more.
macro_rules! next_tap {
    ($again:literal) => {
        concat!("add a1, a1, a3\nadd a2, a2, a4\naddi a5, a5, -1\nbnez a5, ", $again)
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
        "lw t4, 100(a0)",
        "lw a1, 60(a0)",
        "add t5, a1, t4",
        "sw t5, 60(a0)",
        "lw a2, 80(a0)",
        "addi t5, a2, 4",
        "sw t5, 80(a0)",
        "lw a3, 64(a0)",
        "lw a4, 84(a0)",
        "lw a6, 76(a0)",
        "beqz a6, 73f",
        "71:",
        "lw a5, 68(a0)",
        "beqz t4, 74f",
        "72:",
        ".irp lane, 0, 1, 2, 3
         lb t5, \\lane(a1)
         lb t6, \\lane(a2)
         mul t6, t5, t6
         add t\\lane, t\\lane, t6
         .endr",
        next_tap!("72b"),
        "j 75f",
        // The same element for all four.
        "74:",
        "lb t5, 0(a1)",
        ".irp lane, 0, 1, 2, 3
         lb t6, \\lane(a2)
         mul t6, t5, t6
         add t\\lane, t\\lane, t6
         .endr",
        next_tap!("74b"),
        "75:",
        "addi a6, a6, -1",
        "beqz a6, 73f",
        "lw t5, 72(a0)",
        "lw t6, 88(a0)",
        "add a1, a1, t5",
        "add a2, a2, t6",
        "lw t5, 92(a0)",
        "bne a6, t5, 71b",
        "lw t5, 96(a0)",
        "sub a1, a1, t5",
        "j 71b",
        "73:",
        finish!("70b"),
    )
}

/// Adds to the sums the products of `zero_point` with the weights of each filter.
///
/// # Safety
/// The filters have as many weights as [`Dot`] says; it reads no elements.
#[unsafe(naked)]
pub(super) unsafe extern "C" fn outside(dot: &mut Dot, zero_point: i32) {
    naked_asm!(
        ".option push",
        ".option arch, +m",
        "lw a6, 68(a0)",
        "lw a2, 76(a0)",
        "lw t6, 84(a0)",
        "add a3, a2, t6",
        "add a4, a3, t6",
        "add a5, a4, t6",
        "li t0, 0",
        "li t1, 0",
        "li t2, 0",
        "li t3, 0",
        "1:",
        "lw t4, 64(a0)",
        "add t4, t4, a2",
        "2:",
        "lb t5, 0(a2)",
        "add t0, t0, t5",
        "lb t5, 0(a3)",
        "add t1, t1, t5",
        "lb t5, 0(a4)",
        "add t2, t2, t5",
        "lb t5, 0(a5)",
        "add t3, t3, t5",
        "addi a2, a2, 1",
        "addi a3, a3, 1",
        "addi a4, a4, 1",
        "addi a5, a5, 1",
        "bne a2, t4, 2b",
        "lw t6, 80(a0)",
        "add a2, a2, t6",
        "add a3, a3, t6",
        "add a4, a4, t6",
        "add a5, a5, t6",
        "addi a6, a6, -1",
        "bnez a6, 1b",
        ".irp lane, 0, 1, 2, 3
         mul t\\lane, t\\lane, a1
         lw t5, 4 * \\lane(a0)
         add t5, t5, t\\lane
         sw t5, 4 * \\lane(a0)
         .endr",
        "ret",
        ".option pop",
    )
}
