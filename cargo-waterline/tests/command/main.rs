//! The command as a user runs it, on our own models.

mod check;
mod import;
mod lock;
mod plan;
mod solve;
mod verify;

use std::path::{Path, PathBuf};
use std::process::Command;

/// What a run of the command left behind.
struct Run {
    code: Option<i32>,
    out: String,
    err: String,
}

/// Runs `cargo waterline` as cargo does.
fn waterline(arguments: &[&str]) -> Run {
    let output = Command::new(env!("CARGO_BIN_EXE_cargo-waterline"))
        .arg("waterline")
        .args(arguments)
        .env("CARGO_TARGET_DIR", env!("CARGO_TARGET_TMPDIR"))
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Run { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
}

/// A path in the workspace.
fn root(path: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join(path).display().to_string()
}

/// A new folder for the test `name`.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("command").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// One of our own models.
fn model(name: &str) -> String {
    root(&format!("examples/digits/models/{name}"))
}

#[test]
fn mistakes_are_usage_errors() {
    let run = waterline(&["plna", "x.tflite"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("similar subcommand exists: 'plan'"), "{}", run.err);
}
