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
    let fits = a.bytes == b.bytes && to + a.bytes <= y.bytes && p.table.len() == 256 && (1..=20).contains(&p.shift);
    if !fits {
        return;
    }
    let clamped = p.min > i32::from(i8::MIN) || p.max < i32::from(i8::MAX);
    let task = Task {
        a: a.start,
        b: b.start,
        y: y.start.wrapping_add(to),
        fast: if clamped { 0 } else { a.bytes / 4 },
        table: p.table.as_ptr(),
        multiplier: p.multiplier,
        offset: (2 * p.zero_point + 1) << (p.shift - 1),
        shift: p.shift - 1,
        slow: if clamped { a.bytes } else { a.bytes % 4 },
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
    /// Fours of elements that need no bounds.
    fast: usize,
    table: *const i32,
    multiplier: i32,
    offset: i32,
    shift: u32,
    /// Elements after those.
    slow: usize,
    bounds: [i32; 2],
}

/// Element r8 plus that of the table at r11: the result, in r10.
macro_rules! add_one {
    () => {
        "ldr.w r11, [r4, r11, lsl #2]
         add r10, r11, r10, lsl #19
         add r11, r6, r10, asr #31
         lsl r10, r10, #1
         smmlar r10, r10, r5, r11
         asr r10, r10, r7
         ssat r10, #8, r10, asr #1"
    };
}

/// # Safety
/// What the task's pointers name is readable and writable as [`add`] says.
#[unsafe(naked)]
unsafe extern "C" fn add_pairs(task: *const Task) {
    naked_asm!(
        processor!(),
        "push {{r0, r4-r11, lr}}",
        "ldmia r0, {{r0-r7}}",
        "cmp r3, #0",
        "beq 2f",
        "1:",
        "ldr r8, [r0], #4",
        "ldr r9, [r1], #4",
        "sxtb r10, r8",
        "uxtb r11, r9",
        add_one!(),
        "strb r10, [r2], #1",
        "sxtb.w r10, r8, ror #8",
        "uxtb.w r11, r9, ror #8",
        add_one!(),
        "strb r10, [r2], #1",
        "sxtb.w r10, r8, ror #16",
        "uxtb.w r11, r9, ror #16",
        add_one!(),
        "strb r10, [r2], #1",
        "asr r10, r8, #24",
        "lsr r11, r9, #24",
        add_one!(),
        "strb r10, [r2], #1",
        "subs r3, r3, #1",
        "bne 1b",
        "2:",
        // Slow elements, the bounds.
        "ldr r12, [sp]",
        "add r12, r12, #32",
        "ldmia r12, {{r3, r12, lr}}",
        "cmp r3, #0",
        "beq 4f",
        "3:",
        "ldrsb r10, [r0], #1",
        "ldrb r11, [r1], #1",
        add_one!(),
        "cmp r10, r12",
        "it lt",
        "movlt r10, r12",
        "cmp r10, lr",
        "it gt",
        "movgt r10, lr",
        "strb r10, [r2], #1",
        "subs r3, r3, #1",
        "bne 3b",
        "4:",
        "pop {{r0, r4-r11, pc}}",
    )
}
