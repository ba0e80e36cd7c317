//! Weighted sums of two tensors.

use super::super::window::pairwise;
use crate::kernels::add_weighted::AddWeightedI8;
use crate::kernels::{Elements, Sink};
use core::arch::naked_asm;

/// As [`add`](super::super::portable::add) of the portable machine.
#[inline(always)]
pub(in crate::kernels) fn add(
    p: &AddWeightedI8,
    a: impl Elements<i8>,
    b: impl Elements<i8>,
    y: impl Sink<i8>,
    to: usize,
) {
    let Some(([a, b], y)) = pairwise(a, b, y, to).filter(|([a, _], _)| a.bytes > 0) else { return };
    let task = Task {
        a: a.start,
        b: b.start,
        y,
        count: a.bytes,
        weights: p.weights,
        offset: p.offset,
        bounds: [p.min, p.max],
    };
    // SAFETY: it reads as many bytes of `a` and `b` as it writes of `y`, in their windows.
    unsafe { add_pairs(&raw const task) };
}

/// What the assembly is given, in its order.
#[repr(C)]
struct Task {
    a: *const u8,
    b: *const u8,
    y: *mut u8,
    count: usize,
    weights: [i32; 2],
    offset: i32,
    bounds: [i32; 2],
}

/// Four elements in 12 instructions.
///
/// # Safety
/// What the task's pointers name is readable and writable as [`add`] says.
#[unsafe(naked)]
unsafe extern "C" fn add_pairs(task: *const Task) {
    naked_asm!(
        processor!(),
        "push {{r4-r8, lr}}",
        "ldm r0, {{r0-r8}}",
        "vdup.32 q2, r7",
        "vdup.32 q3, r8",
        "dlstp.32 lr, r3",
        "1:",
        "vldrb.s32 q0, [r0], #4",
        "vshl.i32 q0, q0, #23",
        "vdup.32 q1, r6",
        // The upper half of the doubled product is added.
        "vqdmlah.s32 q1, q0, r4",
        "vldrb.s32 q0, [r1], #4",
        "vshl.i32 q0, q0, #23",
        "vqdmlah.s32 q1, q0, r5",
        "vshr.s32 q0, q1, #20",
        "vmax.s32 q0, q0, q2",
        "vmin.s32 q0, q0, q3",
        "vstrb.32 q0, [r2], #4",
        "letp lr, 1b",
        "pop {{r4-r8, pc}}",
    )
}
