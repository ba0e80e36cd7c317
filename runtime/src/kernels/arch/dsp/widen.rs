//! Windows widened into columns.

use super::super::ends::last as last_of;
use super::super::{Runs, pairs};
use super::words;
use crate::kernels::{Elements, Sink};
use core::arch::naked_asm;
use core::ops::Range;

/// As [`widen`](super::super::portable::widen) of the portable machine.
#[inline(always)]
pub(in crate::kernels) fn widen(
    runs: &Runs,
    x: impl Elements<i8>,
    from: usize,
    columns: impl Sink<i32>,
    at: usize,
    step: usize,
) {
    let (Some(x), Some(to)) = (x.memory(), words(columns)) else { return };
    let last = last_of(at, runs.words, runs.count).and_then(|at| last_of(at, step, pairs(runs.whole)));
    let (Some(last), Some(extent)) = (last, runs.extent()) else { return };
    let fits = runs.count > 0
        && runs.len > 0
        && runs.len <= runs.whole
        && runs.first <= runs.whole - runs.len
        && extent <= x.bytes
        && from <= x.bytes - extent
        && last < to.bytes / 4;
    if !fits {
        return;
    }
    let end = runs.first + runs.len;
    // Fours of elements lie in the image as in the column.
    let aligned = runs.first.is_multiple_of(4) && (runs.len.is_multiple_of(4) || end == runs.whole);
    let skipped = if aligned { runs.first / 2 * step } else { 0 };
    let x = x.start.wrapping_add(from);
    let to = to.start.wrapping_add(4 * (at + skipped));
    let gap = runs.stride.wrapping_sub(if aligned { runs.len & !3 } else { runs.len });
    // The element that is the upper one of a pair of two at the end.
    let odd = if runs.whole % 4 == 2 { runs.whole - 1 } else { usize::MAX };
    // SAFETY: it reads the elements of each run, which lie in `x`, and writes words of their columns, which are aligned
    // and lie in `columns`, the last of them at `last`.
    unsafe {
        if aligned {
            widen_runs(x, to, runs.len, 4 * step, runs.count, gap, 4 * runs.words);
        } else {
            scatter(x, to, runs.len, 4 * step, runs.count, gap, 4 * runs.words, runs.first, odd);
        }
    }
}

/// As [`fill`](super::super::portable::fill) of the portable machine.
#[inline(never)]
pub(in crate::kernels) fn fill(columns: impl Sink<i32>, range: Range<usize>, value: i32) {
    let Some(to) = words(columns) else { return };
    for word in range.start..range.end.min(to.bytes / 4) {
        // SAFETY: the word is aligned and lies in the window.
        unsafe { to.start.cast::<i32>().add(word).write(value & 0xffff | value << 16) };
    }
}

/// The pairs of each of `count` runs of `len` bytes, `gap` from behind its fours to the next, to words `step` bytes
/// apart; `words` from a run's to the next run's.
///
/// # Safety
/// The runs are readable, the words aligned and writable.
#[unsafe(naked)]
unsafe extern "C" fn widen_runs(
    x: *const u8,
    to: *mut u8,
    len: usize,
    step: usize,
    count: usize,
    gap: usize,
    words: usize,
) {
    naked_asm!(
        processor!(),
        "push {{r4-r9, lr}}",
        "ldrd r4, r5, [sp, #28]",
        "ldr r6, [sp, #36]",
        "1:",
        "mov r7, r1",
        "subs r8, r2, #4",
        "blt 3f",
        "2:",
        "ldr r9, [r0], #4",
        "sxtb16 r12, r9",
        "sxtb16 r9, r9, ror #8",
        "str r12, [r7]",
        "str r9, [r7, r3]",
        "add r7, r7, r3, lsl #1",
        "subs r8, r8, #4",
        "bge 2b",
        "3:",
        "ands r8, r8, #3",
        "beq 6f",
        "cmp r8, #2",
        "ldrsb r9, [r0]",
        "blt 5f",
        "ldrsb r12, [r0, #1]",
        "beq 4f",
        "str r12, [r7, r3]",
        "ldrsb r12, [r0, #2]",
        "4:",
        "pkhbt r9, r9, r12, lsl #16",
        "5:",
        "str r9, [r7]",
        "6:",
        "add r0, r0, r5",
        "add r1, r1, r6",
        "subs r4, r4, #1",
        "bne 1b",
        "pop {{r4-r9, pc}}",
    )
}

