//! One line on a run of a network.

use crate::images::IMAGES;
use crate::workload::{Element, Workload};
use board::{print, print_hex, print_number};

/// Runs the network on all images and prints the line. Returns the exit code.
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
    for image in &IMAGES {
        for value in W::run(network.fill(image)) {
            value.bytes(print_hex);
        }
    }
    print("\"}\n");
    u32::from(!agree)
}

/// Each image by a plain run and by steps: the most instructions of a plain
/// run, and whether both ways gave the same bytes.
#[inline(never)]
fn rehearse<W: Workload>(network: &mut W) -> (u64, bool) {
    let mut most = 0;
    let mut agree = true;
    for image in &IMAGES {
        let frame = network.fill(image);
        let (scores, instructions) = board::count(move || W::run(frame));
        most = most.max(instructions);
        let plain = checksum(scores);
        agree &= plain == checksum(W::run_by_steps(network.fill(image)));
    }
    (most, agree)
}

/// FNV-1a: enough to tell two outputs apart without keeping one.
#[inline(never)]
fn checksum<E: Element>(values: &[E]) -> u32 {
    let mut hash = 0x811C_9DC5;
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
