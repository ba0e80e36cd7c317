//! Depthwise layers by planes.

use super::super::window::{Memory, MemoryMut, four};
use super::super::{Filter, Plane};
use crate::kernels::planes::{CHANNELS, LANES, PlanesI8, words};
use crate::kernels::{Elements, Sink};
use core::arch::naked_asm;
use core::mem::offset_of;

/// Pixels that are computed together.
const PIXELS: usize = 8;
/// Those of windows of one block that are a constant apart.
const PAIR: usize = 2;

/// As [`spread`](super::super::portable::spread) of the portable machine.
#[inline(always)]
pub(in crate::kernels) fn spread(x: impl Elements<i8>, planes: impl Sink<i8>, plane: &Plane) {
    let (Some(x), Some(planes)) = (x.memory(), planes.memory_mut()) else { return };
    if plane.fits(CHANNELS, x.bytes, planes.bytes) {
        let task = SpreadTask::new(plane, x, planes);
        // SAFETY: all pixels lie in the windows.
        unsafe { spread_pixels(&raw const task) };
    }
}

/// As [`filter_planes`](super::super::portable::filter_planes) of the portable machine.
#[inline(always)]
pub(in crate::kernels) fn filter_planes(
    p: &PlanesI8<'_>,
    x: impl Elements<i8>,
    planes: impl Sink<i8>,
    y: impl Sink<i8>,
    plane: Plane,
    filter: Filter,
) {
    let (Some(x), Some(planes), Some(y)) = (x.memory(), planes.memory_mut(), y.memory_mut()) else { return };
    let Filter { group, channels, to, to_step, pixels, step } = filter;
    let rows = if plane.count > 0 { plane.rows } else { 0 };
    let (min, max) = (four(p.min), four(p.max));
    let mut task = Task {
        spread: SpreadTask::new(&Plane { rows, ..plane }, x, planes),
        planes: planes.start,
        weights: p.blocked.as_ptr().wrapping_add(group * group_words(p.blocks)),
        y: y.start.wrapping_add(to),
        zero_point: p.to,
        bounds: [min, min, max, max],
        channels,
        to_step,
        pixels,
        step,
    };
    if task.fits(p, x, planes, y) {
        // SAFETY: the pixels, the windows, the weights of all channels and the results lie in their windows.
        unsafe { task.run(p.blocks) };
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

impl SpreadTask {
    #[inline(always)]
    fn new(plane: &Plane, x: Memory<'_>, planes: MemoryMut<'_>) -> Self {
        let Plane { from, step, count, rows, row_step, at, pitch, plane } = *plane;
        let (from, to) = (x.start.wrapping_add(from), planes.start.wrapping_add(at));
        Self { from, to, count, step, pitch, plane, rows, row_step }
    }
}

/// What the filters of eight channels of a row are given.
#[repr(C)]
struct Task {
    spread: SpreadTask,
    /// The plane of the first channel.
    planes: *const u8,
    /// The weights of the first channel, and afterwards of the next.
    weights: *const i32,
    /// Where the results of the first channel start, and afterwards those of the next.
    y: *mut u8,
    /// The result's zero point.
    zero_point: i32,
    /// Lower and upper bound of eight results.
    bounds: [u32; 4],
    /// Channels that are left, at least eight.
    channels: usize,
    /// Bytes from a pixel's results to the next one's.
    to_step: usize,
    pixels: usize,
    /// Bytes from a pixel's window to the next one's.
    step: usize,
}

impl Task {
    /// All pixels, windows, weights and results lie where they should.
    // As a call: what it needs would lie on the stack under all others.
    #[inline(never)]
    fn fits(&self, p: &PlanesI8<'_>, x: Memory<'_>, planes: MemoryMut<'_>, y: MemoryMut<'_>) -> bool {
        let SpreadTask { from, to, count, step, pitch, plane, rows, row_step } = self.spread;
        let (from, at) = (from.addr().wrapping_sub(x.start.addr()), to.addr().wrapping_sub(planes.start.addr()));
        let spread = Plane { from, step, count, rows, row_step, at, pitch, plane };
        let Self { channels, to_step, pixels, step, .. } = *self;
        let words = self.weights.addr().wrapping_sub(p.blocked.as_ptr().addr()) / size_of::<i32>();
        let (group, to) = (words / group_words(p.blocks), self.y.addr().wrapping_sub(y.start.addr()));
        let filter = Filter { group, channels, to, to_step, pixels, step };
        let together = if in_pairs(p.blocks, step) { PAIR } else { PIXELS };
        (rows == 0 || spread.fits(channels, x.bytes, planes.bytes)) && filter.fits(p, together, planes.bytes, y.bytes)
    }

    /// # Safety
    /// It fits.
    #[inline(always)]
    unsafe fn run(&mut self, blocks: usize) {
        let run: Run = match (blocks, self.step) {
            (1, 4) => filter_pairs_by_4,
            (1, 8) => filter_pairs_by_8,
            (1, _) => filter_one,
            (2, _) => filter_two,
            (3, _) => filter_three,
            _ => filter_four,
        };
        loop {
            // SAFETY: as above.
            unsafe {
                if self.spread.rows > 0 {
                    spread_pixels(&raw const self.spread);
                }
                run(self);
            }
            let left = self.channels - CHANNELS;
            if left == 0 {
                return;
            }
            // Of the last ones some are done.
            let back = CHANNELS.saturating_sub(left);
            self.channels = left + back;
            self.spread.from = self.spread.from.wrapping_add(CHANNELS - back);
            self.y = self.y.wrapping_sub(back);
        }
    }
}

/// Words of eight channels with so many blocks.
#[inline(always)]
const fn group_words(blocks: usize) -> usize {
    CHANNELS / LANES * words(blocks)
}

/// Whether windows of so many blocks, so many bytes apart, are filtered two pixels at a time.
#[inline(always)]
const fn in_pairs(blocks: usize, step: usize) -> bool {
    blocks == 1 && (step == 4 || step == 8)
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

/// What filters eight channels of a row.
type Run = unsafe extern "C" fn(*mut Task);

/// Assembly with the places of what it is given.
macro_rules! task_asm {
    ($($code:expr),* $(,)?) => {
        naked_asm!(
            $($code,)*
            plane = const offset_of!(Task, spread.plane),
            planes = const offset_of!(Task, planes),
            weights = const offset_of!(Task, weights),
            pixels = const offset_of!(Task, pixels),
            step = const offset_of!(Task, step),
            to_step = const offset_of!(Task, to_step),
            zero_point = const offset_of!(Task, zero_point),
            min = const offset_of!(Task, bounds),
            max = const offset_of!(Task, bounds) + 8,
        )
    };
}

/// Eight channels of a row, eight pixels at a time, with a number of blocks a window. Windows are at r1, r11 apart;
/// sums in the even registers; results at r7, r5 pixels still to be made; r9 is where what belongs to the channel
/// begins, r3 what the function is given.
macro_rules! filter {
    ($weights:literal, $bytes:literal, $window:ident, $saved:literal) => {
        task_asm!(
            processor!(),
            "push {{r4-r11, lr}}",
            concat!("vpush {{", $saved, "}}"),
            // 0: plane, 4: channels, each four followed by what belongs to them, 8: from eight pixels to the next,
            // 12: zero point, 16: places of eight pixels.
            "sub sp, sp, #36",
            "mov r3, r0",
            "ldr r1, [r3, #{planes}]",
            "ldr r12, [r3, #{to_step}]",
            "ldr r5, [r3, #{zero_point}]",
            "movs r0, #0",
            "movs r2, #8",
            "lsl r4, r12, #3",
            "strd r1, r2, [sp]",
            "strd r4, r5, [sp, #8]",
            "vidup.u16 q0, r0, #1",
            "vmul.i16 q0, q0, r12",
            "vstrw.32 q0, [sp, #16]",
            "1:",
            "ldr r1, [sp]",
            "ldrd r2, r7, [r3, #{weights}]",
            "ldr r5, [r3, #{pixels}]",
            "ldr r11, [r3, #{step}]",
            $weights,
            // What belongs to the channel: its place among four after the weights of those that follow.
            "ldr r0, [sp, #4]",
            "subs r0, r0, #1",
            "str r0, [sp, #4]",
            "and r0, r0, #3",
            concat!("mov r6, #", $bytes),
            "mla r9, r0, r6, r2",
            "rsb r4, r0, #3",
            "add r9, r9, r4, lsl #2",
            // The next channel's.
            "cmp r0, #0",
            "it eq",
            "addeq r2, r2, #48",
            "ldr r4, [r3, #{plane}]",
            "add r0, r1, r4",
            "str r0, [sp]",
            "add r4, r7, #1",
            "strd r2, r4, [r3, #{weights}]",
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
            "ldrd r8, r6, [sp, #8]",
            "lsr r10, r4, #8",
            "vshl.s32 q1, r10",
            "vshl.s32 q2, r10",
            "vadd.i32 q1, q1, r0",
            "vshr.s32 q0, q1, #31",
            "vqrdmlah.s32 q0, q1, r2",
            "vadd.i32 q2, q2, r0",
            "vshr.s32 q3, q2, #31",
            "vqrdmlah.s32 q3, q2, r2",
            "vrshl.s32 q0, r4",
            "vrshl.s32 q3, r4",
            "vqmovnb.s32 q0, q0",
            "vldrb.s16 q1, [r3, #{min}]",
            "vqmovnt.s32 q0, q3",
            "vldrb.s16 q2, [r3, #{max}]",
            "vqadd.s16 q0, q0, r6",
            "vldrw.u32 q3, [sp, #16]",
            "vmax.s16 q0, q0, q1",
            "vctp.16 r5",
            "vmin.s16 q0, q0, q2",
            "vpst",
            "vstrbt.16 q0, [r7, q3]",
            "add r7, r7, r8",
            "subs r5, r5, #8",
            "bgt 2b",
            "ldr r0, [sp, #4]",
            "cmp r0, #0",
            "bne 1b",
            "add sp, sp, #36",
            concat!("vpop {{", $saved, "}}"),
            "pop {{r4-r11, pc}}",
        )
    };
}

/// The sum of a window of one block.
macro_rules! one_block {
    ($sum:literal) => {
        concat!("vldrb.u8 q0, [r1]\n", "add r1, r1, r11\n", "vmladav.s8 ", $sum, ", q0, q4")
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
/// Everything lies in its windows: see [`Filter::fits`], with one block.
#[unsafe(naked)]
unsafe extern "C" fn filter_one(task: *mut Task) {
    filter!("vldrw.u32 q4, [r2], #16", 16, one_block, "d8-d9")
}

/// # Safety
/// Everything lies in its windows: see [`Filter::fits`], with two blocks.
#[unsafe(naked)]
unsafe extern "C" fn filter_two(task: *mut Task) {
    filter!("vldrw.u32 q4, [r2], #16\nvldrw.u32 q5, [r2], #16", 32, two_blocks, "d8-d11")
}

/// # Safety
/// Everything lies in its windows: see [`Filter::fits`], with three blocks.
#[unsafe(naked)]
unsafe extern "C" fn filter_three(task: *mut Task) {
    filter!("vldrw.u32 q4, [r2], #16\nvldrw.u32 q5, [r2], #16\nvldrw.u32 q6, [r2], #16", 48, three_blocks, "d8-d13")
}

/// # Safety
/// Everything lies in its windows: see [`Filter::fits`], with four blocks.
#[unsafe(naked)]
unsafe extern "C" fn filter_four(task: *mut Task) {
    filter!(
        "vldrw.u32 q4, [r2], #16\nvldrw.u32 q5, [r2], #16\nvldrw.u32 q6, [r2], #16\nvldrw.u32 q7, [r2], #16",
        64,
        four_blocks,
        "d8-d15"
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
        task_asm!(
            processor!(),
            "push {{r4-r11, lr}}",
            "vpush {{d8-d15}}",
            // 0: from two pixels to the next, 4: zero point, 8: what the function is given, 12: fours of channels,
            // 16: places of two pixels by four channels, 32: end of the pairs, 36: end of all, 40: plane.
            "sub sp, sp, #44",
            "ldr r12, [r0, #{to_step}]",
            "ldr r5, [r0, #{zero_point}]",
            "ldr r1, [r0, #{planes}]",
            "movs r3, #2",
            "lsl r4, r12, #1",
            "strd r4, r5, [sp]",
            "strd r0, r3, [sp, #8]",
            "str r1, [sp, #40]",
            "movs r2, #0",
            "vidup.u16 q0, r2, #1",
            "vshr.u16 q2, q0, #1",
            "lsl r12, r12, #16",
            "vdup.32 q0, r12",
            "vadd.i16 q2, q2, q0",
            "vstrw.32 q2, [sp, #16]",
            "1:",
            "ldr r0, [sp, #8]",
            "ldr r1, [sp, #40]",
            "ldrd r2, r11, [r0, #{weights}]",
            "ldr r5, [r0, #{pixels}]",
            "ldr r6, [r0, #{plane}]",
            "bic r4, r5, #1",
            "ldr r7, [r0, #{step}]",
            "mla r4, r4, r7, r1",
            "mla r5, r5, r7, r1",
            "strd r4, r5, [sp, #32]",
            "vldrw.u32 q4, [r2], #16",
            "vldrw.u32 q5, [r2], #16",
            "vldrw.u32 q6, [r2], #16",
            "vldrw.u32 q7, [r2], #16",
            "add r3, r1, r6, lsl #2",
            "str r3, [sp, #40]",
            "mov r9, r2",
            "adds r2, r2, #48",
            "add r3, r11, #4",
            "strd r2, r3, [r0, #{weights}]",
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
            "ldm sp, {{r0, r2, r4}}",
            "vqmovnb.s32 q0, q0",
            "vqmovnt.s32 q0, q1",
            "vldrb.s16 q1, [r4, #{min}]",
            "vqadd.s16 q0, q0, r2",
            "vldrb.s16 q2, [r4, #{max}]",
            "vmax.s16 q0, q0, q1",
            "vldrw.u32 q3, [sp, #16]",
            "vmin.s16 q0, q0, q2",
            "vpst",
            "vstrbt.16 q0, [r11, q3]",
            "add r11, r11, r0",
            "ldr r0, [sp, #32]",
            "cmp r1, r0",
            "blo 2b",
            // An odd pixel: the other's results are not stored.
            "ldr r0, [sp, #36]",
            "cmp r1, r0",
            "bhs 4f",
            "3:",
            "movw r0, #0x3333",
            "vmsr p0, r0",
            "b 2b",
            "4:",
            "ldr r0, [sp, #12]",
            "subs r0, r0, #1",
            "str r0, [sp, #12]",
            "bne 1b",
            "add sp, sp, #44",
            "vpop {{d8-d15}}",
            "pop {{r4-r11, pc}}",
        )
    };
}

/// # Safety
/// As of [`filter_one`], with a step of 4.
#[unsafe(naked)]
unsafe extern "C" fn filter_pairs_by_4(task: *mut Task) {
    filter_pairs!("4")
}

/// # Safety
/// As of [`filter_one`], with a step of 8.
#[unsafe(naked)]
unsafe extern "C" fn filter_pairs_by_8(task: *mut Task) {
    filter_pairs!("8")
}
