//! `cargo waterline solve`: allocation problems and whole graphs.

use crate::{Error, Report};
use clap::builder::PossibleValuesParser;
use planner_core::import::{csv, graph};
use planner_core::layout::search::{Effort, Solution, check, solve};
use planner_core::plan::{Options, plan};
use planner_core::schedule::optimal;
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
    let solution = match (&args.graph, &args.file) {
        (Some(path), _) => graph_solution(path, effort)?,
        (None, Some(path)) => csv_solution(path, effort, args)?,
        (None, None) => return Err("there is nothing to solve".into()),
    };
    let seconds = start.elapsed().as_secs_f64();
    let line = if args.json { solution.json(seconds) } else { solution.line(seconds) };
    Ok(Report { lines: vec![line], sound: args.capacity.is_none_or(|capacity| solution.bytes <= capacity) })
}

fn csv_solution(path: &PathBuf, effort: Effort, args: &Args) -> Result<Solution, Error> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let problem = csv::read(&bytes).map_err(|found| format!("{}: {found}", path.display()))?;
    let solution = solve(&problem.instance, effort.limits(&problem.instance), args.capacity);
    check(&problem.instance, &solution.offsets)?;
    if let Some(output) = &args.output {
        std::fs::write(output, csv::write(&problem, Some(&solution.offsets)))
            .map_err(|error| format!("{}: {error}", output.display()))?;
    }
    Ok(solution)
}

/// The plan of a graph; its bound holds for every order.
fn graph_solution(path: &PathBuf, effort: Effort) -> Result<Solution, Error> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let program = graph::read(&text).map_err(|found| format!("{}: {found}", path.display()))?;
    let options = Options { effort, ..Options::default() };
    let order = optimal(&program, &options);
    let plan = plan(program, &options).map_err(|found| found.to_string())?;
    let (bytes, bound) = (plan.arena_bytes, order.bound.min(plan.arena_bytes));
    let offsets = plan.buffers.iter().map(|buffer| buffer.offset).collect();
    // An arena is a multiple of 4 bytes.
    Ok(Solution { offsets, bytes, bound, proved: bytes <= order.bound.next_multiple_of(4), nodes: order.states })
}