/// As [`widen_runs`] element by element, from element `first` of the column on; `gap` from behind a run. Element `odd`
/// is the upper one of the pair before it.
///
/// # Safety
/// The runs are readable, the words aligned and writable.
#[allow(clippy::too_many_arguments, reason = "they lie as the assembly needs them")]
#[unsafe(naked)]
unsafe extern "C" fn scatter(
    x: *const u8,
    to: *mut u8,
    len: usize,
    step: usize,
    count: usize,
    gap: usize,
    words: usize,
    first: usize,
    odd: usize,
) {
    naked_asm!(
        processor!(),
        "push {{r6-r11, lr}}",
        // 28: count, 32: gap, 36: words, 40: first, 44: odd.
        "ldr r6, [sp, #36]",
        "ldrd r7, r8, [sp, #40]",
        "1:",
        "mov r9, r7",
        "mov r10, r2",
        "2:",
        "bic r12, r9, #3",
        "and r11, r9, #1",
        "add r12, r11, r12, lsr #1",
        "and r11, r9, #2",
        "cmp r9, r8",
        "itt eq",
        "subeq r12, r12, #1",
        "moveq r11, #2",
        "mla r12, r12, r3, r1",
        "ldrsb lr, [r0], #1",
        "strh lr, [r12, r11]",
        "add r9, r9, #1",
        "subs r10, r10, #1",
        "bne 2b",
        "ldrd r11, r12, [sp, #28]",
        "add r0, r0, r12",
        "add r1, r1, r6",
        "subs r11, r11, #1",
        "str r11, [sp, #28]",
        "bne 1b",
        "pop {{r6-r11, pc}}",
    )
}

/// Widens four bytes of each of two runs, at r0 and r1, in turn to the words at r2; uses r4 to r7.
macro_rules! widen_four {
    () => {
        "ldr r4, [r0], #4
         ldr r5, [r1], #4
         sxtb16 r6, r4, ror #8
         sxtb16 r7, r5, ror #8
         sxtb16 r4, r4
         sxtb16 r5, r5
         stmia r2!, {{r4-r7}}\n"
    };
}

/// As [`widen_four`] of eight bytes of each run, aligned to four; uses r8 and r12 besides.
macro_rules! widen_eight {
    () => {
        "ldrd r4, r8, [r0], #8
         ldrd r5, r12, [r1], #8
         sxtb16 r6, r4, ror #8
         sxtb16 r7, r5, ror #8
         sxtb16 r4, r4
         sxtb16 r5, r5
         stmia r2!, {{r4-r7}}
         sxtb16 r6, r8, ror #8
         sxtb16 r7, r12, ror #8
         sxtb16 r4, r8
         sxtb16 r5, r12
         stmia r2!, {{r4-r7}}\n"
    };
}

/// Widens two runs of r3 bytes, at r0 and r1, in turn to the words at r2; uses r4 to r8, r11 and r12.
macro_rules! widen_two {
    () => {
        concat!(
            "subs r11, r3, #16
             blt 12f
             orr r4, r0, r1
             tst r4, #3
             bne 12f
             11:\n",
            widen_eight!(),
            widen_eight!(),
            "subs r11, r11, #16
             bge 11b
             12:
             adds r11, r11, #12
             bmi 13f
             17:\n",
            widen_four!(),
            "subs r11, r11, #4
             bpl 17b\n",
            "13:
             ands r11, r11, #3
             beq 16f
             cmp r11, #2
             ldrsb r4, [r0]
             ldrsb r5, [r1]
             blt 15f
             ldrsb r6, [r0, #1]
             ldrsb r7, [r1, #1]
             beq 14f
             ldrsb r8, [r0, #2]
             ldrsb r12, [r1, #2]
             pkhbt r4, r4, r8, lsl #16
             pkhbt r5, r5, r12, lsl #16
             strd r4, r5, [r2], #8
             strd r6, r7, [r2], #8
             b 16f
             14:
             pkhbt r4, r4, r6, lsl #16
             pkhbt r5, r5, r7, lsl #16
             15:
             strd r4, r5, [r2], #8
             16:"
        )
    };
}
pub(super) use {widen_eight, widen_four, widen_two};
