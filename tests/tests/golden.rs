//! What `graph!` becomes, as text that a person reviews: `tests/golden/*.graph` and the `.rs` beside each.
//!
//! `UPDATE_GOLDEN=1 cargo test -p waterline-tests --test golden` writes the `.rs` files anew.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The code of the network in `path`, formatted.
fn expanded(path: &Path) -> String {
    let tokens = format!("(waterline) {}", std::fs::read_to_string(path).unwrap()).parse().unwrap();
    let code = planner_dsl::expand_with(tokens, &mut planner_dsl::files::Files::new(PathBuf::new()));
    let mut rustfmt = Command::new("rustfmt")
        .args(["--edition", "2024", "--config", "max_width=120,use_small_heuristics=Max,normalize_doc_attributes=true"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("rustfmt is a component of the toolchain that rust-toolchain.toml names");
    rustfmt.stdin.take().unwrap().write_all(code.to_string().as_bytes()).unwrap();
    let output = rustfmt.wait_with_output().unwrap();
    assert!(output.status.success(), "the code of {} does not parse", path.display());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_code_is_what_was_reviewed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    let mut graphs: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    graphs.retain(|path| path.extension().is_some_and(|extension| extension == "graph"));
    assert!(!graphs.is_empty());
    for graph in graphs {
        let (code, golden) = (expanded(&graph), graph.with_extension("rs"));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&golden, code).unwrap();
        } else {
            let reviewed = std::fs::read_to_string(&golden).unwrap_or_default();
            assert!(code == reviewed, "{} differs; see UPDATE_GOLDEN in golden.rs\n{code}", golden.display());
        }
    }
}
