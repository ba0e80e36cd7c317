//! Windows widened into columns.

use super::words;
use crate::kernels::{Elements, Sink};
use core::arch::naked_asm;

/// As [`widen`](super::super::portable::widen) of the portable machine.
#[inline(always)]
pub(in crate::kernels) fn widen(x: impl Elements<i8>, columns: impl Sink<i32>, at: usize, step: usize) {
    let (Some(x), Some(to)) = (x.memory(), words(columns)) else { return };
    let last = at + pairs(x.bytes).saturating_sub(1) * step;
    if x.bytes > 0 && last < to.bytes / 4 {
        // SAFETY: it reads the bytes of `x` and writes every `step`-th word of `to`, which is aligned, from `at` to
        // `last`.
        unsafe { widen_run(x.start, to.start.add(4 * at), x.bytes, 4 * step) };
    }
}

/// As [`widen_pair`](super::super::portable::widen_pair) of the portable machine.
#[inline(always)]
pub(in crate::kernels) fn widen_pair(x: [impl Elements<i8>; 2], columns: impl Sink<i32>, at: usize) {
    let [a, b] = x;
    let (Some(a), Some(b), Some(to)) = (a.memory(), b.memory(), words(columns)) else { return };
    if a.bytes == b.bytes && at + 2 * pairs(a.bytes) <= to.bytes / 4 {
        // SAFETY: it reads as many bytes of `a` and `b` and writes two words for each of their pairs to `to`, which is
        // aligned, from word `at` on.
        unsafe { widen_runs(a.start, b.start, to.start.add(4 * at), a.bytes) };
    }
}

/// Pairs that a run takes.
fn pairs(len: usize) -> usize {
    len / 4 * 2 + (len % 4).div_ceil(2)
}

/// `to[0]`, `to[step]`, .. = the pairs of `len` bytes at `x`; `step` in bytes.
///
/// # Safety
/// `x` is readable, `to` aligned and writable.
#[unsafe(naked)]
unsafe extern "C" fn widen_run(x: *const u8, to: *mut u8, len: usize, step: usize) {
    naked_asm!(
        "push {{r4, lr}}",
        "subs r2, r2, #4",
        "blt 2f",
        "1:",
        "ldr r4, [r0], #4",
        "sxtb16 r12, r4",
        "sxtb16 r4, r4, ror #8",
        "str r12, [r1]",
        "str r4, [r1, r3]",
        "add r1, r1, r3, lsl #1",
        "subs r2, r2, #4",
        "bge 1b",
        "2:",
        "adds r2, r2, #4",
        "beq 4f",
        "cmp r2, #2",
        "ldrsb r4, [r0]",
        "blt 3f",
        "ldrsb r12, [r0, #1]",
        "beq 5f",
        "str r12, [r1, r3]",
        "ldrsb r12, [r0, #2]",
        "5:",
        "pkhbt r4, r4, r12, lsl #16",
        "3:",
        "str r4, [r1]",
        "4:",
        "pop {{r4, pc}}",
    )
}

/// `to[0]`, `to[2]`, .. = the pairs of `len` bytes at `a`, and between them those of `b`.
///
/// # Safety
/// `a` and `b` are readable, `to` aligned and writable.
#[unsafe(naked)]
unsafe extern "C" fn widen_runs(a: *const u8, b: *const u8, to: *mut u8, len: usize) {
    naked_asm!(
        "push {{r4-r8, lr}}",
        "subs r3, r3, #8",
        "blt 2f",
        "1:",
        "ldr r4, [r0], #4",
        "ldr r5, [r1], #4",
        "ldr r8, [r0], #4",
        "ldr r12, [r1], #4",
        "sxtb16 r6, r4",
        "sxtb16 r7, r5",
        "strd r6, r7, [r2], #8",
        "sxtb16 r4, r4, ror #8",
        "sxtb16 r5, r5, ror #8",
        "strd r4, r5, [r2], #8",
        "sxtb16 r6, r8",
        "sxtb16 r7, r12",
        "strd r6, r7, [r2], #8",
        "sxtb16 r4, r8, ror #8",
        "sxtb16 r5, r12, ror #8",
        "strd r4, r5, [r2], #8",
        "subs r3, r3, #8",
        "bge 1b",
        "2:",
        "adds r3, r3, #4",
        "blt 3f",
        "ldr r4, [r0], #4",
        "ldr r5, [r1], #4",
        "sxtb16 r6, r4",
        "sxtb16 r7, r5",
        "strd r6, r7, [r2], #8",
        "sxtb16 r4, r4, ror #8",
        "sxtb16 r5, r5, ror #8",
        "strd r4, r5, [r2], #8",
        "subs r3, r3, #4",
        "3:",
        "adds r3, r3, #4",
        "beq 4f",
        "cmp r3, #2",
        "ldrsb r4, [r0]",
        "ldrsb r5, [r1]",
        "blt 5f",
        "ldrsb r6, [r0, #1]",
        "ldrsb r7, [r1, #1]",
        "beq 6f",
        "ldrsb r8, [r0, #2]",
        "ldrsb r12, [r1, #2]",
        "pkhbt r4, r4, r8, lsl #16",
        "pkhbt r5, r5, r12, lsl #16",
        "strd r6, r7, [r2, #8]",
        "b 5f",
        "6:",
        "pkhbt r4, r4, r6, lsl #16",
        "pkhbt r5, r5, r7, lsl #16",
        "5:",
        "strd r4, r5, [r2]",
        "4:",
        "pop {{r4-r8, pc}}",
    )
}
