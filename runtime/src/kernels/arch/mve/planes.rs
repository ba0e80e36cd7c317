//! Depthwise layers by planes.

use super::super::{Filter, Plane};
use crate::kernels::blocked::BLOCK;
use crate::kernels::planes::{CHANNELS, LANES, PlanesI8, words};
use crate::kernels::{Elements, Sink};
use core::arch::naked_asm;

/// Pixels that are computed together.
const PIXELS: usize = 8;

/// As [`spread`](super::super::portable::spread) of the portable machine.
#[inline(always)]
pub(in crate::kernels) fn spread(x: impl Elements<i8>, planes: impl Sink<i8>, plane: Plane) {
    let (Some(x), Some(planes)) = (x.memory(), planes.memory_mut()) else { return };
    let Plane { from, step, count, rows, row_step, at, pitch, plane } = plane;
    let (last, last_row) = (count.wrapping_sub(1), rows.wrapping_sub(1));
    let fits = count > 0
        && rows > 0
        && from + last_row * row_step + last * step + CHANNELS <= x.bytes
        && (CHANNELS - 1) * plane + at + last_row + last * pitch < planes.bytes
        && plane < 1 << 13;
    if fits {
        let (from, to) = (x.start.wrapping_add(from), planes.start.wrapping_add(at));
        let task = SpreadTask { from, to, count, step, pitch, plane, rows, row_step };
        // SAFETY: all pixels lie in the windows.
        unsafe { spread_pixels(&raw const task) };
    }
}

/// As [`filter_planes`](super::super::portable::filter_planes) of the portable machine.
#[inline(always)]
pub(in crate::kernels) fn filter_planes(p: &PlanesI8<'_>, planes: impl Sink<i8>, y: impl Sink<i8>, filter: Filter) {
    let Some(task) = Task::new(p, planes, y, filter) else { return };
    let pairs = task.pairs();
    // SAFETY: the task is checked.
    unsafe {
        match (p.blocks, filter.step) {
            (1, 4) => filter_pairs_by_4(&raw const pairs),
            (1, 8) => filter_pairs_by_8(&raw const pairs),
            (1, _) => filter_one(&raw const task),
            (2, _) => filter_two(&raw const task),
            (3, _) => filter_three(&raw const task),
            _ => filter_four(&raw const task),
        }
    }
}

/// What [`spread_pixels`] is given, in its order.
#[repr(C)]
struct SpreadTask {
    from: *const u8,
    to: *mut u8,
    count: usize,
    step: usize,
    pitch: usize,
    plane: usize,
    rows: usize,
    row_step: usize,
}

/// # Safety
/// Eight bytes of each pixel of each row are readable, and a byte is writable for each of them in its plane, of less
/// than 2^13 bytes. There are rows and pixels.
#[unsafe(naked)]
unsafe extern "C" fn spread_pixels(task: *const SpreadTask) {
    naked_asm!(
        processor!(),
        "push {{r4-r8, lr}}",
        "ldm r0, {{r0-r7}}",
        "mov r12, #0",
        "vidup.u16 q1, r12, #1",
        "vmul.i16 q1, q1, r5",
        "1:",
        "mov r5, r0",
        "mov r8, r1",
        "dls lr, r2",
        "2:",
        "vldrb.u16 q0, [r5]",
        "add r5, r5, r3",
        "vstrb.16 q0, [r8, q1]",
        "add r8, r8, r4",
        "le lr, 2b",
        "add r0, r0, r7",
        "adds r1, r1, #1",
        "subs r6, r6, #1",
        "bne 1b",
        "pop {{r4-r8, pc}}",
    )
}

/// What the filters are given, in their order.
#[derive(Clone, Copy)]
#[repr(C)]
struct Task {
    /// The plane of the first channel, the weights and the results.
    plane: *const u8,
    packed: *const i32,
    y: *mut u8,
    pixels: usize,
    /// Bytes from window to window.
    step: usize,
    /// Bytes of a plane.
    size: usize,
    /// Bytes between the results of eight pixels and the next eight.
    next: usize,
    /// The result's zero point.
    to: i32,
    bounds: [u32; 2],
    /// Bytes from pixel to pixel of the result.
    to_step: usize,
}

