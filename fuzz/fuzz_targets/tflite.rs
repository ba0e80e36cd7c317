//! Bytes as a `.tflite` file: an error, or a network whose types agree and whose operators are lowered or refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use planner_core::import::{Bindings, Options, tflite};
use planner_core::source::Src;
use planner_core::{infer, steps};

fuzz_target!(|bytes: &[u8]| {
    let plain = Bindings::default();
    let options = |bindings| Options { name: "net", src: Src(0), bindings, is_reserved: |_| false };
    let shown = tflite::interface(bytes, &options(&plain)).unwrap_or_default();
    for bindings in [&plain, &Bindings::default().quantized(&shown, Src(0))] {
        if let Ok(model) = tflite::import(bytes, &options(bindings)) {
            let typed = infer::infer(model).expect("what is accepted has types");
            let _ = steps::lower(&typed);
        }
    }
});
