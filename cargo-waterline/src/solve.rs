//! `cargo waterline solve`: allocation problems and whole graphs.

use crate::{Error, Report, peaks};
use clap::builder::PossibleValuesParser;
use planner_core::import::{csv, graph};
use planner_core::layout::search::{Progress, check, solve};
use planner_core::options::Effort;
use planner_core::options::Options;
use planner_core::plan::plan_observed;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;

/// Places the buffers of an allocation problem, or plans a whole graph.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A problem as CSV: id, lower, upper, size; alignment, gaps and offset if wanted
    #[arg(required_unless_present = "graph")]
    file: Option<PathBuf>,
    /// A graph, a line a node: name, kind, bytes, flags, count, sources
    #[arg(long, conflicts_with_all = ["file", "capacity", "output"])]
    graph: Option<PathBuf>,
    /// Bytes that are good enough; the search fails if it does not get there
    #[arg(long)]
    capacity: Option<usize>,
    /// Alignment of every buffer of a graph
    #[arg(long, requires = "graph")]
    align: Option<usize>,
    /// How long to search
    #[arg(long, default_value = "default", value_parser = PossibleValuesParser::new(Effort::ALL.map(|(name, _)| name)))]
    effort: String,
    /// Writes the problem with its offsets
    #[arg(long)]
    output: Option<PathBuf>,
    /// Prints one line of JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Report, Error> {
    let effort =
        Effort::ALL.into_iter().find(|(name, _)| *name == args.effort).map_or_else(Effort::default, |all| all.1);
    let start = Instant::now();
    let (found, more) = match (&args.graph, &args.file) {
        (Some(path), _) => of_graph(path, effort, args)?,
        (None, Some(path)) => (of_csv(path, effort, args)?, None),
        (None, None) => return Err("there is nothing to solve".into()),
    };
    let seconds = start.elapsed().as_secs_f64();
    let missed = args.capacity.filter(|capacity| found.bytes > *capacity);
    let lines = match args.json {
        true => vec![found.json(seconds)],
        false => {
            let missed = missed.map(|capacity| match found.bound > capacity {
                true => format!("nothing fits in {capacity} bytes"),
                false => format!("nothing was found that fits in {capacity} bytes; `--effort max` searches longest"),
            });
            std::iter::once(format!("{found}, {seconds:.3} s")).chain(more).chain(missed).collect()
        }
    };
    Ok(Report { lines, sound: missed.is_none() })
}

fn of_csv(path: &PathBuf, effort: Effort, args: &Args) -> Result<Progress, Error> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let problem = csv::read(&bytes).map_err(|found| format!("{}: {found}", path.display()))?;
    let solution = solve(&problem.instance, effort.limits(&problem.instance), args.capacity);
    check(&problem.instance, &solution.offsets)?;
    if let Some(output) = &args.output {
        std::fs::write(output, csv::write(&problem, Some(&solution.offsets)))
            .map_err(|error| format!("{}: {error}", output.display()))?;
    }
    Ok(solution.progress())
}

/// The plan of a graph, whose bound holds for every order, and a line on the peaks of orders.
fn of_graph(path: &PathBuf, effort: Effort, args: &Args) -> Result<(Progress, Option<String>), Error> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let program = graph::read(&text).map_err(|found| format!("{}: {found}", path.display()))?;
    let options = Options { effort, align: args.align, ..Options::default() };
    let mut last = Progress::default();
    let plan = plan_observed(program, &options, &mut |progress| {
        last = *progress;
        ControlFlow::Continue(())
    })?;
    Ok((last, (!args.json).then(|| peaks::line(&plan))))
}
