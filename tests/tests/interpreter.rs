//! The interpreter runs programs and knows every kernel.

use planner_core::ops::{Form, TABLE};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use waterline_tests::build::{Builder, f32_type, ints};
use waterline_tests::interpreter::{Interpreter, KERNELS};

#[test]
fn a_chain_runs() {
    let mut net = Builder::new();
    let x = net.input("x", f32_type(&[2, 2]));
    let h = net.apply("relu", &[x], &[]);
    let y = net.apply("reshape", &[h], &[("shape", ints(&[4]))]);
    net.output(y);
    let program = net.lower().unwrap();
    let x = bytemuck::cast_slice(&[-1.0f32, 2.0, -3.0, 4.0]).to_vec();
    for pieces in [1, 3] {
        let outputs = Interpreter::new(&program, &[]).pieces(pieces).run_apart(std::slice::from_ref(&x));
        assert_eq!(bytemuck::cast_slice::<u8, f32>(&outputs[0]), [0.0, 2.0, 0.0, 4.0]);
    }
}

/// Names of kernels end in an element type or size; of the other texts in an operator only choices do.
fn kernels_named_in(source: &str) -> impl Iterator<Item = &str> {
    const ENDS: [&str; 9] = ["_f32", "_i8", "_u8", "_i16", "_i32", "_bool", "_1", "_2", "_4"];
    let word = |text: &&str| text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
    let choice = |text: &str| {
        let mut attrs = TABLE.iter().flat_map(|op| op.signature().attrs);
        attrs.any(|attr| matches!(attr.form, Form::Choice(names) if names.contains(&text)))
    };
    source.split('"').filter(word).filter(move |text| ENDS.iter().any(|end| text.ends_with(end)) && !choice(text))
}

#[test]
fn every_kernel_of_every_operator_has_a_row() {
    let ops = Path::new(env!("CARGO_MANIFEST_DIR")).join("../planner-core/src/ops");
    let mut emitted = BTreeSet::new();
    for entry in fs::read_dir(ops).unwrap() {
        let source = fs::read_to_string(entry.unwrap().path()).unwrap();
        emitted.extend(kernels_named_in(&source).map(String::from));
    }
    let rows: BTreeSet<String> = KERNELS.iter().map(|name| (*name).into()).collect();
    assert_eq!(emitted, rows, "kernels that operators emit, and rows of the interpreter's table");
}
