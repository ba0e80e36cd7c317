//! Runs all samples of a model file and prints what each took and gave.
//!
//! The file named by `WATERLINE_BENCH`, written by `cargo xtask bench`, holds the network, `SAMPLES`, `fill` and
//! `show`.
#![no_std]
#![no_main]
#![forbid(unsafe_code)]

use board::{print, print_hex, print_number};
use bytemuck::NoUninit;
use static_cell::ConstStaticCell;

include!(env!("WATERLINE_BENCH"));

static ARENA: ConstStaticCell<network::Arena> = ConstStaticCell::new(network::Arena::new());

board::entry!(main);

fn main() -> u32 {
    let Some(arena) = ARENA.try_take() else { return 1 };
    for sample in 0..SAMPLES {
        let mut frame = arena.frame();
        fill(&mut frame, sample);
        let (outputs, instructions) = board::count(move || run(frame));
        // Before anything is printed, which takes stack too.
        let stack = board::stack_used();
        print("{\"instructions\":");
        print_number(instructions);
        print(",\"stack\":");
        print_number(stack as u64);
        print(",\"output\":\"");
        show(&outputs);
        print("\"}\n");
        // Next to the whole: what traces both need not go on.
        #[cfg(feature = "layers")]
        if sample == 0 {
            layers(arena);
        }
    }
    0
}

#[inline(never)]
fn run(frame: network::Frame<'_>) -> network::Outputs<'_> {
    frame.run()
}

/// Runs the first sample again and prints a line a step.
#[cfg(feature = "layers")]
fn layers(arena: &mut network::Arena) {
    arena.reset();
    let mut frame = arena.frame();
    fill(&mut frame, 0);
    let mut stepper = frame.steps();
    loop {
        let (step, instructions) = board::count(|| stepper.step());
        let Some(step) = step else { return };
        print("{\"step\":\"");
        print(step.name);
        print("\",\"instructions\":");
        print_number(instructions);
        print("}\n");
    }
}

/// Copies the `sample`-th of the inputs in `all` to its place.
fn copy<T: bytemuck::Pod, const LEN: usize>(slot: &mut [T; LEN], all: &[u8], sample: usize) {
    let slot = bytemuck::must_cast_slice_mut::<T, u8>(slot);
    for (to, from) in slot.iter_mut().zip(all.iter().skip(sample * size_of::<[T; LEN]>())) {
        *to = *from;
    }
}

/// Prints an output's bytes.
fn hex<T: NoUninit, const LEN: usize>(output: &[T; LEN]) {
    print_hex(bytemuck::must_cast_slice(output));
}
