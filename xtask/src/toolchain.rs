//! How the boards' targets can be built and run on this machine.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::boards::Board;
use crate::project;

/// A way to build for a target.
pub(crate) enum Toolchain {
    /// The target's `core` is installed.
    Installed,
    /// A compiler with the library's source, which builds `core` itself.
    Source {
        /// The compiler.
        rustc: PathBuf,
        /// `rust-lld` or `ld.lld`.
        linker: PathBuf,
    },
}

impl Toolchain {
    /// Finds a way; otherwise says how to get one.
    pub(crate) fn find(target: &str) -> Result<Self, String> {
        let active = sysroot(Path::new("rustc"));
        if let Some(sysroot) = &active
            && sysroot.join("lib/rustlib").join(target).join("lib").is_dir()
        {
            return Ok(Self::Installed);
        }
        let linker = linker(active.as_deref());
        // The active compiler first, then that of the distribution.
        for rustc in ["rustc", "/usr/bin/rustc"].map(PathBuf::from) {
            let has_source = |sysroot: PathBuf| sysroot.join("lib/rustlib/src/rust/library/core").is_dir();
            if !sysroot(&rustc).is_some_and(has_source) {
                continue;
            }
            if let Some(linker) = linker {
                return Ok(Self::Source { rustc, linker });
            }
            return Err(format!("a linker for {target}: `apt-get install lld`"));
        }
        Err(format!(
            "the target {target}: `rustup target add {target}`, or `apt-get install rustc-web rust-web-src lld`"
        ))
    }

    /// The compiler's version.
    pub(crate) fn version(&self) -> Result<String, String> {
        let rustc = match self {
            Self::Installed => Path::new("rustc"),
            Self::Source { rustc, .. } => rustc,
        };
        let printed = project::output(Command::new(rustc).arg("--version").current_dir(project::root()))?;
        printed.split(' ').nth(1).map(str::to_owned).ok_or_else(|| format!("no version in {printed}"))
    }

    /// Sets up cargo to build for `board` that way.
    pub(crate) fn apply(&self, cargo: &mut Command, board: &Board) {
        cargo.args(["--target", board.target]);
        if let Some(feature) = board.feature {
            cargo.args(["--features", feature]);
        }
        let Self::Source { rustc, linker } = self else { return };
        // The library's source needs the variable, and so does the flag.
        cargo.arg("-Zbuild-std=core").env("RUSTC", rustc).env("RUSTC_BOOTSTRAP", "1");
        let name = board.target.to_uppercase().replace(['-', '.'], "_");
        cargo.env(format!("CARGO_TARGET_{name}_LINKER"), linker);
    }
}

/// Checks that the board's emulator is there; otherwise says how to get it.
pub(crate) fn find_emulator(board: &Board) -> Result<(), String> {
    if on_path(board.emulator).is_some() {
        return Ok(());
    }
    let package = if board.emulator.ends_with("arm") { "qemu-system-arm" } else { "qemu-system-misc" };
    Err(format!("the emulator {}: `apt-get install {package}`, or qemu.org", board.emulator))
}

fn sysroot(rustc: &Path) -> Option<PathBuf> {
    let mut command = Command::new(rustc);
    command.args(["--print", "sysroot"]).current_dir(project::root());
    project::output(&mut command).ok().map(|printed| PathBuf::from(printed.trim()))
}

/// The linker that comes with the active compiler, or one on the path.
fn linker(active: Option<&Path>) -> Option<PathBuf> {
    let own = active.and_then(|sysroot| {
        let hosts = std::fs::read_dir(sysroot.join("lib/rustlib")).ok()?;
        let linkers = hosts.filter_map(Result::ok).map(|host| host.path().join("bin/rust-lld"));
        linkers.into_iter().find(|path| path.is_file())
    });
    own.or_else(|| ["rust-lld", "ld.lld"].into_iter().find_map(on_path))
}

/// The program of that name that a shell would run.
pub(crate) fn on_path(program: &str) -> Option<PathBuf> {
    let paths = std::env::var_os("PATH")?;
    std::env::split_paths(&paths).map(|folder| folder.join(program)).find(|path| path.is_file())
}
