//! Depthwise layers by planes.

use super::super::{Filter, Plane};
use crate::kernels::planes::{CHANNELS, LANES, PlanesI8, words};
use crate::kernels::{Elements, Sink};
use core::arch::naked_asm;

/// Pixels that are computed together.
const PIXELS: usize = 8;
/// Those of windows of one block that are a constant apart.
const PAIR: usize = 2;

/// As [`spread`](super::super::portable::spread) of the portable machine.
#[inline(always)]
pub(in crate::kernels) fn spread(x: impl Elements<i8>, planes: impl Sink<i8>, plane: &Plane) {
    let (Some(x), Some(planes)) = (x.memory(), planes.memory_mut()) else { return };
    if plane.fits(x.bytes, planes.bytes) {
        let Plane { from, step, count, rows, row_step, at, pitch, plane } = *plane;
        let (from, to) = (x.start.wrapping_add(from), planes.start.wrapping_add(at));
        let task = SpreadTask { from, to, count, step, pitch, plane, rows, row_step };
        // SAFETY: all pixels lie in the windows.
        unsafe { spread_pixels(&raw const task) };
    }
}

/// As [`filter_planes`](super::super::portable::filter_planes) of the portable machine.
#[inline(always)]
pub(in crate::kernels) fn filter_planes(p: &PlanesI8<'_>, planes: impl Sink<i8>, y: impl Sink<i8>, filter: Filter) {
    let (Some(planes), Some(y)) = (planes.memory_mut(), y.memory_mut()) else { return };
    let Filter { group, to, to_step, pixels, step } = filter;
    let together = if p.blocks == 1 && (step == 4 || step == 8) { PAIR } else { PIXELS };
    if !filter.fits(p, together, planes.bytes, y.bytes) {
        return;
    }
    let weights = p.blocked.as_ptr().wrapping_add(group * (CHANNELS / LANES * words(p.blocks)));
    let y = y.start.wrapping_add(to);
    let (run, pairs): (Run, bool) = match (p.blocks, step) {
        (1, 4) => (filter_pairs_by_4, true),
        (1, 8) => (filter_pairs_by_8, true),
        (1, _) => (filter_one, false),
        (2, _) => (filter_two, false),
        (3, _) => (filter_three, false),
        _ => (filter_four, false),
    };
    let (pixels, step, next) =
        if pairs { ((pixels & !1) * step, pixels * step, 2 * to_step) } else { (pixels, step, PIXELS * to_step) };
    // SAFETY: the windows, the weights of the group and the results lie in their windows.
    unsafe { run(planes.start, weights, y, pixels, step, p.plane, next, p.to, p.min, p.max, to_step) };
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

/// What filters the eight channels of a row: of the plane of the first channel, its weights, where results go, how many
/// pixels, the bytes from window to window and of a plane, those between the results of eight pixels and the next eight,
/// the result's zero point and bounds, and the bytes from pixel to pixel of the result.
///
/// For the filters of two pixels at a time, instead of pixels the bytes of the windows of whole pairs, then those of all
/// windows, and those between the results of two pixels and the next two.
///
/// As numbers, since a structure would lie on the stack twice.
type Run = unsafe extern "C" fn(*const u8, *const i32, *mut u8, usize, usize, usize, usize, i32, i32, i32, usize);

/// Declares a [`Run`].
macro_rules! run {
    ($(#[$doc:meta])* $name:ident = $code:expr) => {
        $(#[$doc])*
        #[unsafe(naked)]
        unsafe extern "C" fn $name(
            plane: *const u8,
            weights: *const i32,
            y: *mut u8,
            pixels: usize,
            step: usize,
            size: usize,
            next: usize,
            to: i32,
            min: i32,
            max: i32,
            to_step: usize,
        ) {
            $code
        }
    };
}

/// Eight channels of a row, eight pixels at a time, with a number of blocks a window. Windows are at r1, r3 apart; sums
/// in the even registers; results at r7, r5 pixels still to be made; r9 is where what belongs to the channel begins.
macro_rules! filter {
    ($weights:literal, $bytes:literal, $window:ident) => {
        naked_asm!(
            processor!(),
            "push {{r0-r3}}",
            "push {{r4-r11, lr}}",
            "vpush {{d8-d15}}",
            // 0: lower bounds, 16: upper bounds, 32: places of eight pixels, 48: channels, each four followed by what
            // belongs to them, 156: plane, 160: weights, 164: results, 168: pixels, 172: step, 176: size of a plane,
            // 180: from eight pixels to the next, 184: zero point, 188: bounds, 196: from pixel to pixel.
            "sub sp, sp, #56",
            "add r0, sp, #188",
            "ldm r0, {{r10, r11, r12}}",
            "movs r0, #8",
            "str r0, [sp, #48]",
            "movs r0, #0",
            "vidup.u16 q0, r0, #1",
            "vmul.i16 q2, q0, r12",
            "vdup.16 q0, r10",
            "vdup.16 q1, r11",
            "vstrw.32 q0, [sp]",
            "vstrw.32 q1, [sp, #16]",
            "vstrw.32 q2, [sp, #32]",
            "1:",
            "add r9, sp, #156",
            "ldm r9, {{r1, r2, r7}}",
            "ldrd r5, r3, [sp, #168]",
            $weights,
            // What belongs to the channel: its place among four after the weights of those that follow.
            "ldr r0, [sp, #48]",
            "subs r0, r0, #1",
            "str r0, [sp, #48]",
            "and r0, r0, #3",
            concat!("mov r6, #", $bytes),
            "mla r9, r0, r6, r2",
            "rsb r4, r0, #3",
            "add r9, r9, r4, lsl #2",
            // The next channel's.
            "cmp r0, #0",
            "it eq",
            "addeq r2, r2, #48",
            "ldr r4, [sp, #176]",
            "add r0, r1, r4",
            "add r4, r7, #1",
            "add r6, sp, #156",
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
            "ldrd r11, r6, [sp, #180]",
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
            "ldr r0, [sp, #48]",
            "cmp r0, #0",
            "bne 1b",
            "add sp, sp, #56",
            "vpop {{d8-d15}}",
            "pop {{r4-r11, lr}}",
            "add sp, sp, #16",
            "bx lr",
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

run! {
    /// # Safety
    /// Everything lies in its windows: see [`Filter::fits`], with one block.
    filter_one = filter!("vldrw.u32 q4, [r2], #16", 16, one_block)
}

run! {
    /// # Safety
    /// Everything lies in its windows: see [`Filter::fits`], with two blocks.
    filter_two = filter!("vldrw.u32 q4, [r2], #16\nvldrw.u32 q5, [r2], #16", 32, two_blocks)
}

run! {
    /// # Safety
    /// Everything lies in its windows: see [`Filter::fits`], with three blocks.
    filter_three = filter!("vldrw.u32 q4, [r2], #16\nvldrw.u32 q5, [r2], #16\nvldrw.u32 q6, [r2], #16", 48, three_blocks)
}

run! {
    /// # Safety
    /// Everything lies in its windows: see [`Filter::fits`], with four blocks.
    filter_four = filter!(
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
            "push {{r0-r3}}",
            "push {{r4-r11, lr}}",
            "vpush {{d8-d15}}",
            // 0: lower bounds, 16: upper bounds, 32: places of two pixels by four channels, 48: fours of channels,
            // 52: end of the pairs, 56: end of all, 164: plane, 168: weights, 172: results, 176: bytes of pairs of
            // windows, 180: of all windows, 184: of a plane, 188: from two pixels to the next, 192: zero point,
            // 196: bounds, 204: from pixel to pixel.
            "sub sp, sp, #64",
            "add r0, sp, #196",
            "ldm r0, {{r10, r11, r12}}",
            "movs r0, #2",
            "str r0, [sp, #48]",
            "movs r0, #0",
            "vidup.u16 q0, r0, #1",
            "vshr.u16 q2, q0, #1",
            "lsl r12, r12, #16",
            "vdup.32 q0, r12",
            "vadd.i16 q2, q2, q0",
            "vdup.16 q0, r10",
            "vdup.16 q1, r11",
            "vstrw.32 q0, [sp]",
            "vstrw.32 q1, [sp, #16]",
            "vstrw.32 q2, [sp, #32]",
            "1:",
            "add r9, sp, #164",
            "ldm r9, {{r1-r6}}",
            "mov r11, r3",
            "add r4, r1, r4",
            "add r5, r1, r5",
            "strd r4, r5, [sp, #52]",
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
            "ldrd r2, r0, [sp, #188]",
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
            "ldr r0, [sp, #52]",
            "cmp r1, r0",
            "blo 2b",
            // An odd pixel: the other's results are not stored.
            "ldr r0, [sp, #56]",
            "cmp r1, r0",
            "bhs 4f",
            "3:",
            "movw r0, #0x3333",
            "vmsr p0, r0",
            "b 2b",
            "4:",
            "ldr r0, [sp, #48]",
            "subs r0, r0, #1",
            "str r0, [sp, #48]",
            "bne 1b",
            "add sp, sp, #64",
            "vpop {{d8-d15}}",
            "pop {{r4-r11, lr}}",
            "add sp, sp, #16",
            "bx lr",
        )
    };
}

run! {
    /// # Safety
    /// As of [`filter_one`], with a step of 4.
    filter_pairs_by_4 = filter_pairs!("4")
}

run! {
    /// # Safety
    /// As of [`filter_one`], with a step of 8.
    filter_pairs_by_8 = filter_pairs!("8")
}
