//! `cargo xtask plan-cost`: what planning costs inside an unoptimised macro, in instructions.

use std::path::Path;
use std::process::Command;

use crate::project;
use crate::toolchain::on_path;

/// 100 ms at two instructions a nanosecond, as 2 GHz with one a cycle: machines that run a compiler are faster.
const LIMIT: u64 = 200_000_000;

/// Runs the chore.
pub(crate) fn main(arguments: &[String]) -> Result<(), String> {
    if let Some(argument) = arguments.first() {
        return Err(format!("`cargo xtask plan-cost` has no option `{argument}`"));
    }
    match run()? {
        Some(missing) => Err(format!("this machine lacks {missing}")),
        None => Ok(()),
    }
}

/// The networks, of 200 operators each, with the most instructions that each may take. In a tangle of views, concats,
/// results in place and over their arguments there is so much to choose that it takes longer.
const NETWORKS: [(&str, u64); 3] = [("residual", LIMIT), ("irregular", LIMIT), ("shared", 3 * LIMIT)];

/// Plans and verifies [`NETWORKS`], two of which it reads too. Returns what is missing to do so.
///
/// Fails when one takes more instructions than it may.
pub(crate) fn run() -> Result<Option<String>, String> {
    if on_path("valgrind").is_none() {
        return Ok(Some("the counter of instructions: `apt-get install valgrind`".to_owned()));
    }
    // The profile of unoptimised macros, whatever the caller's settings are.
    let target = project::target().join("plan-cost");
    let mut build = project::cargo(project::root());
    build.args(["build", "--quiet", "--package", "planner-dsl", "--example", "large"]);
    // As cargo builds macros and what they depend on.
    build.arg("--target-dir").arg(&target).env("CARGO_PROFILE_DEV_OPT_LEVEL", "0").env("CARGO_PROFILE_DEV_DEBUG", "0");
    project::output(&mut build)?;

    let counts = target.join("counts");
    for (network, limit) in NETWORKS {
        let mut valgrind = Command::new("valgrind");
        valgrind.arg("--tool=callgrind").arg(format!("--callgrind-out-file={}", counts.display()));
        project::output(valgrind.arg(target.join("debug/examples/large")).arg(network))?;
        let instructions = total(&counts)?;
        println!(r#"{{"network":"{network}","operators":200,"instructions":{instructions},"limit":{limit}}}"#);
        if instructions > limit {
            return Err(format!("planning 200 operators takes {instructions} instructions, more than {limit}"));
        }
    }
    Ok(None)
}

/// The sum at the end of a file of callgrind's.
fn total(counts: &Path) -> Result<u64, String> {
    let text = std::fs::read_to_string(counts).map_err(|error| format!("{}: {error}", counts.display()))?;
    let total = text.lines().rev().find_map(|line| line.strip_prefix("totals:"));
    total.and_then(|total| total.trim().parse().ok()).ok_or_else(|| format!("{} has no total", counts.display()))
}
