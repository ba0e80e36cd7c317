//! One line on a run of a network.

use crate::workload::{Element, Workload};
use board::{print, print_hex, print_number};

/// Runs the network on all samples and prints the line. Returns the exit code.
pub fn report<W: Workload>() -> u32 {
    let Some(mut network) = W::take() else { return 1 };
    let (instructions, agree) = rehearse(&mut network);
    // Before anything is printed, which takes stack too.
    let stack = board::stack_used();
    print("{\"model\":\"");
    print(W::NAME);
    print("\",\"type\":\"");
    print(W::Element::TYPE);
    number("\",\"instructions\":", instructions);
    number(",\"weights\":", W::WEIGHT_BYTES as u64);
    number(",\"arena\":", W::ARENA_BYTES as u64);
    number(",\"io\":", W::IO_BYTES as u64);
    number(",\"stack\":", stack as u64);
    print(",\"output\":\"");
    network.reset();
    for sample in 0..W::SAMPLES {
        for value in W::run(network.fill(sample)) {
            value.bytes(print_hex);
        }
    }
    print("\"}\n");
    u32::from(!agree)
}

/// All samples by plain runs, then by steps: the most instructions of a plain
/// run, and whether both ways gave the same bytes.
#[inline(never)]
fn rehearse<W: Workload>(network: &mut W) -> (u64, bool) {
    let (mut most, mut plain, mut by_steps) = (0, NOTHING, NOTHING);
    network.reset();
    for sample in 0..W::SAMPLES {
        let frame = network.fill(sample);
        let (scores, instructions) = board::count(move || W::run(frame));
        most = most.max(instructions);
        plain = checksum(plain, scores);
    }
    network.reset();
    for sample in 0..W::SAMPLES {
        by_steps = checksum(by_steps, W::run_by_steps(network.fill(sample)));
    }
    (most, plain == by_steps)
}

/// The checksum of nothing.
const NOTHING: u32 = 0x811C_9DC5;

/// FNV-1a, continued: enough to tell two outputs apart without keeping one.
#[inline(never)]
fn checksum<E: Element>(mut hash: u32, values: &[E]) -> u32 {
    for value in values {
        value.bytes(|bytes| {
            for &byte in bytes {
                hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
            }
        });
    }
    hash
}

fn number(label: &str, value: u64) {
    print(label);
    print_number(value);
}
