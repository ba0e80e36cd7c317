//! What each step of a model took.

use planner_core::model::TensorId;
use planner_core::plan::{Place, Plan, PlannedStep};

use super::options::Layers;
use super::table::per;
use crate::record::Record;

/// A step.
pub(super) struct Layer {
    name: String,
    op: &'static str,
    kernel: String,
    instructions: u64,
    macs: u64,
    /// Bytes.
    scratch: usize,
    /// How many bytes the result begins before the argument, where the two overlap.
    distance: Option<i64>,
}

/// Over the lines for people.
const HEADER: &str = "share  step instructions        MACs  /MAC scratch distance kernel";

impl Layer {
    /// The steps of one inference of `plan`, as the program printed them.
    pub(super) fn all(plan: &Plan, printed: &[Record<'_>]) -> Result<Vec<Self>, String> {
        if printed.len() < plan.steps.len() {
            return Err(format!("{} of {} steps are printed", printed.len(), plan.steps.len()));
        }
        let layer = |(record, planned): (&Record<'_>, &PlannedStep)| {
            let step = &plan.program.steps[planned.step];
            if record.text("step")? != step.name {
                return Err(format!("`{}` is printed where `{}` is planned", record.text("step")?, step.name));
            }
            let mut kernels: Vec<&str> = planned.calls.iter().map(|call| step.calls[*call].kernel).collect();
            kernels.dedup();
            Ok(Self {
                name: step.name.clone(),
                op: step.op,
                kernel: kernels.join(", "),
                instructions: record.number("instructions")?,
                macs: step.macs,
                scratch: planned.scratch.as_ref().map_or(0, ExactSizeIterator::len),
                distance: distance(plan, planned),
            })
        };
        printed.iter().zip(&plan.steps).map(layer).collect()
    }

    fn json(&self, model: &str) -> String {
        let Self { name, op, kernel, instructions, macs, scratch, distance } = self;
        let each = if *macs == 0 { "null".to_owned() } else { per(*instructions, *macs) };
        let distance = distance.map_or("null".to_owned(), |distance| distance.to_string());
        format!(
            "{{\"model\":\"{model}\",\"step\":\"{name}\",\"op\":\"{op}\",\"kernel\":\"{kernel}\",\
             \"instructions\":{instructions},\"macs\":{macs},\"instructions_per_mac\":{each},\"scratch\":{scratch},\
             \"distance\":{distance}}}"
        )
    }

    fn line(&self, index: usize) -> String {
        let Self { name, kernel, instructions, macs, scratch, distance, .. } = self;
        let distance = distance.map_or("-".to_owned(), |distance| distance.to_string());
        let each = per(*instructions, *macs);
        format!("{index:5} {instructions:12} {macs:11} {each:>5} {scratch:7} {distance:>8} {kernel} `{name}`")
    }
}

fn distance(plan: &Plan, step: &PlannedStep) -> Option<i64> {
    let bytes = |id: TensorId| match plan.places[id.0] {
        Place::Arena { offset, .. } => Some(offset..offset + plan.program.tensor(id).ty.bytes()),
        _ => None,
    };
    let result = bytes(step.writes(&plan.program).next()?)?;
    let mut arguments = step.reads(&plan.program).filter_map(bytes);
    let argument = arguments.find(|argument| argument.start < result.end && result.start < argument.end)?;
    Some(i64::try_from(argument.start).ok()? - i64::try_from(result.start).ok()?)
}

/// How many steps of the most are shown.
const TOP: usize = 10;

/// Prints steps of `model`, and what counting them added to the `whole` inference.
pub(super) fn show(which: Layers, model: &str, layers: &[Layer], whole: u64, json: bool) {
    let all: u64 = layers.iter().map(|layer| layer.instructions).sum();
    let mut order: Vec<(usize, &Layer)> = layers.iter().enumerate().collect();
    if which == Layers::Top {
        order.sort_by_key(|(_, layer)| std::cmp::Reverse(layer.instructions));
        order.truncate(TOP);
    }
    if json {
        for (_, layer) in order {
            println!("{}", layer.json(model));
        }
        return;
    }
    println!("{HEADER}");
    for (index, layer) in order {
        println!("{:4}% {}", layer.instructions * 100 / all.max(1), layer.line(index));
    }
    // Counting keeps the steps apart: the compiler cannot merge them, and each is reached through the stepper.
    let added = i128::from(all) - i128::from(whole);
    println!("{all} in {} steps; in one piece {whole}: counting adds {added}", layers.len());
}