impl Task {
    /// The task, if all that it reads and writes lies in its windows.
    #[inline(always)]
    #[allow(clippy::cast_sign_loss, reason = "the low bits")]
    fn new(p: &PlanesI8<'_>, planes: impl Sink<i8>, y: impl Sink<i8>, filter: Filter) -> Option<Self> {
        let (planes, y) = (planes.memory_mut()?, y.memory_mut()?);
        let Filter { group, to, to_step, pixels, step } = filter;
        let windows = pixels.next_multiple_of(PIXELS).wrapping_sub(1) * step + p.blocks * BLOCK;
        let words = CHANNELS / LANES * words(p.blocks);
        let fits = pixels > 0
            && (1..=4).contains(&p.blocks)
            && (CHANNELS - 1) * p.plane + windows <= planes.bytes
            && (group + 1) * words <= p.blocked.len()
            && to + (pixels - 1) * to_step + CHANNELS <= y.bytes
            && to_step < 1 << 13;
        if !fits {
            return None;
        }
        Some(Self {
            plane: planes.start,
            packed: p.blocked.as_ptr().wrapping_add(group * words),
            y: y.start.wrapping_add(to),
            pixels,
            step,
            size: p.plane,
            next: PIXELS * to_step,
            to: p.to,
            bounds: [p.min as u32, p.max as u32],
            to_step,
        })
    }

    /// That of the filters of two pixels at a time: `pixels` are the bytes of the windows of whole pairs, `step` those
    /// of all windows, `next` the bytes between the results of two pixels and the next two.
    #[inline(always)]
    fn pairs(self) -> Self {
        let Self { pixels, step, to_step, .. } = self;
        Self { pixels: (pixels & !1) * step, step: pixels * step, next: 2 * to_step, ..self }
    }
}

/// Eight channels of a row, eight pixels at a time, with a number of blocks a window. Windows are at r1, r3 apart; sums
/// in the even registers; results at r7, r5 pixels still to be made; r9 is where what belongs to the channel begins.
macro_rules! filter {
    ($weights:literal, $bytes:literal, $window:ident) => {
        naked_asm!(
            processor!(),
            "push {{r4-r11, lr}}",
            "vpush {{d8-d15}}",
            "ldmia r0!, {{r1-r8}}",
            "ldmia r0, {{r10, r11, r12}}",
            // 0: lower bounds, 16: upper bounds, 32: places of eight pixels, 48: plane, 52: weights, 56: results,
            // 60: pixels, 64: step, 68: size of a plane, 72: from eight pixels to the next, 76: zero point,
            // 80: channels, each four followed by what belongs to them.
            "movs r0, #8",
            "push {{r0, r12}}",
            "push {{r1-r8}}",
            "movs r0, #0",
            "vidup.u16 q0, r0, #1",
            "vmul.i16 q2, q0, r12",
            "vdup.16 q0, r10",
            "vdup.16 q1, r11",
            "sub sp, sp, #48",
            "vstrw.32 q0, [sp]",
            "vstrw.32 q1, [sp, #16]",
            "vstrw.32 q2, [sp, #32]",
            "1:",
            "add r9, sp, #48",
            "ldm r9, {{r1, r2, r7}}",
            "ldrd r5, r3, [sp, #60]",
            $weights,
            // What belongs to the channel: its place among four after the weights of those that follow.
            "ldr r0, [sp, #80]",
            "subs r0, r0, #1",
            "str r0, [sp, #80]",
            "and r0, r0, #3",
            concat!("mov r6, #", $bytes),
            "mla r9, r0, r6, r2",
            "rsb r4, r0, #3",
            "add r9, r9, r4, lsl #2",
            // The next channel's.
            "cmp r0, #0",
            "it eq",
            "addeq r2, r2, #48",
            "ldr r4, [sp, #68]",
            "add r0, r1, r4",
            "add r4, r7, #1",
            "add r6, sp, #48",
            "stm r6, {{r0, r2, r4}}",
            "2:",
            $window!("r0"),
            $window!("r2"),
            $window!("r4"),
            $window!("r6"),
            $window!("r8"),
            $window!("r10"),
            $window!("r12"),
            $window!("lr"),
            // Even pixels and odd ones.
            "vmov q1[2], q1[0], r0, r8",
            "vmov q1[3], q1[1], r4, r12",
            "vmov q2[2], q2[0], r2, r10",
            "vmov q2[3], q2[1], r6, lr",
            "ldr r0, [r9]",
            "ldr r2, [r9, #16]",
            "ldr r4, [r9, #32]",
            "ldrd r11, r6, [sp, #72]",
            "vadd.i32 q1, q1, r0",
            "vshr.s32 q0, q1, #31",
            "vqrdmulh.s32 q1, q1, r2",
            "vadd.i32 q2, q2, r0",
            "vshr.s32 q3, q2, #31",
            "vqrdmulh.s32 q2, q2, r2",
            "vadd.i32 q1, q1, q0",
            "vrshl.s32 q1, r4",
            "vadd.i32 q2, q2, q3",
            "vrshl.s32 q2, r4",
            "vqmovnb.s32 q0, q1",
            "vldrw.u32 q1, [sp]",
            "vqmovnt.s32 q0, q2",
            "vldrw.u32 q2, [sp, #16]",
            "vqadd.s16 q0, q0, r6",
            "vldrw.u32 q3, [sp, #32]",
            "vmax.s16 q0, q0, q1",
            "vctp.16 r5",
            "vmin.s16 q0, q0, q2",
            "vpst",
            "vstrbt.16 q0, [r7, q3]",
            "add r7, r7, r11",
            "subs r5, r5, #8",
            "bgt 2b",
            "ldr r0, [sp, #80]",
            "cmp r0, #0",
            "bne 1b",
            "add sp, sp, #88",
            "vpop {{d8-d15}}",
            "pop {{r4-r11, pc}}",
        )
    };
}

