//! What the firmware needs of a board: start-up, printing, an exact count of
//! instructions and the depth of the stack.
//!
//! It runs on the emulated boards of `ld/`: the micro:bit (Cortex-M0), MPS2
//! with AN386 (Cortex-M4F) or AN505 (Cortex-M33), MPS3 with AN547 (Cortex-M55), and RISC-V's `virt`. All
//! `unsafe` of the firmware is in this crate. It depends on nothing, formats
//! without `core::fmt` and refers to no panic.
#![no_std]

use core::hint::black_box;

#[cfg(target_arch = "arm")]
#[path = "arm.rs"]
mod arch;
#[cfg(any(target_arch = "riscv32", target_arch = "riscv64"))]
#[path = "riscv.rs"]
mod arch;

mod edge;
mod print;
mod stack;

pub use arch::exit;
pub use edge::take_edge;
pub use print::{print, print_hex, print_number};
pub use stack::{STACK_BYTES, stack_used};

/// How many instructions `work` takes, without those of counting.
///
/// Exact and the same each time under `-icount shift=0`. On the micro:bit,
/// AN505 and AN547 a count that passes 2^24 ticks of the timer (1,048, 838 and 524
/// million instructions) is too small by a multiple of that; on AN386 only one of 2^32.
pub fn count<R>(work: impl FnOnce() -> R) -> (R, u64) {
    // Both counts go through one function that knows neither closure, so that
    // the overhead of both is the same.
    let overhead = arch::count(black_box(&mut || {}));
    let mut work = Some(work);
    let mut result = None;
    let instructions = arch::count(black_box(&mut || {
        if let Some(work) = work.take() {
            result = Some(work());
        }
    }));
    match result {
        Some(result) => (result, instructions.saturating_sub(overhead)),
        None => exit(103),
    }
}

/// A loop of exactly `4 * rounds` instructions, to check [`count`] by, and the
/// call of it.
pub fn spin(rounds: u32) {
    arch::spin(rounds);
}

/// Makes the function given the program's entry: it returns the exit code.
#[macro_export]
macro_rules! entry {
    ($main:path) => {
        #[unsafe(no_mangle)]
        extern "C" fn board_main() -> u32 {
            let main: fn() -> u32 = $main;
            main()
        }
    };
}

/// Required by the language. Nothing refers to it: the checks of the firmware
/// fail when an ELF holds any of the machinery that would.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    exit(101)
}
