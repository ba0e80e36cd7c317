//! Prints what all samples of a model file give, and then, for each line on the input, the median nanoseconds of
//! a run of a batch. The argument is how many runs a batch has.
//!
//! The file named by `WATERLINE_BENCH`, written by `cargo xtask host-bench`, holds the network, `SAMPLES`, `fill` and
//! `show`.
#![forbid(unsafe_code)]

use std::hint::black_box;
use std::time::Instant;

include!(env!("WATERLINE_BENCH"));

fn main() {
    let batch: usize = std::env::args().nth(1).and_then(|runs| runs.parse().ok()).expect("runs of a batch");
    let mut arena = Box::new(network::Arena::new());
    for sample in 0..SAMPLES {
        let mut frame = arena.frame();
        fill(&mut frame, sample);
        print!("{{\"output\":\"");
        show(&frame.run());
        println!("\"}}");
    }
    for _ in std::io::stdin().lines() {
        let mut times = Vec::new();
        for _ in 0..batch {
            let begun = Instant::now();
            black_box(arena.frame().run());
            times.push(begun.elapsed().as_nanos());
        }
        times.sort_unstable();
        println!("{{\"nanoseconds\":{}}}", times[batch / 2]);
    }
}

/// Copies the `sample`-th of the inputs in `all` to its place.
fn copy<T: bytemuck::Pod, const LEN: usize>(slot: &mut [T; LEN], all: &[u8], sample: usize) {
    let slot = bytemuck::must_cast_slice_mut::<T, u8>(slot);
    let start = sample * slot.len();
    slot.copy_from_slice(&all[start..start + slot.len()]);
}

/// Prints an output's bytes.
fn hex<T: bytemuck::NoUninit, const LEN: usize>(output: &[T; LEN]) {
    for byte in bytemuck::must_cast_slice::<T, u8>(output) {
        print!("{byte:02x}");
    }
}
