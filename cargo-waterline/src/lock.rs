//! `lock`: a long search for a plan, kept in a file.

use crate::progress::Progress;
use crate::source::{self, Machine, Settings};
use crate::{Error, Report};
use clap::builder::PossibleValuesParser;
use planner_core::layout::search::Effort;
use planner_core::plan::lock::Lock;
use planner_core::plan::{Options, plan_observed};
use planner_core::steps::Program;
use planner_dsl::Unplanned;
use std::path::{Path, PathBuf};

/// Searches long for the plan of a network, and writes it where `plan { lock = "net.plan" }` finds it.
///
/// Ctrl-C ends the search with the best plan so far. A plan in the file that is no worse stays.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// A file of Rust with `graph!` in it, or a model file
    file: PathBuf,
    /// The network of this name, if the file holds several
    #[arg(long, value_name = "NAME")]
    network: Option<String>,
    /// How long to search
    #[arg(long, default_value = "max", value_parser = PossibleValuesParser::new(Effort::ALL.map(|(name, _)| name)))]
    effort: String,
    /// The file for the plan; by default the one that `lock` names
    #[arg(short, long, value_name = "OUT.plan")]
    output: Option<PathBuf>,
    #[command(flatten)]
    machine: Machine,
    #[command(flatten)]
    settings: Settings,
}

pub(crate) fn run(args: &Args) -> Result<Report, Error> {
    let networks = source::read_named(&args.file, args.network.as_deref(), &args.settings)?;
    let [network] = networks.as_slice() else {
        let error =
            format!("{}: it holds {} networks: say which with `--network`", args.file.display(), networks.len());
        return Err(error.into());
    };
    let Unplanned { program, options, lock } = network.unplanned(args.machine.arch)?;
    let Some(output) = args.output.clone().or(lock) else {
        let help = "say where the plan goes, with `plan { lock = \"net.plan\" }` in the network or `-o net.plan` here";
        return Err(format!("{}: network `{}` names no lock: {help}", args.file.display(), program.name).into());
    };
    let effort = Effort::ALL.into_iter().find(|(name, _)| *name == args.effort).map_or(Effort::Max, |all| all.1);
    let options = Options { effort, ..options };

    let mut progress = Progress::new()?;
    let plan = plan_observed(program.clone(), &options, &mut |now| progress.show(now));
    let found = progress.end();
    let lock = Lock::of(&plan.map_err(|error| network.explained_at_file(&error))?);
    let name = output.display();
    if let Some(bytes) = kept(&output, &program, &options).filter(|bytes| *bytes <= lock.arena) {
        return Ok(Report { lines: vec![format!("{name} stays: {bytes} bytes; found {found}")], sound: true });
    }
    let text = format!(
        "# The plan of `{}`, made by `cargo waterline lock`, which makes it anew when the network changes.\n{lock}",
        lock.network
    );
    // What cannot be read back must not be written.
    Lock::read(text.as_bytes())?.plan(program, &options)?;
    write(&output, &text).map_err(|error| format!("{name}: {error}"))?;
    Ok(Report { lines: vec![format!("{name}: {found}")], sound: true })
}

/// The arena of the plan in `path`, if that is one of `program`.
fn kept(path: &Path, program: &Program, options: &Options) -> Option<usize> {
    let lock = Lock::read(&std::fs::read(path).ok()?).ok()?;
    Some(lock.plan(program.clone(), options).ok()?.arena_bytes)
}

/// Writes `text` to `path`, all of it or nothing.
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    let part = path.with_file_name(name);
    let written = std::fs::write(&part, text).and_then(|()| std::fs::rename(&part, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&part);
    }
    written
}
