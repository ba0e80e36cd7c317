//! `cargo xtask bench`: public models on emulated boards, against their oracles.

mod baselines;
mod model;
mod program;

use std::path::{Path, PathBuf};

use crate::arguments::one_of;
use crate::boards::{BOARDS, Board};
use crate::elf::Elf;
use crate::firmware::PROFILES;
use crate::record::Record;
use crate::toolchain::{self, Toolchain};
use model::Model;

/// What to run.
struct Options {
    board: &'static Board,
    models: Vec<String>,
    opt: String,
    json: bool,
    layers: bool,
}

/// Runs the chore.
pub(crate) fn main(arguments: &[String]) -> Result<(), String> {
    let options = parse(arguments)?;
    let toolchain = Toolchain::find(options.board.target)?;
    toolchain::find_emulator(options.board)?;
    if !options.json {
        println!("{HEADER}");
    }
    let mut failures = Vec::new();
    for path in files(&options.models)? {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        match measure(&path, &name, &options, &toolchain) {
            Ok(row) => {
                println!("{}", if options.json { row.json() } else { row.table() });
                failures.extend(row.difference.map(|difference| format!("{name}: {difference}")));
            }
            Err(why) => println!("not run: {name}: {}", why.lines().next().unwrap_or_default()),
        }
    }
    if failures.is_empty() { Ok(()) } else { Err(format!("not equal to the oracle:\n  {}", failures.join("\n  "))) }
}

fn parse(arguments: &[String]) -> Result<Options, String> {
    let default = BOARDS.iter().find(|board| board.name == "mps2-an386").ok_or("no board")?;
    let mut options = Options { board: default, models: Vec::new(), opt: "3".to_owned(), json: false, layers: false };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--json" => options.json = true,
            "--layers" => options.layers = true,
            "--opt" => options.opt = one_of(argument, rest.next(), &PROFILES.map(|(_, opt)| opt))?,
            "--models" => {
                let list = rest.next().ok_or("--models takes a list of names")?;
                options.models.extend(list.split(',').map(str::to_owned));
            }
            "--board" => {
                let name = one_of(argument, rest.next(), &BOARDS.map(|board| board.name))?;
                options.board = BOARDS.iter().find(|board| board.name == name).unwrap_or(default);
            }
            other => return Err(format!("`cargo xtask bench` has no option `{other}`")),
        }
    }
    Ok(options)
}

/// The model files of that names, or all.
fn files(names: &[String]) -> Result<Vec<PathBuf>, String> {
    let folder = std::env::var_os("WATERLINE_ZOO")
        .ok_or("WATERLINE_ZOO is not set: set it to a folder of .tflite and .io.npz files")?;
    let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "tflite"));
    files.sort();
    let stem = |path: &PathBuf| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    if let Some(unknown) = names.iter().find(|name| !files.iter().any(|path| stem(path).as_ref() == Some(name))) {
        return Err(format!("there is no {unknown}.tflite in {}", folder.display()));
    }
    files.retain(|path| names.is_empty() || stem(path).is_some_and(|stem| names.contains(&stem)));
    Ok(files)
}

/// Over the lines for people.
const HEADER: &str =
    "model                                    instructions /MAC  ratio   arena   bound weights    code stack";

/// What one model took.
struct Row {
    board: &'static str,
    model: String,
    opt: String,
    instructions: u64,
    macs: u64,
    arena: usize,
    bound: usize,
    weights: usize,
    code: u64,
    stack: u64,
    difference: Option<String>,
}

fn measure(path: &Path, name: &str, options: &Options, toolchain: &Toolchain) -> Result<Row, String> {
    let model = Model::read(path)?;
    let elf = program::build(&model, options, toolchain)?;
    let printed = options.board.run(&elf)?;
    let mut difference = None;
    let mut first = None;
    let (layers, samples): (Vec<_>, Vec<_>) = Record::all(&printed).partition(|record| record.text("step").is_ok());
    let program = &model.plan.program;
    // Those of the first sample.
    for (record, planned) in layers.iter().zip(&model.plan.steps) {
        let (step, instructions) = (record.text("step")?, record.number("instructions")?);
        let (op, macs) = (program.steps[planned.step].op, program.steps[planned.step].macs);
        println!(
            "{{\"step\":\"{step}\",\"op\":\"{op}\",\"instructions\":{instructions},\"macs\":{macs},\"instructions_per_mac\":{}}}",
            per(instructions, macs)
        );
    }
    for (sample, record) in samples.iter().enumerate() {
        first = first.or(Some((record.number("instructions")?, record.number("stack")?)));
        difference = difference.or(model.difference(sample, record.text("output")?)?);
    }
    let (instructions, stack) = first.ok_or("nothing was printed")?;
    let bytes = std::fs::read(&elf).map_err(|error| format!("{}: {error}", elf.display()))?;
    let sizes = Elf::read(&bytes)?.sizes()?;
    let weights = program.weight_bytes();
    let data = weights + model.samples.inputs.concat().concat().len();
    Ok(Row {
        board: options.board.name,
        model: name.to_owned(),
        opt: options.opt.clone(),
        instructions,
        macs: program.macs(),
        arena: model.plan.arena_bytes,
        bound: model.plan.classic_bound,
        weights,
        code: (sizes.text + sizes.rodata).saturating_sub(data as u64),
        stack,
        difference,
    })
}

/// `a / b` to two places.
#[allow(clippy::cast_precision_loss, reason = "a ratio for people")]
fn per(a: u64, b: u64) -> String {
    if b == 0 { "null".to_owned() } else { format!("{:.2}", a as f64 / b as f64) }
}

impl Row {
    /// Instructions over those of TensorFlow Lite Micro with CMSIS-NN on the Cortex-M4.
    fn ratio(&self) -> String {
        let baseline = baselines::CMSIS_NN.iter().find(|(model, _)| *model == self.model);
        baseline.map_or("null".to_owned(), |(_, instructions)| per(self.instructions, *instructions))
    }

    fn json(&self) -> String {
        let Self { board, model, opt, instructions, macs, arena, bound, weights, code, stack, difference } = self;
        let (each, ratio, equal) = (per(*instructions, *macs), self.ratio(), difference.is_none());
        format!(
            "{{\"board\":\"{board}\",\"model\":\"{model}\",\"opt\":\"{opt}\",\"instructions\":{instructions},\
             \"macs\":{macs},\"instructions_per_mac\":{each},\"ratio\":{ratio},\"arena\":{arena},\"bound\":{bound},\
             \"weights\":{weights},\"code\":{code},\"stack\":{stack},\"equal\":{equal}}}"
        )
    }

    fn table(&self) -> String {
        let Self { model, instructions, macs, arena, bound, weights, code, stack, difference, .. } = self;
        let (each, ratio) = (per(*instructions, *macs), self.ratio());
        let equal = difference.as_ref().map_or("", |_| " DIFFERS");
        format!(
            "{model:40} {instructions:12} {each:>4} {ratio:>6} {arena:7} {bound:7} {weights:7} {code:7} {stack:5}{equal}"
        )
    }
}
