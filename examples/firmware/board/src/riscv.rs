//! RISC-V's `virt` board: start-up, the serial port, and `minstret` as the
//! counter of instructions.

use core::arch::{asm, global_asm};

// The emulator jumps to the start of memory, which is this section.
global_asm!(
    ".section .vectors, \"ax\"",
    ".global reset",
    "reset:",
    "la sp, stack_top",
    "la t0, fault",
    "csrw mtvec, t0",
    // Paint the stack.
    "la t0, stack_bottom",
    "li t1, {paint}",
    "1: sw t1, 0(t0)",
    "addi t0, t0, 4",
    "bne t0, sp, 1b",
    // .data from its copy in flash.
    "la t0, data_start",
    "la t1, data_end",
    "la t2, data_load",
    "beq t0, t1, 3f",
    "2: lw t3, 0(t2)",
    "sw t3, 0(t0)",
    "addi t0, t0, 4",
    "addi t2, t2, 4",
    "bne t0, t1, 2b",
    // .bss to zero.
    "3: la t0, bss_start",
    "la t1, bss_end",
    "beq t0, t1, 5f",
    "4: sw zero, 0(t0)",
    "addi t0, t0, 4",
    "bne t0, t1, 4b",
    "5: call board_main",
    "call {exit}",
    ".balign 4",
    "fault:",
    "li a0, 102",
    "call {exit}",
    paint = const super::stack::PAINT.cast_signed(),
    exit = sym exit_c,
);

/// Ends the emulation.
pub fn exit(code: u32) -> ! {
    const TEST_DEVICE: *mut u32 = 0x10_0000 as *mut u32;
    let word = if code == 0 { 0x5555 } else { (code << 16) | 0x3333 };
    loop {
        // SAFETY: the board's test device; a write to it ends the emulation.
        unsafe { TEST_DEVICE.write_volatile(word) };
    }
}

extern "C" fn exit_c(code: u32) -> ! {
    exit(code)
}

#[inline(never)]
pub(crate) fn write_byte(byte: u8) {
    const SERIAL: *mut u8 = 0x1000_0000 as *mut u8;
    // SAFETY: the serial port's transmit register; the emulated one is always ready.
    unsafe { SERIAL.write_volatile(byte) };
}

#[inline(never)]
fn instructions() -> u32 {
    let low;
    // SAFETY: reads a counter.
    unsafe { asm!("csrr {}, minstret", out(reg) low, options(nostack)) };
    low
}

/// The instructions between two points around `work`; the overhead is fixed.
#[inline(never)]
pub(crate) fn count(work: &mut dyn FnMut()) -> u64 {
    let start = instructions();
    work();
    u64::from(instructions().wrapping_sub(start))
}

#[inline(never)]
pub(crate) fn spin(rounds: u32) {
    // SAFETY: counts a register down.
    unsafe {
        asm!("2:", "nop", "addi {n}, {n}, -1", "nop", "bnez {n}, 2b", n = inout(reg) rounds => _, options(nomem, nostack));
    }
}