/// The sum of a window of one block.
macro_rules! one_block {
    ($sum:literal) => {
        concat!("vldrb.u8 q0, [r1]\n", "add r1, r1, r3\n", "vmladav.s8 ", $sum, ", q0, q4")
    };
}

macro_rules! two_blocks {
    ($sum:literal) => {
        concat!("vldrb.u8 q1, [r1, #16]\n", one_block!($sum), "\nvmladava.s8 ", $sum, ", q1, q5")
    };
}

macro_rules! three_blocks {
    ($sum:literal) => {
        concat!("vldrb.u8 q2, [r1, #32]\n", two_blocks!($sum), "\nvmladava.s8 ", $sum, ", q2, q6")
    };
}

macro_rules! four_blocks {
    ($sum:literal) => {
        concat!("vldrb.u8 q3, [r1, #48]\n", three_blocks!($sum), "\nvmladava.s8 ", $sum, ", q3, q7")
    };
}

/// # Safety
/// `task` has passed [`Task::new`] with one block.
#[unsafe(naked)]
unsafe extern "C" fn filter_one(task: *const Task) {
    filter!("vldrw.u32 q4, [r2], #16", 16, one_block)
}

/// # Safety
/// `task` has passed [`Task::new`] with two blocks.
#[unsafe(naked)]
unsafe extern "C" fn filter_two(task: *const Task) {
    filter!("vldrw.u32 q4, [r2], #16\nvldrw.u32 q5, [r2], #16", 32, two_blocks)
}

/// # Safety
/// `task` has passed [`Task::new`] with three blocks.
#[unsafe(naked)]
unsafe extern "C" fn filter_three(task: *const Task) {
    filter!("vldrw.u32 q4, [r2], #16\nvldrw.u32 q5, [r2], #16\nvldrw.u32 q6, [r2], #16", 48, three_blocks)
}

/// # Safety
/// `task` has passed [`Task::new`] with four blocks.
#[unsafe(naked)]
unsafe extern "C" fn filter_four(task: *const Task) {
    filter!(
        "vldrw.u32 q4, [r2], #16\nvldrw.u32 q5, [r2], #16\nvldrw.u32 q6, [r2], #16\nvldrw.u32 q7, [r2], #16",
        64,
        four_blocks
    )
}

/// The sum of a window of one block for the next pixel.
macro_rules! next_window {
    ($sum:literal, $window:literal, $weights:literal, $step:literal) => {
        concat!("vldrb.u8 q0, [", $window, "], #", $step, "\nvmladav.s8 ", $sum, ", q0, ", $weights)
    };
}

