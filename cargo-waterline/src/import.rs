//! `import`: a model file in the language, with its weights beside it.

use crate::source::{self, Settings, module_name};
use crate::{Error, Report};
use planner_core::infer;
use planner_dsl::write::{Written, write};
use std::path::{Path, PathBuf};

/// Writes a model file as `graph!` in a file of Rust, and its weights as `.npy` files beside it.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// A model file
    file: PathBuf,
    /// The folder for the file of Rust and the folder of weights, both called as the model file
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Write over files that are there
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    settings: Settings,
}

pub(crate) fn run(args: &Args) -> Result<Report, Error> {
    let lowered = source::model_file(&args.file, &args.settings)?.lowered()?;
    let name = module_name(&args.file);
    let at_file = |error: &dyn std::fmt::Display| format!("error: {error}\n --> {}", args.file.display());
    let typed = infer::infer(lowered.model).map_err(|found| at_file(&found))?;
    let written = write(&typed, &name).map_err(|found| at_file(&found))?;
    let (source, folder) = (args.output.join(format!("{name}.rs")), args.output.join(&name));
    if !args.force
        && let Some(there) = [&source, &folder].into_iter().find(|path| path.exists())
    {
        return Err(format!("{} is there already: `--force` writes over it", there.display()).into());
    }
    save(&written, &args.file, &source, &folder)?;
    let count = written.arrays.len();
    let line = format!("{}: {count} files of weights in {}", source.display(), folder.display());
    Ok(Report { lines: vec![line], sound: true })
}

fn save(written: &Written, model: &Path, source: &Path, folder: &Path) -> Result<(), Error> {
    let at = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    std::fs::create_dir_all(folder).map_err(|error| at(folder, error))?;
    for (name, bytes) in &written.arrays {
        let path = folder.join(name);
        std::fs::write(&path, bytes).map_err(|error| at(&path, error))?;
    }
    let name = model.file_name().unwrap_or_default().to_string_lossy();
    let module: Vec<String> = written.module.lines().map(|line| format!("    {line}")).collect();
    let text = format!(
        "//! The network of `{name}`.\n\nwaterline::graph! {{\n    /// Imported from `{name}`.\n{}\n}}\n",
        module.join("\n")
    );
    std::fs::write(source, text).map_err(|error| at(source, error))?;
    Ok(())
}
