//! Where the project's things are, and how its commands are started.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The top of the project.
pub(crate) fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here)
}

/// The firmware's own workspace.
pub(crate) fn firmware() -> PathBuf {
    root().join("examples/firmware")
}

/// Where cargo builds.
pub(crate) fn target() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    root().join(target)
}

/// Where the firmware is built.
pub(crate) fn firmware_target() -> PathBuf {
    target().join("firmware")
}

/// `cargo` in a folder of the project.
pub(crate) fn cargo(folder: &Path) -> Command {
    let mut command = Command::new("cargo");
    command.current_dir(folder);
    // Cargo set these for this program's own package; scripts must not take
    // them for those of what they build.
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        if name.starts_with("CARGO_PKG_") || name == "CARGO_MANIFEST_DIR" || name == "CARGO_MANIFEST_PATH" {
            command.env_remove(name.as_ref());
        }
    }
    command
}

/// Runs a command to its end and returns what it printed. Fails with both
/// outputs when its exit code is not zero.
pub(crate) fn output(command: &mut Command) -> Result<String, String> {
    let shown = show(command);
    let result = command.output().map_err(|error| format!("{shown}: {error}"))?;
    let printed = String::from_utf8_lossy(&result.stdout).into_owned();
    if result.status.success() {
        return Ok(printed);
    }
    let errors = String::from_utf8_lossy(&result.stderr);
    Err(format!("{shown}: {}\n{printed}{errors}", result.status))
}

/// The command as one would type it.
pub(crate) fn show(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
