//! Prints what each network of the firmware has to print on a board.

use std::fmt::Write;

use firmware::networks::{DigitsF32, DigitsInt8, Person, WakeWord};
use firmware::workload::{Element, Workload};

fn report<W: Workload>() {
    let mut network = W::take().expect("taken once");
    let mut output = String::new();
    for sample in 0..W::SAMPLES {
        for value in W::run(network.fill(sample)) {
            value.bytes(|bytes| bytes.iter().for_each(|byte| write!(output, "{byte:02x}").expect("a string grows")));
        }
    }
    println!("{{\"model\":\"{}\",\"output\":\"{output}\"}}", W::NAME);
}

fn main() {
    report::<DigitsF32>();
    report::<DigitsInt8>();
    report::<Person>();
    report::<WakeWord>();
}
