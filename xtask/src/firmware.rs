//! `cargo xtask firmware`: builds the firmware for each board, runs it in the
//! emulator, compares its results with the host's and checks its ELF files.

use std::path::Path;

use planner_core::arch::Arch;

use crate::arguments::one_of;
use crate::boards::{BOARDS, Board};
use crate::kernels;
use crate::project;
use crate::record::Record;
use crate::row::{self, Row};
use crate::toolchain::{self, Toolchain};

/// The firmware's programs with a network, and the files of their weights where those can be found again in the
/// program.
const MODELS: [(&str, Option<&str>); 4] = [
    ("digits-f32", Some("examples/digits/weights/digits_f32.safetensors")),
    ("digits-int8", Some("examples/digits/weights/digits_int8.safetensors")),
    ("person", None),
    ("wakeword", Some("examples/wakeword/weights/wakeword.safetensors")),
];

/// What to build and how to tell of it.
#[derive(Default)]
pub(crate) struct Options {
    json: bool,
    board: Option<String>,
    opt: Option<String>,
    /// Random layers alone.
    kernels: bool,
}

/// A profile of the firmware's workspace and its opt-level.
pub(crate) const PROFILES: [(&str, &str); 2] = [("release", "3"), ("small", "s")];

/// Runs the chore.
pub(crate) fn main(arguments: &[String]) -> Result<(), String> {
    let missing = run(&parse(arguments)?)?;
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!("this machine could not run all of it; it lacks\n  {}", missing.join("\n  ")))
}

fn parse(arguments: &[String]) -> Result<Options, String> {
    let mut options = Options::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = |allowed: &[&str]| one_of(argument, rest.next(), allowed).map(Some);
        match argument.as_str() {
            "--json" => options.json = true,
            "--kernels" => options.kernels = true,
            "--board" => options.board = value(&BOARDS.map(|board| board.name))?,
            "--opt" => options.opt = value(&PROFILES.map(|(_, opt)| opt))?,
            other => return Err(format!("`cargo xtask firmware` has no option `{other}`")),
        }
    }
    Ok(options)
}

/// Builds, runs and checks. Returns what could not be run and how to get it.
pub(crate) fn run(options: &Options) -> Result<Vec<String>, String> {
    let wanted = |choice: &Option<String>, name: &str| choice.as_ref().is_none_or(|choice| choice == name);
    let boards = BOARDS.iter().filter(|board| wanted(&options.board, board.name));
    let profiles: Vec<_> = PROFILES.iter().filter(|(_, opt)| wanted(&options.opt, opt)).collect();
    let (ready, missing) = find_toolchains(boards);
    if ready.is_empty() {
        return Ok(missing);
    }

    if options.kernels {
        for (board, toolchain) in &ready {
            profiles.iter().try_for_each(|(profile, _)| kernels::check(board, toolchain, profile))?;
        }
        return Ok(missing);
    }
    let reference = run_reference()?;
    if !options.json {
        println!("{}", row::HEADER);
    }
    let mut failures = Vec::new();
    for (board, toolchain) in &ready {
        for (profile, opt) in &profiles {
            build(board, toolchain, profile)?;
            let folder = project::firmware_target().join(board.target).join(profile);
            calibrate(board, &folder)?;
            kernels::check(board, toolchain, profile)?;
            for (model, weights) in MODELS {
                let row = Row::measure(board, opt, model, &folder.join(model), &reference)?;
                println!("{}", if options.json { row.json() } else { row.table() });
                // Packed weights are other bytes than the file's.
                let weights = weights.filter(|_| board.arch == Arch::Portable);
                let failed = row.check(weights.map(|file| project::root().join(file)).as_deref())?;
                failures.extend(failed.into_iter().map(|failure| format!("{} {opt} {model}: {failure}", board.name)));
            }
        }
    }
    if failures.is_empty() { Ok(missing) } else { Err(format!("firmware:\n  {}", failures.join("\n  "))) }
}

/// A board and the way to build for it.
type Ready = (&'static Board, Toolchain);

/// The boards that can be built for and run, and what the others lack.
fn find_toolchains(boards: impl Iterator<Item = &'static Board>) -> (Vec<Ready>, Vec<String>) {
    let mut ready = Vec::new();
    let mut missing = Vec::new();
    for board in boards {
        match (Toolchain::find(board.target), toolchain::find_emulator(board)) {
            (Ok(toolchain), Ok(())) => ready.push((board, toolchain)),
            (toolchain, emulator) => {
                let lacks = toolchain.err().into_iter().chain(emulator.err());
                missing.extend(lacks.map(|lack| format!("board {}: {lack}", board.name)));
            }
        }
    }
    (ready, missing)
}

/// What the firmware has to print, by the host.
fn run_reference() -> Result<String, String> {
    let mut cargo = project::cargo(&project::firmware());
    cargo.args(["run", "--quiet", "--release", "--package", "reference", "--target-dir"]);
    cargo.arg(project::firmware_target());
    project::output(&mut cargo)
}

/// Builds all programs for a board. Boards of one target share a folder, so they run before the next is built.
fn build(board: &Board, toolchain: &Toolchain, profile: &str) -> Result<(), String> {
    let mut cargo = project::cargo(&project::firmware());
    cargo.args(["build", "--quiet", "--package", "firmware", "--bins", "--profile", profile, "--target-dir"]);
    cargo.arg(project::firmware_target());
    toolchain.apply(&mut cargo, board);
    project::output(&mut cargo).map(drop)
}

/// Checks that instructions are counted exactly there: the program exits with
/// 1 when a count is wrong, after a line that says by how much.
fn calibrate(board: &Board, folder: &Path) -> Result<(), String> {
    let printed = board.run(&folder.join("calibrate"))?;
    match Record::all(&printed).next().ok_or("calibrate printed nothing")?.number("worst")? {
        0 => Ok(()),
        worst => Err(format!("{}: instructions are counted wrong by up to {worst}", board.name)),
    }
}
