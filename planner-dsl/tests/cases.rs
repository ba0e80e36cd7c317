//! The corpus in `cases/`: networks, and the model or the errors that they become.
//!
//! A case is a line `# title`, the statements of a network (or a whole module), a line `=>` and
//! what is expected. `BLESS=1 cargo test -p planner-dsl` writes what is found instead, to be reviewed.

mod support;

use std::fmt::Write;
use std::path::Path;
use support::{Outcome, folder, front_end, pointed};

#[test]
fn every_case_becomes_what_is_written() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut different = String::new();
    let mut paths: Vec<_> = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    paths.sort();
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut found = String::new();
        for case in text.split("\n# ") {
            let case = case.trim_start_matches("# ");
            let (title, rest) = case.split_once('\n').unwrap();
            let (source, expected) = rest.split_once("\n=>").unwrap_or((rest, ""));
            let got = outcome(source.trim_end());
            if got.trim() != expected.trim() {
                writeln!(different, "{}: {title}\n{got}", path.display()).unwrap();
            }
            write!(found, "# {title}\n{}\n=>\n{}\n\n", source.trim_end(), got.trim_end()).unwrap();
        }
        if bless {
            std::fs::write(&path, found.trim_end().to_string() + "\n").unwrap();
        }
    }
    assert!(bless || different.is_empty(), "{different}");
}

/// The model, or all errors with what they point at.
fn outcome(source: &str) -> String {
    let text = if source.contains("mod ") || source.starts_with('!') {
        source.trim_start_matches('!').to_string()
    } else {
        format!("mod net {{\n{source}\n}}")
    };
    let Outcome { parsed, lowered, found } = front_end(&text);
    if found.0.is_empty() {
        return lowered.model.to_string();
    }
    let mut out = String::new();
    for diagnostic in &found.0 {
        let token = pointed(&text, &parsed.spans, diagnostic.src);
        writeln!(out, "{:?} at {token}\n{diagnostic}", diagnostic.kind).unwrap();
    }
    out.replace(&folder().display().to_string(), "FOLDER")
}
