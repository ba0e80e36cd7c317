//! Reading a `.tflite` file takes less than ten times its size.
//!
//! A binary of its own, since it counts what the whole process allocates.

#[allow(dead_code, reason = "shared with another binary")]
#[path = "tflite/flatbuffer.rs"]
mod flatbuffer;
#[allow(dead_code, reason = "shared with another binary")]
#[path = "tflite/network.rs"]
mod network;
#[allow(dead_code, reason = "shared with another binary")]
#[path = "tflite/repeated.rs"]
mod repeated;

use peak_alloc::PeakAlloc;
use planner_core::import::{Bindings, Options, tflite};
use planner_core::source::Src;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// What any file may take, however small.
const CONSTANT: usize = 5 << 18;

/// The most memory that was held at once while `bytes` were read.
fn peak(bytes: &[u8]) -> usize {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let options = Options { name: "net", src: Src(0), bindings: &Bindings::default(), is_reserved: |_| false };
    let read = tflite::import(bytes, &options);
    let peak = MEMORY.peak_usage() - before;
    drop(read);
    peak
}

#[test]
fn memory_stays_below_ten_times_the_file() {
    let mut files = vec![
        ("tensors".to_owned(), repeated::tensors(200_000, 10, 4)),
        ("names".to_owned(), repeated::tensors(5_000, 20_000, 4)),
        ("dimensions".to_owned(), repeated::tensors(5_000, 10, 5_000)),
        ("operators".to_owned(), repeated::operators(200_000, 119, 1)),
        ("inputs".to_owned(), repeated::operators(5_000, 2, 5_000)),
        ("chain".to_owned(), repeated::chain(4_000)),
        ("ranges".to_owned(), repeated::ranges(4_000)),
        ("places".to_owned(), repeated::places(1_000)),
        ("many places".to_owned(), repeated::places(1_000_000)),
    ];
    match std::env::var_os("WATERLINE_ZOO") {
        None => println!("WATERLINE_ZOO is not set: no public model is measured."),
        Some(folder) => {
            let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
            let paths = paths.filter(|path| path.extension().is_some_and(|extension| extension == "tflite"));
            files.extend(paths.map(|path| (path.display().to_string(), std::fs::read(path).unwrap())));
        }
    }
    for (name, bytes) in files {
        let peak = peak(&bytes);
        println!("{name}: {} bytes, {peak} held at most", bytes.len());
        assert!(peak < 10 * bytes.len() + CONSTANT, "{name}: {} bytes, {peak} held at most", bytes.len());
    }
}
