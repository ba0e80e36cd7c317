//! Solves an allocation problem from a CSV file (see `planner_core::import::csv` for its columns), or plans a whole
//! graph (see `planner_core::import::graph`): order, sharing and offsets.
//!
//! ```text
//! cargo run --release -p planner-core --example solve -- FILE.csv [--capacity N] [--effort fast|default|max]
//!     [--nodes N] [--json] [--output OFFSETS.csv]
//! cargo run --release -p planner-core --example solve -- --synthetic BUFFERS [..]
//! cargo run --release -p planner-core --example solve -- --graph FILE.txt [--align N] [--effort ..] [--json]
//! ```

use planner_core::diagnostic::did_you_mean;
use planner_core::import::csv::{self, Allocation};
use planner_core::import::graph;
use planner_core::layout::search::{Buffer, Effort, Instance, Limits, Solution, check, solve};
use planner_core::plan::{self, Order};
use planner_core::schedule::{self, Optimal};
use std::process::ExitCode;
use std::time::Instant;

/// What the command line asks for.
#[derive(Default)]
struct Options {
    file: Option<String>,
    graph: Option<String>,
    align: Option<usize>,
    synthetic: Option<usize>,
    capacity: Option<usize>,
    effort: Effort,
    nodes: Option<u64>,
    json: bool,
    output: Option<String>,
}

fn main() -> ExitCode {
    match Options::parse(std::env::args().skip(1)).and_then(|options| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), String> {
    if let Some(file) = &options.graph {
        return run_graph(file, options);
    }
    let allocation = match (&options.file, options.synthetic) {
        (Some(file), None) => {
            let bytes = std::fs::read(file).map_err(|error| format!("{file}: {error}"))?;
            csv::read(&bytes).map_err(|diagnostics| format!("{file}: {diagnostics}"))?
        }
        (None, Some(buffers)) => synthetic(buffers)?,
        _ => return Err("one file, or `--synthetic` and a number of buffers, is needed".to_owned()),
    };
    let instance = &allocation.instance;
    let limits = options.nodes.map_or(options.effort.limits(instance), |nodes| Limits { nodes });
    let start = Instant::now();
    let solution = solve(instance, limits, options.capacity);
    let seconds = start.elapsed().as_secs_f64();
    check(instance, &solution.offsets).map_err(|violation| format!("the solution is wrong: {violation}"))?;

    if let Some(file) = &options.output {
        let text = csv::write(&allocation, Some(&solution.offsets));
        std::fs::write(file, text).map_err(|error| format!("{file}: {error}"))?;
    }
    print(&solution, seconds, options.json);
    let (bytes, bound) = (solution.bytes, solution.bound);
    match options.capacity.filter(|capacity| bytes > *capacity) {
        Some(capacity) if bound > capacity => Err(format!("nothing can fit into {capacity} bytes")),
        Some(capacity) => Err(format!("nothing was found that fits into {capacity} bytes")),
        None => Ok(()),
    }
}

/// Plans a graph, and prints the peaks of its orders.
fn run_graph(file: &str, options: &Options) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let program = graph::read(&text).map_err(|diagnostics| format!("{file}: {diagnostics}"))?;
    let asked = plan::Options { effort: options.effort, align: options.align, ..plan::Options::default() };
    let start = Instant::now();
    let optimal = schedule::optimal(&program, &asked);
    let planned = plan::plan(program.clone(), &asked).map_err(|diagnostics| diagnostics.to_string())?;
    let seconds = start.elapsed().as_secs_f64();
    let [source, memory] = [Order::Source, Order::Memory].map(|order| {
        let order = schedule::schedule(&program, &asked, order);
        schedule::peak(&program, &asked, &order)
    });
    let bytes = planned.arena_bytes;
    let solution = Solution {
        offsets: Vec::new(),
        bytes,
        bound: optimal.bound.min(bytes),
        proved: bytes <= optimal.bound,
        nodes: optimal.states,
    };
    print(&solution, seconds, options.json);
    if !options.json {
        let Optimal { peak, bound, .. } = optimal;
        println!("peaks: source {source}, memory {memory}, optimal {peak} (bound {bound})");
        println!("chosen: order {}, layout {}", planned.options.order.name(), planned.options.layout.name());
    }
    Ok(())
}

fn print(solution: &Solution, seconds: f64, json: bool) {
    println!("{}", if json { solution.json(seconds) } else { solution.line(seconds) });
}

/// A problem as large networks have them: most buffers live briefly, some long.
fn synthetic(buffers: usize) -> Result<Allocation, String> {
    let mut state: u64 = 1;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let buffer = |first| {
        let steps = if random(16) == 0 { random(1_000) } else { random(8) };
        Buffer::new(64 << random(12), first, first + steps)
    };
    let buffers: Vec<Buffer> = (0..buffers).map(buffer).collect();
    let ids = (0..buffers.len()).map(|index| index.to_string()).collect();
    Ok(Allocation { ids, instance: Instance::new(buffers).map_err(|diagnostics| diagnostics.to_string())? })
}

impl Options {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self::default();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("`{argument}` needs a value"));
            match argument.as_str() {
                "--json" => options.json = true,
                "--synthetic" => options.synthetic = Some(number(&value()?)?),
                "--graph" => options.graph = Some(value()?),
                "--align" => options.align = Some(number(&value()?)?),
                "--capacity" => options.capacity = Some(number(&value()?)?),
                "--nodes" => options.nodes = Some(number(&value()?)?),
                "--output" => options.output = Some(value()?),
                "--effort" => options.effort = effort(&value()?)?,
                _ if argument.starts_with('-') => return Err(format!("there is no option `{argument}`")),
                _ if options.file.is_none() => options.file = Some(argument),
                _ => return Err(format!("one file at a time, not also `{argument}`")),
            }
        }
        Ok(options)
    }
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number"))
}

fn effort(name: &str) -> Result<Effort, String> {
    let names = Effort::ALL.map(|(name, _)| name);
    Effort::ALL.into_iter().find(|(other, _)| *other == name).map(|(_, effort)| effort).ok_or_else(|| {
        let help = did_you_mean(name, names).map_or(String::new(), |name| format!("; did you mean `{name}`?"));
        format!("there is no effort `{name}`{help}")
    })
}
