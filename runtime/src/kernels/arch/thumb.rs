//! ARMv6-M: Cortex-M0 and M0+.
//!
//! One element by four channels takes 14 instructions: the window and the filters are reached from their ends by one
//! register, sums are in upper registers, which only additions and moves reach.

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
        let filters = [w0.as_ptr(), w1.as_ptr(), w2.as_ptr(), w3.as_ptr()];
        // SAFETY: it reads as many elements of `x` and of each filter.
        unsafe { dot_four(x.start, x.bytes, &raw const filters, sums) };
    }
    fits
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
/// `x` and the filters have `len` elements.
#[unsafe(naked)]
unsafe extern "C" fn dot_four(x: *const u8, len: usize, filters: *const [*const i8; 4], sums: *mut [i32; 4]) {
    naked_asm!(
        "push {{r4-r7, lr}}",
        "mov r4, r8",
        "mov r5, r9",
        "mov r6, r10",
        "mov r7, r11",
        "push {{r3-r7}}",
        "ldmia r3!, {{r4-r7}}",
        "mov r8, r4",
        "mov r9, r5",
        "mov r10, r6",
        "mov r11, r7",
        "mov r6, r2",
        "ldmia r6!, {{r2-r5}}",
        "adds r0, r0, r1",
        "adds r2, r2, r1",
        "adds r3, r3, r1",
        "adds r4, r4, r1",
        "adds r5, r5, r1",
        "rsbs r1, r1, #0",
        "beq 3f",
        // Until four at a time are left.
        "1:",
        "lsls r7, r1, #30",
        "beq 2f",
        element!(),
        "bne 1b",
        "b 3f",
        "2:",
        element!(),
        element!(),
        element!(),
        element!(),
        "bne 2b",
        "3:",
        "mov r4, r8",
        "mov r5, r9",
        "mov r6, r10",
        "mov r7, r11",
        "pop {{r3}}",
        "stmia r3!, {{r4-r7}}",
        "pop {{r4-r7}}",
        "mov r8, r4",
        "mov r9, r5",
        "mov r10, r6",
        "mov r11, r7",
        "pop {{r4-r7, pc}}",
    )
}
