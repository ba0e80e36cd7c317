//! A row times weights as they lie.

use super::super::window::{Memory, MemoryMut};
use crate::kernels::{DenseI8, Elements, Requantize, Sink, Units, WeightsI8};
use core::arch::naked_asm;

/// As the portable kernel; `false` if the windows do not lie in memory side by side, and nothing is done.
#[inline(always)]
pub(in crate::kernels) fn dense_i8(p: &DenseI8<'_>, x: impl Elements<i8>, y: impl Sink<i8>, units: Units) -> bool {
    let Some(y) = y.memory_mut().filter(|_| x.memory().is_some()) else { return false };
    let shape = &p.shape;
    for unit in units {
        let from = shape.from.start(unit);
        if let Some(x) = x.part(from..from.wrapping_add(shape.inputs)).memory() {
            row(&p.layer, x, y, shape.to.start(unit), shape.outputs);
        }
    }
    true
}

/// The results of a row, up to four of which are written after all of it has been read.
#[inline(never)]
fn row(p: &WeightsI8<'_>, x: Memory<'_>, y: MemoryMut<'_>, to: usize, outputs: usize) {
    let Requantize { multipliers, shifts, zero_point, min, max } = p.result;
    let (bias, multiplier, shift);
    let mut task = Task {
        inputs: x.bytes,
        weights: p.weights.as_ptr(),
        outputs,
        x: x.start,
        y: y.start.wrapping_add(to),
        zero_point,
        bounds: [min, max],
        bias: p.bias.as_ptr(),
        bias_step: 16,
        multipliers: multipliers.as_ptr(),
        multiplier_step: 16,
        shifts: shifts.as_ptr(),
        shift_step: 4,
    };
    // One for all.
    if p.bias.is_empty() {
        bias = [0; 4];
        (task.bias, task.bias_step) = (bias.as_ptr(), 0);
    }
    if let (&[first], &[first_shift]) = (multipliers, shifts) {
        (multiplier, shift) = ([first, first, first, first], [first_shift, first_shift, first_shift, first_shift]);
        (task.multipliers, task.multiplier_step) = (multiplier.as_ptr(), 0);
        (task.shifts, task.shift_step) = (shift.as_ptr(), 0);
    }
    let fits = x.bytes > 0
        && outputs > 0
        && outputs <= y.bytes
        && to <= y.bytes - outputs
        && outputs <= p.weights.len() / x.bytes
        && (task.bias_step == 0 || outputs <= p.bias.len())
        && (task.shift_step == 0 || outputs <= multipliers.len().min(shifts.len()));
    if fits {
        // SAFETY: the row, `outputs` rows of weights, and what belongs to each are in their windows.
        unsafe { multiply_row(&raw mut task) };
    }
}

/// What the assembly is given, in its order.
#[repr(C)]
struct Task {
    inputs: usize,
    weights: *const i8,
    outputs: usize,
    x: *const u8,
    y: *mut u8,
    /// The result's zero point.
    zero_point: i32,
    bounds: [i32; 2],
    /// What belongs to four results, and bytes to that of the next four.
    bias: *const i32,
    bias_step: usize,
    multipliers: *const i32,
    multiplier_step: usize,
    shifts: *const i8,
    shift_step: usize,
}

/// # Safety
/// All that the task names is readable, `outputs` bytes at `y` are writable.
#[unsafe(naked)]
unsafe extern "C" fn multiply_row(task: *mut Task) {
    naked_asm!(
        processor!(),
        "push {{r4-r11, lr}}",
        "vpush {{d8-d15}}",
        "mov r11, r0",
        "ldr r12, [r11]",
        "ldrd r8, r10, [r11, #4]",
        "ldrd r1, r3, [r11, #24]",
        "vdup.32 q5, r1",
        "vdup.32 q6, r3",
        "vmov.i32 q7, #0",
        // Four rows of weights; missing ones are the first again.
        "1:",
        "ldr r9, [r11, #12]",
        "mov r1, r8",
        "add r3, r1, r12",
        "add r5, r3, r12",
        "add r7, r5, r12",
        "cmp r10, #4",
        "bge 2f",
        "mov r7, r1",
        "cmp r10, #3",
        "it lt",
        "movlt r5, r1",
        "cmp r10, #2",
        "it lt",
        "movlt r3, r1",
        "2:",
        "add r8, r8, r12, lsl #2",
        "movs r0, #0",
        "movs r2, #0",
        "movs r4, #0",
        "movs r6, #0",
        "dlstp.8 lr, r12",
        "3:",
        "vldrb.u8 q0, [r9], #16",
        "vldrb.u8 q1, [r1], #16",
        "vmladava.s8 r0, q0, q1",
        "vldrb.u8 q2, [r3], #16",
        "vmladava.s8 r2, q0, q2",
        "vldrb.u8 q3, [r5], #16",
        "vmladava.s8 r4, q0, q3",
        "vldrb.u8 q4, [r7], #16",
        "vmladava.s8 r6, q0, q4",
        "letp lr, 3b",
        "vmov q0[2], q0[0], r0, r4",
        "vmov q0[3], q0[1], r2, r6",
        "add r9, r11, #32",
        "ldm r9, {{r0-r5}}",
        "vctp.32 r10",
        "vpsttt",
        "vldrwt.u32 q1, [r0]",
        "vldrwt.u32 q2, [r2]",
        "vldrbt.s32 q3, [r4]",
        "add r0, r0, r1",
        "add r2, r2, r3",
        "add r4, r4, r5",
        "stm r9, {{r0-r5}}",
        "vadd.i32 q0, q0, q1",
        // Shifts to the left and to the right; the latter round halves away from zero.
        "vmax.s32 q1, q3, q7",
        "vmin.s32 q3, q3, q7",
        "vshl.s32 q0, q0, q1",
        "vqrdmulh.s32 q0, q0, q2",
        "vand q1, q0, q3",
        "vshr.s32 q1, q1, #31",
        "vadd.i32 q0, q0, q1",
        "vrshl.s32 q0, q0, q3",
        "ldrd r0, r1, [r11, #16]",
        "vadd.i32 q0, q0, r1",
        "vmax.s32 q0, q0, q5",
        "vmin.s32 q0, q0, q6",
        "vpst",
        "vstrbt.32 q0, [r0]",
        "adds r0, r0, #4",
        "str r0, [r11, #16]",
        "subs r10, r10, #4",
        "bgt 1b",
        "vpop {{d8-d15}}",
        "pop {{r4-r11, pc}}",
    )
}
