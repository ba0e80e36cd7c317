//! `cargo xtask host-bench`: public models on this machine, in turn with `LiteRT`.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use planner_core::arch::Arch;

use super::model::Model;
use super::options::Models;
use super::{files, program};
use crate::project;
use crate::record::Record;

/// Runs of a batch. Each is timed by itself: on a busy machine a longer time holds other programs' too.
const BATCH: u32 = 20;
/// Batches of each, in turn.
const BATCHES: usize = 41;
/// Times of `LiteRT` that a model may take.
const MOST: f64 = 2.0;

/// Runs the chore.
pub(crate) fn main(arguments: &[String]) -> Result<(), String> {
    let mut models = Models::Named(["kws_ref_model", "person_detect"].map(str::to_owned).to_vec());
    let mut json = false;
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--json" => json = true,
            "--models" => {
                let list = rest.next().ok_or("`--models` takes a list of names")?;
                models = Models::Named(list.split(',').map(str::to_owned).collect());
            }
            other => return Err(format!("`cargo xtask host-bench` has no option `{other}`")),
        }
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/bench/litert.py");
    find_litert()?;
    if !json {
        println!("{:35} {:>12} {:>12} {:>6} equal", "model", "waterline us", "LiteRT us", "ratio");
    }
    let mut failures = Vec::new();
    for path in files(&models)? {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let model = Model::read(&path, Arch::Portable, "")?;
        let mut ours = Timed::start(Command::new(build(&model)?).arg(BATCH.to_string()))?;
        let mut difference = None;
        for sample in 0..model.samples.inputs.len() {
            let line = ours.line()?;
            let record = Record::all(&line).next().ok_or("no output is printed")?;
            difference = difference.or(model.difference(sample, record.text("output")?)?);
        }
        let mut theirs = Timed::start(Command::new("python3").arg(&script).arg(&path).arg(BATCH.to_string()))?;
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..BATCHES {
            times[0].push(ours.batch()?);
            times[1].push(theirs.batch()?);
        }
        let [ours, theirs] = times.map(median);
        let ratio = ours / theirs;
        let equal = difference.is_none();
        if json {
            println!(
                "{{\"model\":\"{name}\",\"waterline_us\":{ours:.1},\"litert_us\":{theirs:.1},\"ratio\":{ratio:.2},\
                 \"equal\":{equal}}}"
            );
        } else {
            println!("{name:35} {ours:12.1} {theirs:12.1} {ratio:6.2} {equal}");
        }
        failures.extend(difference.map(|difference| format!("{name}: not equal to the oracle: {difference}")));
        if ratio > MOST {
            failures.push(format!("{name}: {ratio:.2} times as long as LiteRT"));
        }
    }
    if failures.is_empty() { Ok(()) } else { Err(format!("host-bench:\n  {}", failures.join("\n  "))) }
}

/// Checks that the Python package is there; otherwise says how to get it.
fn find_litert() -> Result<(), String> {
    let found = Command::new("python3").args(["-c", "import numpy, ai_edge_litert"]).output();
    if found.is_ok_and(|found| found.status.success()) {
        return Ok(());
    }
    Err("this machine lacks LiteRT for python3: `pip install --target FOLDER ai-edge-litert numpy`, and set PYTHONPATH \
         to the folder"
        .to_owned())
}

/// Builds the program that runs `model` here.
fn build(model: &Model) -> Result<std::path::PathBuf, String> {
    let main = program::write(model)?;
    let mut cargo = project::cargo(&project::firmware());
    cargo.args(["build", "--quiet", "--package", "host", "--release", "--target-dir"]);
    cargo.arg(project::firmware_target()).env("WATERLINE_BENCH", &main);
    project::output(&mut cargo)?;
    Ok(project::firmware_target().join("release/host"))
}

/// A program that runs a batch for each line it is given.
struct Timed {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Timed {
    fn start(command: &mut Command) -> Result<Self, String> {
        let shown = project::show(command);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{shown}: {error}"))?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (to, from) = pipes.ok_or("no pipes")?;
        Ok(Self { child, to, from: BufReader::new(from) })
    }

    /// What it prints next.
    fn line(&mut self) -> Result<String, String> {
        let mut line = String::new();
        match self.from.read_line(&mut line) {
            Ok(0) => Err("a program ended early: its errors are above".to_owned()),
            Ok(_) => Ok(line),
            Err(error) => Err(error.to_string()),
        }
    }

    /// The median microseconds of a run of a batch.
    #[allow(clippy::cast_precision_loss, reason = "a time")]
    fn batch(&mut self) -> Result<f64, String> {
        self.to.write_all(b"\n").and_then(|()| self.to.flush()).map_err(|error| error.to_string())?;
        let line = self.line()?;
        let record = Record::all(&line).next().ok_or_else(|| format!("no time in {line}"))?;
        Ok(record.number("nanoseconds")? as f64 / 1000.0)
    }
}

impl Drop for Timed {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
