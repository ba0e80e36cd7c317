//! RISC-V with 32 bits and multiplication.
//!
//! One element by four channels takes 13 instructions, and 6 a turn of eight elements.

use crate::kernels::Elements;
use core::arch::naked_asm;

/// Adds to each sum the products of the elements of `x` with those of its filter; `false` if they are not in memory
/// side by side or a filter is shorter, and nothing is done.
#[inline(always)]
pub(in crate::kernels) fn dot_i8(sums: &mut [i32; 4], x: impl Elements<i8>, filters: [&[i8]; 4]) -> bool {
    let Some(x) = x.memory() else { return false };
    let fits = filters.iter().all(|filter| filter.len() >= x.bytes);
    if fits {
        let filters = filters.map(<[i8]>::as_ptr);
        // SAFETY: it reads as many elements of `x` and of each filter.
        unsafe { dot_four(x.start, x.bytes, &raw const filters, sums) };
    }
    fits
}

/// The products of an element with four filters.
macro_rules! element {
    ($at:literal) => {
        concat!(
            "lb t5, ",
            $at,
            "(a0)\n",
            "lb t6, ",
            $at,
            "(t0)\n",
            "mul t6, t5, t6\n",
            "add a4, a4, t6\n",
            "lb t6, ",
            $at,
            "(t1)\n",
            "mul t6, t5, t6\n",
            "add a5, a5, t6\n",
            "lb t6, ",
            $at,
            "(t2)\n",
            "mul t6, t5, t6\n",
            "add a6, a6, t6\n",
            "lb t6, ",
            $at,
            "(t3)\n",
            "mul t6, t5, t6\n",
            "add a7, a7, t6\n",
        )
    };
}

/// To the elements `$by` further.
macro_rules! advance {
    ($by:literal) => {
        concat!(
            "addi a0, a0, ",
            $by,
            "\n",
            "addi t0, t0, ",
            $by,
            "\n",
            "addi t1, t1, ",
            $by,
            "\n",
            "addi t2, t2, ",
            $by,
            "\n",
            "addi t3, t3, ",
            $by,
            "\n",
        )
    };
}

/// # Safety
/// `x` and the filters have `len` elements.
#[unsafe(naked)]
unsafe extern "C" fn dot_four(x: *const u8, len: usize, filters: *const [*const i8; 4], sums: *mut [i32; 4]) {
    naked_asm!(
        // The assembler of functions without a frame does not know the target's.
        ".option push",
        ".option arch, +m",
        "lw t0, 0(a2)",
        "lw t1, 4(a2)",
        "lw t2, 8(a2)",
        "lw t3, 12(a2)",
        "lw a4, 0(a3)",
        "lw a5, 4(a3)",
        "lw a6, 8(a3)",
        "lw a7, 12(a3)",
        // The end, and that of whole turns.
        "add a1, a0, a1",
        "addi t4, a1, -7",
        "bgeu a0, t4, 2f",
        "1:",
        element!("0"),
        element!("1"),
        element!("2"),
        element!("3"),
        element!("4"),
        element!("5"),
        element!("6"),
        element!("7"),
        advance!("8"),
        "bltu a0, t4, 1b",
        "2:",
        "bgeu a0, a1, 4f",
        "3:",
        element!("0"),
        advance!("1"),
        "bltu a0, a1, 3b",
        "4:",
        "sw a4, 0(a3)",
        "sw a5, 4(a3)",
        "sw a6, 8(a3)",
        "sw a7, 12(a3)",
        "ret",
        ".option pop",
    )
}
