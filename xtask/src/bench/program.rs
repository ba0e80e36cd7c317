//! The program that runs a model on a board.

use std::fmt::Write;
use std::path::PathBuf;

use super::Options;
use super::model::Model;
use crate::firmware::PROFILES;
use crate::project;
use crate::toolchain::Toolchain;

/// Builds it. Returns the ELF file.
pub(super) fn build(model: &Model, options: &Options, toolchain: &Toolchain) -> Result<PathBuf, String> {
    let folder = project::firmware_target().join("bench");
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    std::fs::create_dir_all(&folder).map_err(failed)?;
    for index in 0..model.plan.program.inputs.len() {
        std::fs::write(folder.join(format!("input{index}.bin")), model.input(index)).map_err(failed)?;
    }
    let main = folder.join("network.rs");
    std::fs::write(&main, source(model)).map_err(failed)?;

    let profile = PROFILES.iter().find(|(_, opt)| *opt == options.opt).map_or("release", |(profile, _)| profile);
    let mut cargo = project::cargo(&project::firmware());
    cargo.args(["build", "--quiet", "--package", "bench", "--profile", profile, "--target-dir"]);
    cargo.arg(project::firmware_target()).env("WATERLINE_BENCH", &main);
    if options.layers {
        cargo.args(["--features", "layers"]);
    }
    toolchain.apply(&mut cargo, &[options.board.target]);
    project::output(&mut cargo)?;
    Ok(project::firmware_target().join(options.board.target).join(profile).join("bench"))
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
