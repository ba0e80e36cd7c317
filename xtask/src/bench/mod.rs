//! `cargo xtask bench`: public models on emulated boards, against their oracles, and what they took.

mod baselines;
mod cycles;
mod figures;
mod host;
mod layers;
mod model;
mod options;
mod profile;
mod program;
mod table;
mod thumb;
mod trace;

use std::path::{Path, PathBuf};

use planner_core::arch::Arch;

use crate::elf::Elf;
use crate::record::Record;
use crate::toolchain::{self, Toolchain};
use figures::{Figures, Row};
use layers::Layers;
use model::Model;
use options::{Build, Models, Options};
use program::Failure;

pub(crate) use host::main as host;
pub(crate) use profile::main as profile;

/// Bytes of stack that every model takes less than on every board, about 100 of them around the network.
const STACK_LIMIT: u64 = 512;

/// Runs the chore.
pub(crate) fn main(arguments: &[String]) -> Result<(), String> {
    let options = Options::parse(arguments)?;
    let mut committed = if options.check || options.write { figures::committed()? } else { Vec::new() };
    let mut failures = Vec::new();
    for board in &options.boards {
        for opt in &options.opts {
            let build = Build { board, opt, layers: options.layers };
            failures.extend(bench(&build, &options, &mut committed)?);
        }
    }
    if !failures.is_empty() {
        return Err(format!("bench:\n  {}", failures.join("\n  ")));
    }
    if options.write {
        figures::write(&mut committed)?;
        table::write(&committed)?;
    }
    Ok(())
}

/// Runs the models built in one way. Returns what is wrong; `committed` gets the figures if they are to be written.
fn bench(build: &Build, options: &Options, committed: &mut Vec<Row>) -> Result<Vec<String>, String> {
    let toolchain = Toolchain::find(build.board.target)?;
    toolchain::find_emulator(build.board)?;
    let rustc = toolchain.version()?;
    if !options.json {
        println!("{} on {}, opt-level {}\n{}", build.board.processor, build.board.name, build.opt, table::HEADER);
    }
    let mut failures = Vec::new();
    for path in files(&options.models)? {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut failed =
            |failure: String| failures.push(format!("{} {} {name}: {failure}", build.board.name, build.opt));
        let (outcome, difference) = match measure(&path, build, &options.plan, &toolchain) {
            Ok(Run { figures, layers, difference }) => {
                if let Some(layers) = layers {
                    layers.show(&name, layers.in_order(), options.json);
                }
                (Ok(figures), difference)
            }
            Err(Failure::Lacks(what)) => (Err(what), None),
            Err(Failure::Other(why)) => {
                println!("not run: {name}: {}", why.lines().next().unwrap_or_default());
                if options.check || options.write {
                    failed(why);
                }
                continue;
            }
        };
        let (board, opt, rustc) = (build.board.name.to_owned(), build.opt.to_owned(), rustc.clone());
        let row = Row { board, opt, model: name.clone(), rustc, outcome };
        let equal = difference.is_none();
        println!("{}", if options.json { json(&row, equal) } else { table::line(&row, equal) });
        if let Some(difference) = difference {
            failed(format!("not equal to the oracle: {difference}"));
        }
        if options.check {
            check(&row, committed).into_iter().for_each(&mut failed);
        }
        if options.write {
            committed.retain(|other| !other.is_of(&row));
            committed.push(row);
        }
    }
    Ok(failures)
}

/// The model files to run.
fn files(models: &Models) -> Result<Vec<PathBuf>, String> {
    let folder = std::env::var_os("WATERLINE_ZOO")
        .ok_or("WATERLINE_ZOO is not set: set it to a folder of .tflite and .io.npz files")?;
    let names = match models {
        Models::Named(names) => names.clone(),
        Models::Baselines => baselines::TFLM.iter().map(|baseline| baseline.model.to_owned()).collect(),
        Models::All => {
            let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
            let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
            files.retain(|path| path.extension().is_some_and(|extension| extension == "tflite"));
            files.sort();
            return Ok(files);
        }
    };
    let file = |name: String| {
        let path = Path::new(&folder).join(format!("{name}.tflite"));
        if path.is_file() { Ok(path) } else { Err(format!("there is no {}", path.display())) }
    };
    names.into_iter().map(file).collect()
}

