//! `cargo xtask profile`: the steps of models that take the most.

use std::fmt::Write;

use super::layers::Layers;
use super::options::{Build, Models, Options};
use super::program::Failure;
use super::table::{self, grouped, per};
use super::{Run, files, measure};
use crate::toolchain::{self, Toolchain};

/// How many steps are shown, and how many are written.
const SHOWN: usize = 10;
const WRITTEN: usize = 3;

/// Runs the chore.
pub(crate) fn main(arguments: &[String]) -> Result<(), String> {
    let (names, rest) = match arguments {
        [names, rest @ ..] if !names.starts_with("--") => (Some(names), rest),
        rest => (None, rest),
    };
    let mut options = Options::parse(rest)?;
    if let Some(names) = names {
        options.models = Models::Named(names.split(',').map(str::to_owned).collect());
    } else if !options.write {
        return Err("`cargo xtask profile` takes a model's name".to_owned());
    }
    let mut rows = String::new();
    for board in &options.boards {
        let toolchain = Toolchain::find(board.target)?;
        toolchain::find_emulator(board)?;
        for opt in &options.opts {
            for path in files(&options.models)? {
                let build = Build { board, opt, layers: true };
                let name = path.file_stem().unwrap_or_default().to_string_lossy();
                let Run { layers, .. } = match measure(&path, &build, &options.plan, &toolchain) {
                    Ok(run) => run,
                    Err(Failure::Lacks(what)) => return Err(format!("{name}: {} lacks {what}", board.name)),
                    Err(Failure::Other(why)) => return Err(format!("{name}: {why}")),
                };
                let Some(layers) = layers else { continue };
                if !options.json {
                    println!("{name} on {}, opt-level {opt}", board.name);
                }
                layers.show(&name, layers.largest(SHOWN), options.json);
                rows += &markdown(&name, &layers);
            }
        }
    }
    if options.write { table::write_section("profile", &format!("{HEADER}{rows}\n")) } else { Ok(()) }
}

const HEADER: &str = "| model | step | of all | MACs | instructions | a MAC | cycles | a MAC |\n\
                      |---|---|---|---|---|---|---|---|\n";

/// The rows of the largest steps of `model`, and of the whole.
fn markdown(model: &str, layers: &Layers) -> String {
    let mut text = String::new();
    let mut row = |what: &str, share: u64, macs: u64, instructions: u64, cycles: Option<u64>| {
        let [number, each] =
            cycles.map_or(["-".to_owned(), "-".to_owned()], |cycles| [grouped(cycles), per(cycles, macs)]);
        let ours = per(instructions, macs);
        let [macs, instructions] = [macs, instructions].map(grouped);
        let _ = writeln!(text, "| {what} | {share} % | {macs} | {instructions} | {ours} | {number} | {each} |");
    };
    let macs = layers.in_order().iter().map(|layer| layer.macs).sum();
    row(&format!("{model} | all"), 100, macs, layers.whole, layers.cycles);
    for layer in layers.largest(WRITTEN) {
        let what = format!("| {}: {}", layer.index, layer.kernel);
        row(&what, layers.share(layer), layer.macs, layer.instructions, layer.cycles);
    }
    text
}
