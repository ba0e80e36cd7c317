//! What the tests of the front end share.
#![allow(dead_code, reason = "no test uses all of it")]

use planner_core::diagnostic::Diagnostics;
use planner_dsl::files::Files;
use planner_dsl::lower::{Lowered, lower};
use planner_dsl::parse::{Parsed, parse};
use planner_dsl::spans::Spans;
use proc_macro2::TokenStream;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// What became of a text.
pub(crate) struct Outcome {
    pub(crate) parsed: Parsed,
    pub(crate) lowered: Lowered,
    pub(crate) found: Diagnostics,
}

/// Parses and lowers `text`.
pub(crate) fn front_end(text: &str) -> Outcome {
    front_end_of(text.parse().expect("the text is made of tokens"))
}

/// Parses and lowers `tokens`.
pub(crate) fn front_end_of(tokens: TokenStream) -> Outcome {
    let parsed = parse(tokens);
    let mut found = parsed.found.clone();
    let mut lowered = Lowered::default();
    if let Some(ast) = &parsed.ast {
        let mut files = Files::new(folder().join("package")).of(folder().join("source/net.rs"));
        let (lower, more) = lower(ast, &parsed.spans, &mut files);
        lowered = lower;
        found.0.extend(more.0);
    }
    Outcome { parsed, lowered, found }
}

/// The part of `text` that `src` covers.
pub(crate) fn pointed<'t>(text: &'t str, spans: &Spans, src: planner_core::source::Src) -> &'t str {
    let (first, last) = spans.range(src);
    let offset = |at: proc_macro2::LineColumn| {
        let line: usize = text.split_inclusive('\n').take(at.line - 1).map(str::len).sum();
        line + text[line..].chars().take(at.column).map(char::len_utf8).sum::<usize>()
    };
    &text[offset(first.start())..offset(last.end())]
}

/// A folder with `package` and `source`, the folders that paths are relative to, written anew by each test program.
pub(crate) fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(env!("CARGO_CRATE_NAME"));
        let write = |path: &str, bytes: &[u8]| {
            let path = folder.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        };
        let floats = |values: &[f32]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
        let eight = floats(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
        write("package/eight.npy", &npy("<f4", "False", "(2, 4)", &eight));
        write("package/half.npy", &npy("<f2", "False", "(2, 2)", &[0, 0x3c, 0, 0x40, 0, 0x42, 0, 0x44]));
        write("package/column.npy", &npy("<f4", "True", "(2, 4)", &eight));
        write("package/big.npy", &npy(">f4", "False", "(2, 4)", &eight));
        write("package/double.npy", &npy("<f8", "False", "(1, 4)", &eight));
        write("package/truncated.npy", &npy("<f4", "False", "(2, 4)", &eight)[..100]);
        write("package/raw.bin", &eight);
        write("package/short.bin", &eight[..31]);
        write("package/weights.h5", b"\x89HDF");
        write("package/folder.npy/inside", b"");
        write("source/beside.npy", &npy("<f4", "False", "(8,)", &eight));
        let scales = [floats(&[0.5, 0.25]), floats(&[0.125]), floats(&[0.5, f32::NAN]), 7i32.to_le_bytes().to_vec()];
        let tensors = [
            ("block0.w", "F32", "[2,2]", &eight[..16]),
            ("block1.w", "F32", "[2,2]", &eight[16..]),
            ("w", "I8", "[2,4]", &eight[..8]),
            ("w.scale", "F32", "[2]", &scales[0]),
            ("x.scale", "F32", "[]", &scales[1]),
            ("nan.scale", "F32", "[2]", &scales[2]),
            ("x.zero", "I32", "[]", &scales[3]),
            ("odd", "F8_E4M3", "[4]", &eight[..4]),
        ];
        write("package/net.safetensors", &safetensors(&tensors));
        write("package/truncated.safetensors", &safetensors(&tensors)[..550]);
        write("package/hostile.safetensors", &[u64::MAX.to_le_bytes().as_slice(), b"{}"].concat());
        folder
    })
}

/// A file of one array.
pub(crate) fn npy(descr: &str, fortran_order: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': {fortran_order}, 'shape': {shape}, }}\n");
    let length = u16::try_from(header.len()).unwrap().to_le_bytes();
    [b"\x93NUMPY\x01\x00".as_slice(), &length, header.as_bytes(), data].concat()
}

/// A file of named arrays: key, type, shape, data.
pub(crate) fn safetensors(tensors: &[(&str, &str, &str, &[u8])]) -> Vec<u8> {
    let mut data = Vec::new();
    let entries: Vec<String> = tensors
        .iter()
        .map(|(key, dtype, shape, bytes)| {
            let from = data.len();
            data.extend_from_slice(bytes);
            format!(r#""{key}":{{"dtype":"{dtype}","shape":{shape},"data_offsets":[{from},{}]}}"#, data.len())
        })
        .collect();
    let header = format!("{{{}}}", entries.join(","));
    let length = u64::try_from(header.len()).unwrap().to_le_bytes();
    [length.as_slice(), header.as_bytes(), &data].concat()
}