/// What a model took, and its steps if they were counted, and what of its outputs is wrong.
struct Run {
    figures: Figures,
    layers: Option<Layers>,
    difference: Option<String>,
}

fn measure(path: &Path, build: &Build, plan: &str, toolchain: &Toolchain) -> Result<Run, Failure> {
    let model = Model::read(path, build.board.arch, plan)?;
    let elf = program::build(&model, build, toolchain)?;
    let printed = build.board.run(&elf)?;
    let (steps, samples): (Vec<_>, Vec<_>) = Record::all(&printed).partition(|record| record.text("step").is_ok());
    let first = samples.first().ok_or_else(|| "nothing was printed".to_owned())?;
    let (instructions, stack) = (first.number("instructions")?, first.number("stack")?);
    let layers = if build.layers {
        // Of other processors no table of cycles is at hand.
        let timed = build.board.arch == Arch::Dsp;
        let costs = timed.then(|| cycles::costs(build.board, &elf, 1 + model.plan.steps.len())).transpose()?;
        Some(Layers::new(&model.plan, instructions, &steps, costs.as_deref())?)
    } else {
        None
    };
    let mut difference = None;
    for (sample, record) in samples.iter().enumerate() {
        difference = difference.or(model.difference(sample, record.text("output")?)?);
    }
    let bytes = std::fs::read(&elf).map_err(|error| format!("{}: {error}", elf.display()))?;
    let sizes = Elf::read(&bytes)?.sizes()?;
    let program = &model.plan.program;
    let [arena, bound, weights, inputs] = [
        model.plan.arena_bytes,
        model.plan.classic_bound,
        program.weight_bytes(),
        model.samples.inputs.concat().concat().len(),
    ]
    .map(|bytes| bytes as u64);
    let code = (sizes.text + sizes.rodata).saturating_sub(weights + inputs);
    let figures = Figures { instructions, macs: program.macs(), arena, bound, weights, code, stack };
    Ok(Run { figures, layers, difference })
}

/// Why a row is worse than the committed one, or than others' plans.
fn check(row: &Row, committed: &[Row]) -> Vec<String> {
    let Some(before) = committed.iter().find(|other| other.is_of(row)) else {
        return vec!["no figures are committed: add them by `cargo xtask bench --write`".to_owned()];
    };
    let (figures, before) = match (&row.outcome, &before.outcome) {
        (Ok(figures), Ok(before)) => (figures, before),
        (Err(lacks), Ok(_)) => return vec![format!("it fitted the board, which lacks {lacks}")],
        (_, Err(_)) => return Vec::new(),
    };
    let mut failures = figures.regressions(before);
    let for_speed = row.opt == "3";
    if figures.stack >= STACK_LIMIT {
        failures.push(format!("{} bytes of stack, of less than {STACK_LIMIT} allowed", figures.stack));
    }
    let Some(other) = baselines::of(&row.model) else { return failures };
    if let Some(arena) = other.arena.filter(|arena| figures.arena > *arena) {
        failures.push(format!("an arena of {} bytes, above {arena} of TFLM", figures.arena));
    }
    if let Some(code) = other.code.filter(|code| for_speed && 2 * figures.code > *code) {
        failures.push(format!("{} bytes of code, above half of {code} of TFLM", figures.code));
    }
    failures
}

/// The line of `--json`: the committed figures and what follows from them.
fn json(row: &Row, equal: bool) -> String {
    let line = row.json();
    let Ok(figures) = &row.outcome else { return line };
    let number = |text: String| if text == "-" { "null".to_owned() } else { text };
    let [each, ratio, code] =
        [table::per(figures.instructions, figures.macs), table::ratio(row), table::code_ratio(row)].map(number);
    format!(
        "{},\"instructions_per_mac\":{each},\"ratio\":{ratio},\"code_ratio\":{code},\"equal\":{equal}}}",
        line.trim_end_matches('}')
    )
}
