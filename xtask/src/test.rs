//! `cargo xtask test`: every test that this machine can run.

use crate::firmware::{self, Options};
use crate::toolchain::on_path;
use crate::{plan_cost, project};

/// Setting of cargo by which tests run where a read of memory that is not theirs is an error.
const WATCHED: &str = "target.'cfg(all())'.runner = ['valgrind', '--quiet', '--error-exitcode=1']";

/// Runs the chore.
pub(crate) fn main(arguments: &[String]) -> Result<(), String> {
    let mut require_firmware = false;
    for argument in arguments {
        match argument.as_str() {
            "--require-firmware" => require_firmware = true,
            other => return Err(format!("`cargo xtask test` has no option `{other}`")),
        }
    }

    let mut failures = Vec::new();
    let mut missing = Vec::new();
    heading("the workspace on the host");
    host(&["test", "--workspace", "--no-fail-fast"], &mut failures);
    heading("the kernels of the host's own");
    let mut own = vec!["test", "--package", "waterline", "--features", "std", "--lib"];
    if on_path("valgrind").is_some() {
        own.extend(["--config", WATCHED]);
    } else {
        missing.push("what they read outside of their windows: `apt-get install valgrind`".to_owned());
    }
    host(&own, &mut failures);
    heading("the cost of planning");
    match plan_cost::run() {
        Ok(not_run) => missing.extend(not_run),
        Err(message) => failures.push(message),
    }
    heading("the firmware on emulated boards");
    match firmware::run(&Options::default()) {
        Ok(not_run) => missing.extend(not_run),
        Err(message) => failures.push(message),
    }

    heading("summary");
    for item in &missing {
        println!("not run: {item}");
    }
    for item in &failures {
        println!("failed: {item}");
    }
    if !failures.is_empty() {
        return Err(format!("{} of the tests' steps failed", failures.len()));
    }
    if require_firmware && !missing.is_empty() {
        return Err("everything has to run here, and did not".to_owned());
    }
    println!("{}", if missing.is_empty() { "everything ran and passed" } else { "all that ran passed" });
    Ok(())
}

fn heading(text: &str) {
    println!("\n== {text} ==");
}

/// Runs cargo at the top of the project, its output shown as it comes.
fn host(arguments: &[&str], failures: &mut Vec<String>) {
    let mut command = project::cargo(project::root());
    command.args(arguments);
    match command.status() {
        Ok(status) if status.success() => {}
        Ok(status) => failures.push(format!("{}: {status}", project::show(&command))),
        Err(error) => failures.push(format!("{}: {error}", project::show(&command))),
    }
}
