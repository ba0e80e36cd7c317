//! `lock`: a long search for a plan, kept in a file.

use crate::progress::Progress;
use crate::source::{self, Settings};
use crate::{Error, Report};
use clap::builder::PossibleValuesParser;
use planner_core::arch::Arch;
use planner_core::diagnostic::Diagnostics;
use planner_core::model::TypedModel;
use planner_core::options::Effort;
use planner_core::options::{Options, Prefer};
use planner_core::plan::lock::{Lock, LockedPlan, hash};
use planner_core::plan::{Plan, plan_for_observed};
use planner_core::steps::{lower_for, lower_with};
use planner_core::variants::Variants;
use planner_dsl::Unplanned;
use std::path::{Path, PathBuf};

/// Searches long for the plans of a network, and writes them where `plan { lock = "net.plan" }` finds them.
///
/// A machine with kernels of its own may need a plan of its own; the file holds those of all, and each build takes its
/// own. Ctrl-C ends the search with the best plans so far. A plan in the file that is no worse stays.
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
    /// The file for the plans; by default the one that `lock` names
    #[arg(short, long, value_name = "OUT.plan")]
    output: Option<PathBuf>,
    /// The machines, `portable,dsp`; by default all. The plans of others stay
    #[arg(long = "arch", value_name = "ARCHS", value_delimiter = ',', value_parser = source::arch_named)]
    machines: Vec<Arch>,
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
    let machines = if args.machines.is_empty() { Arch::ALL.as_slice() } else { args.machines.as_slice() };
    let Unplanned { typed, options, lock } = network.unplanned()?;
    let name = typed.model.name.as_str();
    let Some(output) = args.output.clone().or(lock) else {
        let help = "say where the plan goes, with `plan { lock = \"net.plan\" }` in the network or `-o net.plan` here";
        return Err(format!("{}: network `{name}` names no lock: {help}", args.file.display()).into());
    };
    let effort = Effort::ALL.into_iter().find(|(name, _)| *name == args.effort).map_or(Effort::Max, |all| all.1);

    let options = Options { effort, ..options };
    let mut lock = read(&output).filter(|lock| lock.network == name).unwrap_or_else(|| Lock::new(name));
    let mut progress = Progress::new()?;
    let (mut lines, mut failed) = (Vec::new(), Vec::new());
    for machines in alike(&typed, &options, machines).map_err(|error| network.explained_at_file(&error))? {
        let names = machines.iter().map(|machine| machine.name()).collect::<Vec<_>>().join(", ");
        progress.start(&names);
        let plan = plan_for_observed(&typed, machines[0], &options, &mut |now| progress.show(now));
        let found = progress.end();
        let plan = match plan {
            Ok(plan) => plan,
            Err(error) => {
                failed.push(format!("no plan for {names}: {}", network.explained_at_file(&error)));
                continue;
            }
        };
        let (mut locked, mut text) = (LockedPlan::new(&plan, &machines), format!("{}: {found}", output.display()));
        // One that does not suit the network is written over.
        let kept = kept(&lock, &typed, &options, machines[0]).ok();
        if let Some((kept, _)) = kept.filter(|(_, kept)| cost(kept, options.prefer) <= cost(&plan, options.prefer)) {
            text = format!("{} stays: {names}: {} bytes; found {found}", output.display(), kept.arena);
            locked = LockedPlan { machines: locked.machines, ..kept };
        }
        lock.insert(locked);
        // What cannot be read back must not be written.
        let written = Lock::read(lock.to_string().as_bytes())?;
        machines.iter().try_for_each(|&machine| self::kept(&written, &typed, &options, machine).map(|_| ()))?;
        lines.push(text);
    }
    // A machine that nobody asked for may be too small.
    if lines.is_empty() || !failed.is_empty() && !args.machines.is_empty() {
        return Err(failed.join("\n\n").into());
    }
    lines.append(&mut failed);
    let text = format!(
        "# The plans of `{name}`, made by `cargo waterline lock`, which makes them anew when the network changes.\n{lock}"
    );
    write(&output, &text).map_err(|error| format!("{}: {error}", output.display()))?;
    Ok(Report { lines, sound: true })
}

/// The hash of a network with its usual kernels, and those that its steps could have.
type Kernels = (u64, Vec<Variants>);

/// The `machines`, those that have, and could have, the same kernels for a network together.
fn alike(typed: &TypedModel, options: &Options, machines: &[Arch]) -> Result<Vec<Vec<Arch>>, Diagnostics> {
    let mut alike: Vec<(Kernels, Vec<Arch>)> = Vec::new();
    for &machine in machines {
        let program = lower_for(typed, machine)?;
        // The choice is made on one of them.
        let kernels: Kernels = (hash(&program, options), program.steps.into_iter().map(|step| step.variants).collect());
        match alike.iter_mut().find(|(others, _)| *others == kernels) {
            Some((_, machines)) => machines.push(machine),
            None => alike.push((kernels, vec![machine])),
        }
    }
    Ok(alike.into_iter().map(|(_, machines)| machines).collect())
}

/// The lock in `path`, if it is one.
fn read(path: &Path) -> Option<Lock> {
    Lock::read(&std::fs::read(path).ok()?).ok()
}

/// The plan in `lock` for `arch`, with the kernels that it names, and what it stands for.
fn kept(lock: &Lock, typed: &TypedModel, options: &Options, arch: Arch) -> Result<(LockedPlan, Plan), Error> {
    let program = lower_with(typed, arch, &lock.kernels(arch))?;
    let found = lock.find(&program, options, arch).cloned();
    let plan = lock.plan(program, options, arch)?;
    Ok((found.ok_or("the lock has no such plan")?, plan))
}

/// What is to be small: what is preferred, and then the arena.
fn cost(plan: &Plan, prefer: Prefer) -> (u128, usize) {
    (prefer.cost(plan.arena_bytes, plan.program.instructions()), plan.arena_bytes)
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
