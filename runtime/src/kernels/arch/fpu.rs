//! The floating-point unit of Cortex-M4F, M7 and M33.
//!
//! `vmla.f32` rounds the product and then the sum there, as the portable kernels do. Four elements by four channels
//! take 23 instructions and about 45 cycles (`vldm` 1 + N, `vmla` 1 with its operands at hand, a taken branch 3).

use super::window::Memory;
use crate::kernels::Elements;
use core::arch::naked_asm;

/// Adds to each sum the products of the elements of `x` with those of its filter, in order; `false` if they are not in
/// memory side by side or a filter is shorter, and nothing is done.
#[inline(always)]
pub(in crate::kernels) fn dot(sums: &mut [f32; 4], x: impl Elements<f32>, filters: [&[f32]; 4]) -> bool {
    let Some(x) = x.memory() else { return false };
    let filters = filters.map(Memory::of);
    let fits = x.start.cast::<f32>().is_aligned() && filters.iter().all(|filter| filter.bytes >= x.bytes);
    if fits {
        let filters = filters.map(|filter| filter.start.cast());
        // SAFETY: it reads as many aligned elements of `x` and of each filter.
        unsafe { dot_four(x.start.cast(), x.bytes / size_of::<f32>(), &raw const filters, sums) };
    }
    fits
}

/// # Safety
/// `x` and the filters have `len` elements.
#[unsafe(naked)]
unsafe extern "C" fn dot_four(x: *const f32, len: usize, filters: *const [*const f32; 4], sums: *mut [f32; 4]) {
    naked_asm!(
        // The assembler of functions without a frame does not know the target's.
        ".fpu fpv4-sp-d16",
        "push {{r4-r6, lr}}",
        "vpush {{s16-s23}}",
        "ldmia r2, {{r4, r5, r6, lr}}",
        "vldmia r3, {{s0-s3}}",
        "subs r1, r1, #4",
        "blt 2f",
        "1:",
        "vldmia r0!, {{s4-s7}}",
        "vldmia r4!, {{s8-s11}}",
        "vldmia r5!, {{s12-s15}}",
        "vldmia r6!, {{s16-s19}}",
        "vldmia lr!, {{s20-s23}}",
        "vmla.f32 s0, s4, s8",
        "vmla.f32 s1, s4, s12",
        "vmla.f32 s2, s4, s16",
        "vmla.f32 s3, s4, s20",
        "vmla.f32 s0, s5, s9",
        "vmla.f32 s1, s5, s13",
        "vmla.f32 s2, s5, s17",
        "vmla.f32 s3, s5, s21",
        "vmla.f32 s0, s6, s10",
        "vmla.f32 s1, s6, s14",
        "vmla.f32 s2, s6, s18",
        "vmla.f32 s3, s6, s22",
        "vmla.f32 s0, s7, s11",
        "vmla.f32 s1, s7, s15",
        "vmla.f32 s2, s7, s19",
        "vmla.f32 s3, s7, s23",
        "subs r1, r1, #4",
        "bge 1b",
        "2:",
        "adds r1, r1, #4",
        "beq 4f",
        "3:",
        "vldmia r0!, {{s4}}",
        "vldmia r4!, {{s8}}",
        "vldmia r5!, {{s12}}",
        "vldmia r6!, {{s16}}",
        "vldmia lr!, {{s20}}",
        "vmla.f32 s0, s4, s8",
        "vmla.f32 s1, s4, s12",
        "vmla.f32 s2, s4, s16",
        "vmla.f32 s3, s4, s20",
        "subs r1, r1, #1",
        "bne 3b",
        "4:",
        "vstmia r3, {{s0-s3}}",
        "vpop {{s16-s23}}",
        "pop {{r4-r6, pc}}",
    )
}
