//! Cortex-M: vectors and start-up, semihosting, and the timer as a counter of
//! instructions.

use core::arch::{asm, global_asm};

/// The timer that counts: SysTick, or on AN386 a timer of the board, which has more bits.
const TIMER: u32 = if cfg!(board = "mps2-an386") { 0x4000_0004 } else { 0xE000_E018 };

/// The bits of its count.
const TIMER_MASK: u32 = if cfg!(board = "mps2-an386") { u32::MAX } else { 0x00FF_FFFF };

/// Instructions in four ticks of the timer under `-icount shift=0`. An
/// instruction takes 1 ns; the clocks are 16 MHz (micro:bit), 25 MHz (AN386),
/// 20 MHz (AN505) and 32 MHz (AN547).
const FOUR_TICKS: u64 = if cfg!(board = "microbit") {
    250
} else if cfg!(board = "mps2-an386") {
    160
} else if cfg!(board = "mps3-an547") {
    125
} else {
    200
};

/// The bits that change with the step that is waited for: every second one, on
/// AN547 every fourth.
const STEP: u32 = if cfg!(board = "mps3-an547") { 3 } else { 1 };

// The vector table: stack, reset, and every fault ends the program. No
// interrupt is enabled, so the table ends with the system's exceptions.
global_asm!(
    ".section .vectors, \"a\"",
    ".global vectors",
    "vectors:",
    ".word stack_top",
    ".word reset",
    ".rept 14",
    ".word fault",
    ".endr",
);

// Start-up is written in assembly, because no Rust may run before the statics
// hold what Rust believes they hold.
global_asm!(
    ".section .text.reset, \"ax\"",
    ".global reset",
    ".thumb_func",
    "reset:",
    // The stack is painted from its bottom to the top; nothing is on it yet.
    "ldr r0, =stack_bottom",
    "ldr r1, =stack_top",
    "ldr r2, ={paint}",
    "1: str r2, [r0]",
    "adds r0, #4",
    "cmp r0, r1",
    "bne 1b",
    // .data from its copy in flash.
    "ldr r0, =data_start",
    "ldr r1, =data_end",
    "ldr r2, =data_load",
    "b 3f",
    "2: ldr r3, [r2]",
    "str r3, [r0]",
    "adds r0, #4",
    "adds r2, #4",
    "3: cmp r0, r1",
    "bne 2b",
    // .bss to zero.
    "ldr r0, =bss_start",
    "ldr r1, =bss_end",
    "movs r2, #0",
    "b 5f",
    "4: str r2, [r0]",
    "adds r0, #4",
    "5: cmp r0, r1",
    "bne 4b",
    // Start SysTick: the longest period, no interrupt, the processor's clock.
    "ldr r0, =0xE000E010",
    "ldr r1, =0x00FFFFFF",
    "str r1, [r0, #4]",
    "str r1, [r0, #8]",
    "movs r1, #5",
    "str r1, [r0]",
    // On AN386 the board's timer: reload and value first, then run.
    ".if {timer}",
    "ldr r0, =0x40000000",
    "ldr r1, =0xFFFFFFFF",
    "str r1, [r0, #8]",
    "str r1, [r0, #4]",
    "movs r1, #1",
    "str r1, [r0]",
    ".endif",
    // The floating point unit, where the target has one (CPACR, coprocessors 10 and 11).
    ".if {fpu}",
    "ldr r0, =0xE000ED88",
    "ldr r1, [r0]",
    "ldr r2, =0x00F00000",
    "orrs r1, r2",
    "str r1, [r0]",
    "dsb",
    "isb",
    ".endif",
    "bl board_main",
    "bl {exit}",
    ".pool",
    ".global fault",
    ".thumb_func",
    "fault:",
    "movs r0, #102",
    "bl {exit}",
    ".pool",
    paint = const super::stack::PAINT,
    timer = const cfg!(board = "mps2-an386") as u32,
    fpu = const cfg!(target_abi = "eabihf") as u32,
    exit = sym exit_c,
);

/// Ends the emulation.
pub fn exit(code: u32) -> ! {
    const SYS_EXIT_EXTENDED: u32 = 0x20;
    const APPLICATION_EXIT: u32 = 0x20026;
    let block = [APPLICATION_EXIT, code];
    loop {
        semihost(SYS_EXIT_EXTENDED, block.as_ptr() as usize);
    }
}

extern "C" fn exit_c(code: u32) -> ! {
    exit(code)
}

#[inline(never)]
pub(crate) fn write_byte(byte: u8) {
    const SYS_WRITEC: u32 = 0x03;
    semihost(SYS_WRITEC, (&raw const byte) as usize);
}

fn semihost(operation: u32, argument: usize) {
    // SAFETY: the debugger reads the operation's argument block, which lives
    // longer than this call, and writes only r0.
    unsafe {
        asm!("bkpt 0xAB", inlateout("r0") operation => _, in("r1") argument, options(nostack));
    }
}

/// Waits for the timer to step from one value to the one below by changing the
/// bits of [`STEP`], and returns that value and how many rounds of seven
/// instructions it took.
///
/// The two reads are neighbouring instructions, and seven is coprime to the
/// instructions between two such steps (125, 80, 100 or 125), so the step falls
/// between the reads after at most that many rounds: then the time is known to the
/// instruction.
#[inline(never)]
fn next_step() -> (u32, u32) {
    let (tick, rounds);
    // SAFETY: reads the timer's current value, which has no effect on memory.
    unsafe {
        asm!(
            "2:",
            "adds {rounds}, #1",
            "ldr {before}, [{timer}]",
            "ldr {after}, [{timer}]",
            "eors {before}, {after}",
            "nop",
            "cmp {before}, #{step}",
            "bne 2b",
            timer = in(reg) TIMER,
            before = out(reg) _,
            after = out(reg) tick,
            step = const STEP,
            rounds = inout(reg) 0_u32 => rounds,
            options(nostack),
        );
    }
    (tick, rounds)
}

/// The instructions between two points around `work`; the overhead is fixed.
#[inline(never)]
pub(crate) fn count(work: &mut dyn FnMut()) -> u64 {
    let (start, _) = next_step();
    work();
    let (end, rounds) = next_step();
    let ticks = start.wrapping_sub(end) & TIMER_MASK;
    u64::from(ticks) * FOUR_TICKS / 4 - 7 * u64::from(rounds)
}

#[inline(never)]
pub(crate) fn spin(rounds: u32) {
    // SAFETY: counts a register down.
    unsafe {
        asm!("2:", "nop", "subs {n}, #1", "nop", "bne 2b", n = inout(reg) rounds => _, options(nomem, nostack));
    }
}
