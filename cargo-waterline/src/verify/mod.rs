//! `verify`: a model file built on this machine and held to the inputs and outputs of another program.

mod operators;
mod scratch;

use crate::source::{self, Settings};
use crate::{Error, Report};
use planner_core::arch::Arch;
use planner_core::model::Channel;
use planner_core::plan::Plan;
use scratch::Computed;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use waterline_npz::{Difference, Npz, Samples, TOLERANCE};

/// Builds a model file on this machine and compares what it computes with what it should.
///
/// Keys of the samples are `in{sample}_{input}` and `out{sample}_{output}`. They are run one after the
/// other, so that a model with state sees them as a sequence.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// A model file
    file: PathBuf,
    /// Inputs and outputs of every sample
    #[arg(long, value_name = "IO.npz")]
    io: PathBuf,
    /// Every operator's result in sample 0, under `t{tensor's index in the file}`
    #[arg(long, value_name = "T.npz")]
    tensors: Option<PathBuf>,
    /// Print JSON, one object
    #[arg(long)]
    json: bool,
    /// How far f32 values may be apart, relative to the largest
    #[arg(long, value_name = "X", default_value_t = TOLERANCE)]
    tolerance: f64,
    #[command(flatten)]
    settings: Settings,
}

/// What was compared, and how far it is apart.
struct Row {
    /// What it is, as the text names it.
    what: String,
    /// Its name in the network.
    name: String,
    /// What became of each channel, if some were removed.
    channels: Vec<Channel>,
    difference: Option<Difference>,
}

pub(crate) fn run(args: &Args) -> Result<Report, Error> {
    let network = source::model_file(&args.file, &args.settings)?;
    let plan = network.planned(Arch::Portable)?;
    let samples = Samples::read(&Npz::open(&args.io)?, &plan.program)
        .map_err(|error| format!("{}: {error}", args.io.display()))?;
    let tensors = args.tensors.as_deref().map(Npz::open).transpose()?;
    let results = network.results()?;
    let computed = scratch::run(&network.called("network"), &plan, &samples.inputs)?;
    let outputs = outputs(&plan, &samples, &computed);
    let operators = match &tensors {
        Some(tensors) => operators::compared(&plan, tensors, &results, &computed)
            .map_err(|error| format!("{}: {error}", args.tensors.as_deref().unwrap_or(Path::new("")).display()))?,
        None => Vec::new(),
    };
    let wrong = |row: &&Row| row.difference.is_some_and(|difference| !difference.is_within(args.tolerance));
    let first = operators.iter().chain(&outputs).find(wrong);
    let count = samples.inputs.len();
    let lines = if args.json {
        vec![json(args, count, &outputs, &operators, first).to_string()]
    } else {
        text(args, count, &outputs, &operators, first)
    };
    Ok(Report { lines, sound: first.is_none() })
}

/// The worst of all samples for each output.
fn outputs(plan: &Plan, samples: &Samples, computed: &Computed) -> Vec<Row> {
    let compared = |index: usize, output: &planner_core::model::Output| {
        let dtype = plan.program.tensor(output.tensor).ty.dtype;
        let all = computed.outputs.iter().zip(&samples.outputs);
        let worst = all
            .filter_map(|(got, wanted)| Difference::between(dtype, &got[index], &wanted[index]))
            .max_by(|a, b| a.largest.total_cmp(&b.largest));
        Row { what: "output".into(), name: output.name.clone(), channels: Vec::new(), difference: worst }
    };
    plan.program.outputs.iter().enumerate().map(|(index, output)| compared(index, output)).collect()
}

fn verdict(row: &Row, tolerance: f64) -> String {
    match row.difference {
        None => "equal".into(),
        Some(difference) if difference.is_within(tolerance) => format!("within {tolerance:e}: {difference}"),
        Some(difference) => difference.to_string(),
    }
}

/// How many of `channels` are constant or unread, and so not computed.
fn counts(channels: &[Channel]) -> [usize; 2] {
    let count = |is: fn(&Channel) -> bool| channels.iter().filter(|channel| is(channel)).count();
    [count(|channel| matches!(channel, Channel::Constant(_))), count(|channel| *channel == Channel::Unread)]
}

fn removed(channels: &[Channel]) -> String {
    match counts(channels) {
        [0, 0] => String::new(),
        [constant, unread] => {
            format!(" ({constant} of {} channels constant, {unread} unread and not compared)", channels.len())
        }
    }
}

fn text(args: &Args, samples: usize, outputs: &[Row], operators: &[Row], first: Option<&Row>) -> Vec<String> {
    let plural = if samples == 1 { "" } else { "s" };
    let rows = outputs.iter().chain(operators);
    let rows = rows.map(|row| {
        format!("  {} `{}`: {}{}", row.what, row.name, verdict(row, args.tolerance), removed(&row.channels))
    });
    let mut lines = vec![format!("{}: {samples} sample{plural}", args.file.display())];
    lines.extend(rows);
    lines.push(match first {
        Some(row) => format!("first difference: {} `{}`", row.what, row.name),
        None => "equal".into(),
    });
    lines
}

fn json(args: &Args, samples: usize, outputs: &[Row], operators: &[Row], first: Option<&Row>) -> Value {
    let row = |row: &Row| {
        let difference = row.difference.map(|difference| {
            json!({ "elements": difference.elements, "differ": difference.count, "largest": difference.largest })
        });
        let within = row.difference.is_none_or(|difference| difference.is_within(args.tolerance));
        let [constant, unread] = counts(&row.channels);
        json!({
            "what": row.what,
            "name": row.name,
            "equal": within,
            "difference": difference,
            "constant_channels": constant,
            "unread_channels": unread,
        })
    };
    json!({
        "file": args.file.display().to_string(),
        "samples": samples,
        "tolerance": args.tolerance,
        "equal": first.is_none(),
        "outputs": outputs.iter().map(row).collect::<Vec<_>>(),
        "operators": operators.iter().map(row).collect::<Vec<_>>(),
        "first_difference": first.map(row),
    })
}
