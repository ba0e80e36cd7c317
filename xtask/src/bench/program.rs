//! The program that runs a model on a board.

use std::fmt::Write;
use std::path::PathBuf;

use super::model::Model;
use super::options::Build;
use crate::firmware::PROFILES;
use crate::project;
use crate::toolchain::Toolchain;

/// Why there is no program.
pub(super) enum Failure {
    /// The board has too little of this.
    Lacks(String),
    /// Anything else.
    Other(String),
}

impl From<String> for Failure {
    fn from(error: String) -> Self {
        Self::Other(error)
    }
}

/// Writes what differs from model to model. Returns the file of Rust.
pub(super) fn write(model: &Model) -> Result<PathBuf, String> {
    let folder = project::firmware_target().join("bench");
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    std::fs::create_dir_all(&folder).map_err(failed)?;
    for index in 0..model.plan.program.inputs.len() {
        std::fs::write(folder.join(format!("input{index}.bin")), model.input(index)).map_err(failed)?;
    }
    let main = folder.join("network.rs");
    std::fs::write(&main, source(model)).map_err(failed)?;
    Ok(main)
}

/// Builds it. Returns the ELF file.
pub(super) fn build(model: &Model, build: &Build, toolchain: &Toolchain) -> Result<PathBuf, Failure> {
    let main = write(model)?;
    let profile = PROFILES.iter().find(|(_, opt)| *opt == build.opt).map_or("release", |(profile, _)| profile);
    let mut cargo = project::cargo(&project::firmware());
    cargo.args(["build", "--quiet", "--package", "bench", "--profile", profile, "--target-dir"]);
    cargo.arg(project::firmware_target()).env("WATERLINE_BENCH", &main);
    if build.layers {
        cargo.args(["--features", "layers"]);
    }
    toolchain.apply(&mut cargo, build.board);
    project::output(&mut cargo).map_err(|error| lacks(&error).map_or(Failure::Other(error), Failure::Lacks))?;
    Ok(project::firmware_target().join(build.board.target).join(profile).join("bench"))
}

/// What the board has too little of, by the linker's messages.
fn lacks(errors: &str) -> Option<String> {
    let overflows = errors.lines().filter_map(|line| {
        let (region, by) = line.split_once("will not fit in region '")?.1.split_once("': overflowed by ")?;
        Some((region.to_owned(), by.split(' ').next()?.parse::<u64>().ok()?))
    });
    // Each section that does not fit is told of; the last overflows by all that is too much.
    let most = overflows.max_by_key(|(_, bytes)| *bytes);
    let most = most.map(|(region, bytes)| format!("{bytes} bytes of {region}"));
    // What the linker script asserts.
    most.or_else(|| errors.contains("the arena and the stack do not fit").then(|| "RAM for arena and stack".to_owned()))
}

/// What differs from model to model: see `examples/firmware/bench`.
fn source(model: &Model) -> String {
    let program = &model.plan.program;
    let mut code = format!("waterline::graph! {{ {} }}\n", model.source);
    let _ = writeln!(code, "const SAMPLES: usize = {};", model.samples.inputs.len());
    code.push_str("fn fill(frame: &mut network::Frame<'_>, sample: usize) {\n");
    for (index, input) in program.inputs.iter().enumerate() {
        let name = &program.tensor(input.tensor).name;
        let _ = writeln!(code, "    copy(frame.{name}(), include_bytes!(\"input{index}.bin\"), sample);");
    }
    code.push_str("}\nfn show(outputs: &network::Outputs<'_>) {\n");
    for output in &program.outputs {
        let _ = writeln!(code, "    hex(outputs.{}());", output.name);
    }
    code.push_str("}\n");
    code
}

#[cfg(test)]
mod tests {
    #[test]
    fn reads_what_the_linker_says() {
        let message = "ld: error: section '.rodata' will not fit in region 'FLASH': overflowed by 12 bytes\n\
                       ld: error: section '.data' will not fit in region 'FLASH': overflowed by 20 bytes";
        assert_eq!(super::lacks(message), Some("20 bytes of FLASH".to_owned()));
        assert_eq!(super::lacks("error: expected `;`"), None);
    }
}
