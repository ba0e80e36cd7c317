//! Products of two tensors.

use super::super::window::pairwise;
use crate::kernels::{Elements, MulInt, Sink};
use core::arch::naked_asm;

/// Products of the pairs of `a` and `b`, of one length, from element `to` of `y` on. They are shifted by 1 to 20 bits
/// to the right.
#[inline(always)]
pub(in crate::kernels) fn mul(p: &MulInt, a: impl Elements<i8>, b: impl Elements<i8>, y: impl Sink<i8>, to: usize) {
    let Some(([a, b], y)) = pairwise(a, b, y, to).filter(|([a, _], _)| a.bytes > 0) else { return };
    let task = Task {
        a: a.start,
        b: b.start,
        y,
        count: a.bytes,
        arg_zero_points: p.arg_zero_points,
        multiplier: p.multiplier,
        shift: p.shift,
        zero_point: p.zero_point,
        bounds: [p.min, p.max],
    };
    // SAFETY: it reads as many bytes of `a` and `b` as it writes of `y`, in their windows.
    unsafe { multiply_pairs(&raw const task) };
}

/// What the assembly is given, in its order.
#[repr(C)]
struct Task {
    a: *const u8,
    b: *const u8,
    y: *mut u8,
    count: usize,
    arg_zero_points: [i32; 2],
    multiplier: i32,
    shift: i32,
    zero_point: i32,
    bounds: [i32; 2],
}

/// Four elements in 14 instructions.
///
/// # Safety
/// What the task's pointers name is readable and writable as [`mul`] says.
#[unsafe(naked)]
unsafe extern "C" fn multiply_pairs(task: *const Task) {
    naked_asm!(
        processor!(),
        "push {{r4-r8, lr}}",
        "ldrd r1, r2, [r0, #36]",
        "vdup.32 q2, r1",
        "vdup.32 q3, r2",
        "ldm r0, {{r0-r8}}",
        "dlstp.32 lr, r3",
        "1:",
        "vldrb.s32 q0, [r0], #4",
        "vsub.i32 q0, q0, r4",
        "vldrb.s32 q1, [r1], #4",
        "vsub.i32 q1, q1, r5",
        "vmul.i32 q0, q0, q1",
        "vshr.s32 q1, q0, #31",
        "vqrdmulh.s32 q0, q0, r6",
        "vadd.i32 q0, q0, q1",
        "vrshl.s32 q0, r7",
        "vadd.i32 q0, q0, r8",
        "vmax.s32 q0, q0, q2",
        "vmin.s32 q0, q0, q3",
        "vstrb.32 q0, [r2], #4",
        "letp lr, 1b",
        "pop {{r4-r8, pc}}",
    )
}
