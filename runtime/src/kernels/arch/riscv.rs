//! RISC-V with 32 bits and multiplication.
//!
//! One element by four channels takes 13 instructions, and 6 a turn of 16 elements.

use crate::kernels::Elements;
use core::arch::naked_asm;

/// Adds to each sum the products of the elements of `x` with those of its filter; `false` if they are not in memory
/// side by side or a filter is shorter, and nothing is done.
#[inline(always)]
pub(in crate::kernels) fn dot_i8(sums: &mut [i32; 4], x: impl Elements<i8>, filters: [&[i8]; 4]) -> bool {
    let Some(x) = x.memory() else { return false };
    // One by one, so that they stay in registers at every level of optimisation.
    let [w0, w1, w2, w3] = filters;
    let fits = w0.len() >= x.bytes && w1.len() >= x.bytes && w2.len() >= x.bytes && w3.len() >= x.bytes;
    if fits {
        // SAFETY: it reads as many elements of `x` and of each filter.
        unsafe { dot_four(x.start, x.bytes, w0.as_ptr(), w1.as_ptr(), w2.as_ptr(), w3.as_ptr(), sums) };
    }
    fits
}

/// The products of the elements at those places with four filters.
macro_rules! elements {
    ($places:literal) => {
        concat!(
            ".irp at, ",
            $places,
            "
            lb t5, \\at(a0)
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
        concat!(".irp pointer, a0, a2, a3, a4, a5\naddi \\pointer, \\pointer, ", $by, "\n.endr")
    };
}

/// # Safety
/// `x` and the filters have `len` elements.
#[unsafe(naked)]
unsafe extern "C" fn dot_four(
    x: *const u8,
    len: usize,
    w0: *const i8,
    w1: *const i8,
    w2: *const i8,
    w3: *const i8,
    sums: *mut [i32; 4],
) {
    naked_asm!(
        // The assembler of functions without a frame does not know the target's.
        ".option push",
        ".option arch, +m",
        "lw t0, 0(a6)",
        "lw t1, 4(a6)",
        "lw t2, 8(a6)",
        "lw t3, 12(a6)",
        // The end, and that of turns of 16 and of 4.
        "andi t4, a1, 15",
        "andi a7, a1, 3",
        "add a1, a0, a1",
        "sub t4, a1, t4",
        "sub a7, a1, a7",
        "beq a0, t4, 2f",
        "1:",
        elements!("0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15"),
        advance!("16"),
        "bne a0, t4, 1b",
        "2:",
        "beq a0, a7, 4f",
        "3:",
        elements!("0, 1, 2, 3"),
        advance!("4"),
        "bne a0, a7, 3b",
        "4:",
        "beq a0, a1, 6f",
        "5:",
        elements!("0"),
        advance!("1"),
        "bne a0, a1, 5b",
        "6:",
        "sw t0, 0(a6)",
        "sw t1, 4(a6)",
        "sw t2, 8(a6)",
        "sw t3, 12(a6)",
        "ret",
        ".option pop",
    )
}
