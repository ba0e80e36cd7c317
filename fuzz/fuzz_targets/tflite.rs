//! Bytes as a `.tflite` file: an error, or a network whose types agree and whose operators are lowered or refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use planner_core::import::{Bindings, Options, tflite};
use planner_core::source::Src;
use planner_core::{infer, steps};

fuzz_target!(|bytes: &[u8]| {
    let options = Options { name: "net", src: Src(0), bindings: &Bindings::default(), is_reserved: |_| false };
    if let Ok(model) = tflite::import(bytes, &options) {
        let typed = infer::infer(model).expect("what is accepted has types");
        let _ = steps::lower(&typed);
    }
});
