//! A crate that holds nothing but the network, built and run on this machine.

use crate::Error;
use planner_core::plan::Plan;
use proc_macro2::TokenStream;
use std::path::{Path, PathBuf};
use std::process::Command;

const HARNESS: &str = include_str!("../../harness/main.rs");

/// What a run of all samples computed.
pub(super) struct Computed {
    /// By sample and output.
    pub(super) outputs: Vec<Vec<Vec<u8>>>,
    /// Name and bytes of every result of the first sample, in order of execution.
    pub(super) results: Vec<(String, Vec<u8>)>,
}

/// Builds the network that is `network` in tokens and `plan` when planned, and runs it on `samples`,
/// the bytes of all inputs in turn.
///
/// # Errors
/// What cargo says, or files that cannot be written.
pub(super) fn run(network: &TokenStream, plan: &Plan, samples: &[Vec<Vec<u8>>]) -> Result<Computed, Error> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    let target = std::path::absolute(target.join("waterline"))?;
    let folder = target.join("network");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    // One at a time from here: cargo goes by a file's time to tell what is new, and all programs are called alike.
    let turn = std::fs::File::create(target.join("verify.lock"))?;
    turn.lock()?;
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))
    };
    write("Cargo.toml", manifest().as_bytes())?;
    write("main.rs", HARNESS.replace("NETWORK", &network.to_string()).as_bytes())?;
    write("inputs", &samples.concat().concat())?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let build = Command::new(cargo)
        .args(["run", "--quiet", "--target-dir"])
        .arg(target.join("verify"))
        .args(["--", "inputs", "outputs", "results"])
        .current_dir(&folder)
        .output()?;
    if !build.status.success() {
        return Err(format!("the network does not build or run:\n{}", String::from_utf8_lossy(&build.stderr)).into());
    }
    let outputs = std::fs::read(folder.join("outputs"))?;
    let results = std::fs::read(folder.join("results"))?;
    Ok(Computed { outputs: outputs_of(&outputs, plan, samples.len())?, results: results_of(&results)? })
}

/// Depends on the runtime beside this crate where that is, else on the published one of this version.
/// Optimised enough to run, not so much that building takes longer.
fn manifest() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime");
    let source = match beside.join("Cargo.toml").is_file() {
        true => format!("path = {:?}", beside.display().to_string()),
        false => format!("version = \"={version}\""),
    };
    format!(
        "[package]\nname = \"network\"\nversion = \"{version}\"\nedition = \"2024\"\n\n\
         [[bin]]\nname = \"network\"\npath = \"main.rs\"\n\n\
         [dependencies]\nwaterline = {{ {source} }}\n\n\
         [profile.dev]\nopt-level = 1\ndebug = false\n\n\
         [profile.dev.build-override]\nopt-level = 1\n\n[workspace]\n"
    )
}

fn outputs_of(bytes: &[u8], plan: &Plan, samples: usize) -> Result<Vec<Vec<Vec<u8>>>, Error> {
    let sizes = plan.program.outputs.iter().map(|output| plan.program.tensor(output.tensor).ty.bytes());
    let mut rest = bytes;
    let mut all = Vec::new();
    for _ in 0..samples {
        let mut outputs = Vec::new();
        for size in sizes.clone() {
            outputs.push(take(&mut rest, size)?.to_vec());
        }
        all.push(outputs);
    }
    Ok(all)
}

fn results_of(bytes: &[u8]) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let mut rest = bytes;
    let part = |rest: &mut &[u8]| -> Result<Vec<u8>, Error> {
        let length = take(rest, 8)?.try_into().map(u64::from_le_bytes)?;
        Ok(take(rest, usize::try_from(length)?)?.to_vec())
    };
    let mut results = Vec::new();
    while !rest.is_empty() {
        results.push((String::from_utf8(part(&mut rest)?)?, part(&mut rest)?));
    }
    Ok(results)
}

/// The next `count` bytes.
fn take<'b>(rest: &mut &'b [u8], count: usize) -> Result<&'b [u8], Error> {
    let (bytes, after) = rest.split_at_checked(count).ok_or("the network wrote less than it should have")?;
    *rest = after;
    Ok(bytes)
}