/// Eight channels of a row, two pixels by four channels at a time, with windows of one block that are `$step` apart.
/// The four planes are at r1, r3, r5 and r7, sums in the even registers, results at r11; r9 is behind the weights.
macro_rules! filter_pairs {
    ($step:literal) => {
        naked_asm!(
            processor!(),
            "push {{r4-r11, lr}}",
            "vpush {{d8-d15}}",
            "ldmia r0!, {{r1-r8}}",
            "ldmia r0, {{r10, r11, r12}}",
            // 0: lower bounds, 16: upper bounds, 32: places of two pixels by four channels, 48: plane, 52: weights,
            // 56: results, 60: bytes of pairs of windows, 64: of all windows, 68: of a plane, 72: from two pixels to
            // the next, 76: zero point, 80: fours of channels, 88: end of the pairs, 92: end of all.
            "movs r0, #2",
            "sub sp, sp, #8",
            "push {{r0, r12}}",
            "push {{r1-r8}}",
            "movs r0, #0",
            "vidup.u16 q0, r0, #1",
            "vshr.u16 q2, q0, #1",
            "lsl r12, r12, #16",
            "vdup.32 q0, r12",
            "vadd.i16 q2, q2, q0",
            "vdup.16 q0, r10",
            "vdup.16 q1, r11",
            "sub sp, sp, #48",
            "vstrw.32 q0, [sp]",
            "vstrw.32 q1, [sp, #16]",
            "vstrw.32 q2, [sp, #32]",
            "1:",
            "add r9, sp, #48",
            "ldm r9, {{r1-r6}}",
            "mov r11, r3",
            "add r4, r1, r4",
            "add r5, r1, r5",
            "strd r4, r5, [sp, #88]",
            "vldrw.u32 q4, [r2], #16",
            "vldrw.u32 q5, [r2], #16",
            "vldrw.u32 q6, [r2], #16",
            "vldrw.u32 q7, [r2], #16",
            "add r0, r1, r6, lsl #2",
            "add r3, r3, #4",
            "mov r8, r9",
            "mov r9, r2",
            "adds r2, r2, #48",
            "stm r8, {{r0, r2, r3}}",
            "add r3, r1, r6",
            "add r5, r3, r6",
            "add r7, r5, r6",
            "movw r0, #0xffff",
            "cmp r1, r4",
            "beq 3f",
            "vmsr p0, r0",
            "2:",
            next_window!("r0", "r1", "q4", $step),
            next_window!("r8", "r1", "q4", $step),
            next_window!("r2", "r3", "q5", $step),
            next_window!("r10", "r3", "q5", $step),
            next_window!("r4", "r5", "q6", $step),
            next_window!("r12", "r5", "q6", $step),
            next_window!("r6", "r7", "q7", $step),
            next_window!("lr", "r7", "q7", $step),
            "vmov q0[2], q0[0], r0, r4",
            "vmov q0[3], q0[1], r2, r6",
            "vmov q1[2], q1[0], r8, r12",
            "vmov q1[3], q1[1], r10, lr",
            "vldrw.u32 q2, [r9]",
            "vldrw.u32 q3, [r9, #16]",
            "vadd.i32 q0, q0, q2",
            "vadd.i32 q1, q1, q2",
            "vshr.s32 q2, q0, #31",
            "vqrdmulh.s32 q0, q0, q3",
            "vadd.i32 q0, q0, q2",
            "vshr.s32 q2, q1, #31",
            "vqrdmulh.s32 q1, q1, q3",
            "vadd.i32 q1, q1, q2",
            "vldrw.u32 q2, [r9, #32]",
            "vrshl.s32 q0, q0, q2",
            "vrshl.s32 q1, q1, q2",
            "ldrd r2, r0, [sp, #72]",
            "vqmovnb.s32 q0, q0",
            "vqmovnt.s32 q0, q1",
            "vldrw.u32 q1, [sp]",
            "vqadd.s16 q0, q0, r0",
            "vldrw.u32 q2, [sp, #16]",
            "vmax.s16 q0, q0, q1",
            "vldrw.u32 q3, [sp, #32]",
            "vmin.s16 q0, q0, q2",
            "vpst",
            "vstrbt.16 q0, [r11, q3]",
            "add r11, r11, r2",
            "ldr r0, [sp, #88]",
            "cmp r1, r0",
            "blo 2b",
            // An odd pixel: the other's results are not stored.
            "ldr r0, [sp, #92]",
            "cmp r1, r0",
            "bhs 4f",
            "3:",
            "movw r0, #0x3333",
            "vmsr p0, r0",
            "b 2b",
            "4:",
            "ldr r0, [sp, #80]",
            "subs r0, r0, #1",
            "str r0, [sp, #80]",
            "bne 1b",
            "add sp, sp, #96",
            "vpop {{d8-d15}}",
            "pop {{r4-r11, pc}}",
        )
    };
}

/// # Safety
/// `task` is the [`Task::pairs`] of one that has passed [`Task::new`] with one block and a step of 4.
#[unsafe(naked)]
unsafe extern "C" fn filter_pairs_by_4(task: *const Task) {
    filter_pairs!("4")
}

/// # Safety
/// As of [`filter_pairs_by_4`] with a step of 8.
#[unsafe(naked)]
unsafe extern "C" fn filter_pairs_by_8(task: *const Task) {
    filter_pairs!("8")
}
