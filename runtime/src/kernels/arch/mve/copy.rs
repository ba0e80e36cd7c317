//! Bytes from here to there.

use super::super::{Apart, Copies};
use crate::kernels::{Elements, Sink};
use core::arch::naked_asm;
use core::ops::Range;

/// As [`copy`](super::super::portable::copy) of the portable machine.
#[inline(always)]
pub(in crate::kernels) fn copy(
    x: impl Elements<i8>,
    runs: Copies,
    to: impl Sink<i8>,
    at: usize,
    pitch: usize,
    apart: Apart,
) {
    let (Some(x), Some(to)) = (x.memory(), to.memory_mut()) else { return };
    let Copies { from, step, len, count } = runs;
    if runs.fit(x.bytes, to.bytes, at, pitch, apart) {
        let (from, to) = (x.start.wrapping_add(from), to.start.wrapping_add(at));
        // SAFETY: all runs lie in the windows.
        unsafe { copy_runs(from, to, len, step, pitch, count, apart.step, apart.pitch, apart.count) };
    }
}

/// # Safety
/// `count` runs of `len` bytes, at least one, are readable at `x`, `x + step` and so on, and writable at `to`,
/// `to + pitch` and so on; and as many again `next_x` and `next_to` further, `times`, at least once.
#[unsafe(naked)]
#[allow(clippy::too_many_arguments, reason = "a structure would lie on the stack")]
unsafe extern "C" fn copy_runs(
    x: *const u8,
    to: *mut u8,
    len: usize,
    step: usize,
    pitch: usize,
    count: usize,
    next_x: usize,
    next_to: usize,
    times: usize,
) {
    naked_asm!(
        processor!(),
        "push {{r4-r10, lr}}",
        "ldrd r4, r5, [sp, #32]",
        "ldr r10, [sp, #48]",
        "1:",
        "mov r8, r0",
        "mov r9, r1",
        "2:",
        "mov r6, r8",
        "mov r7, r9",
        "wlstp.8 lr, r2, 4f",
        "3:",
        "vldrb.u8 q0, [r6], #16",
        "vstrb.8 q0, [r7], #16",
        "letp lr, 3b",
        "4:",
        "add r8, r8, r3",
        "add r9, r9, r4",
        "subs r5, r5, #1",
        "bne 2b",
        "ldrd r5, r6, [sp, #36]",
        "ldr r7, [sp, #44]",
        "add r0, r0, r6",
        "add r1, r1, r7",
        "subs r10, r10, #1",
        "bne 1b",
        "pop {{r4-r10, pc}}",
    )
}

/// As [`fill_bytes`](super::super::portable::fill_bytes) of the portable machine.
#[inline(always)]
pub(in crate::kernels) fn fill_bytes(to: impl Sink<i8>, range: Range<usize>, value: i8) {
    let Some(to) = to.memory_mut() else { return };
    if range.start <= range.end && range.end <= to.bytes {
        // SAFETY: the range lies in the window.
        unsafe { store_bytes(to.start.wrapping_add(range.start), range.end - range.start, value.into()) };
    }
}

/// # Safety
/// `len` bytes are writable at `to`.
#[unsafe(naked)]
unsafe extern "C" fn store_bytes(to: *mut u8, len: usize, value: i32) {
    naked_asm!(
        processor!(),
        "push {{r4, lr}}",
        "vdup.8 q0, r2",
        "wlstp.8 lr, r1, 2f",
        "1:",
        "vstrb.8 q0, [r0], #16",
        "letp lr, 1b",
        "2:",
        "pop {{r4, pc}}",
    )
}
