//! Sums of two tensors.

use crate::kernels::add_table::AddTableI8;
use crate::kernels::{Elements, Sink};
use core::arch::naked_asm;

/// As [`add`](super::super::portable::add) of the portable machine.
#[inline(always)]
pub(in crate::kernels) fn add(
    p: &AddTableI8<'_>,
    a: impl Elements<i8>,
    b: impl Elements<i8>,
    y: impl Sink<i8>,
    to: usize,
) {
    let (Some(a), Some(b), Some(y)) = (a.memory(), b.memory(), y.memory_mut()) else { return };
    let fits = a.bytes == b.bytes && to + a.bytes <= y.bytes && p.table.len() == 256;
    if !fits || a.bytes == 0 {
        return;
    }
    let task = Task {
        a: a.start,
        b: b.start,
        y: y.start.wrapping_add(to),
        count: a.bytes,
        table: p.table.as_ptr(),
        multiplier: p.multiplier,
        shift: 0u32.wrapping_sub(p.shift),
        zero_point: p.zero_point,
        bounds: [p.min, p.max],
    };
    // SAFETY: it reads as many bytes of `a` and `b` as it writes of `y`, in their windows, and any of 256 in the table.
    unsafe { add_pairs(&raw const task) };
}

/// What the assembly is given, in its order.
#[repr(C)]
struct Task {
    a: *const u8,
    b: *const u8,
    y: *mut u8,
    count: usize,
    table: *const i32,
    multiplier: i32,
    /// Negative: to the right.
    shift: u32,
    zero_point: i32,
    bounds: [i32; 2],
}

/// Four elements in 14 instructions.
///
/// # Safety
/// What the task's pointers name is readable and writable as [`add`] says.
#[unsafe(naked)]
unsafe extern "C" fn add_pairs(task: *const Task) {
    naked_asm!(
        processor!(),
        "push {{r4-r9, lr}}",
        "ldrd r8, r9, [r0, #32]",
        "ldm r0, {{r0-r7}}",
        "vdup.32 q2, r8",
        "vdup.32 q3, r9",
        "dlstp.32 lr, r3",
        "1:",
        "vldrb.u32 q0, [r1], #4",
        "vldrw.u32 q1, [r4, q0, uxtw #2]",
        "vldrb.s32 q0, [r0], #4",
        "vshl.i32 q0, q0, #19",
        "vadd.i32 q0, q0, q1",
        "vshr.s32 q1, q0, #31",
        "vqrdmulh.s32 q0, q0, r5",
        "vadd.i32 q0, q0, q1",
        "vrshl.s32 q0, r6",
        "vadd.i32 q0, q0, r7",
        "vmax.s32 q0, q0, q2",
        "vmin.s32 q0, q0, q3",
        "vstrb.32 q0, [r2], #4",
        "letp lr, 1b",
        "pop {{r4-r9, pc}}",
    )
}
