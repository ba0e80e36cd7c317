//! What each step of a model took.

use planner_core::model::TensorId;
use planner_core::plan::Plan;
use planner_core::planned::{Place, PlannedStep};

use super::cycles::Cost;
use super::table::per;
use crate::record::Record;

/// The steps of one inference.
pub(super) struct Layers {
    /// In order.
    all: Vec<Layer>,
    /// Instructions of the inference in one piece, without the steps counted.
    pub(super) whole: u64,
    /// Its cycles, where they are estimated.
    pub(super) cycles: Option<u64>,
}

/// A step.
pub(super) struct Layer {
    /// Its place in the order.
    pub(super) index: usize,
    pub(super) name: String,
    op: &'static str,
    pub(super) kernel: String,
    pub(super) instructions: u64,
    /// Where they are estimated.
    pub(super) cycles: Option<u64>,
    pub(super) macs: u64,
    /// Bytes.
    scratch: usize,
    /// How many bytes the result begins before the argument, where the two overlap.
    distance: Option<i64>,
}

/// Over the lines for people.
const HEADER: &str = "share  step instructions      cycles        MACs  /MAC scratch distance kernel";

impl Layers {
    /// The steps of `plan`, as the program printed them, and the inference of `whole` instructions. The `costs` are
    /// those of the inference and of each step.
    pub(super) fn new(plan: &Plan, whole: u64, printed: &[Record<'_>], costs: Option<&[Cost]>) -> Result<Self, String> {
        if printed.len() < plan.steps.len() {
            return Err(format!("{} of {} steps are printed", printed.len(), plan.steps.len()));
        }
        let cycles = |place: usize, counted: u64| match costs.and_then(|costs| costs.get(place)) {
            Some(Cost { instructions, .. }) if *instructions != counted => {
                Err(format!("{instructions} instructions are traced where the board counts {counted}"))
            }
            cost => Ok(cost.map(|cost| cost.cycles)),
        };
        let layer = |(index, (record, planned)): (usize, (&Record<'_>, &PlannedStep))| {
            let step = &plan.program.steps[planned.step];
            if record.text("step")? != step.name {
                return Err(format!("`{}` is printed where `{}` is planned", record.text("step")?, step.name));
            }
            let mut kernels: Vec<&str> = planned.calls.iter().map(|call| step.calls[*call].kernel).collect();
            kernels.dedup();
            let instructions = record.number("instructions")?;
            Ok(Layer {
                index,
                name: step.name.clone(),
                op: step.op,
                kernel: kernels.join(", "),
                instructions,
                cycles: cycles(1 + index, instructions)?,
                macs: step.macs,
                scratch: planned.scratch.as_ref().map_or(0, ExactSizeIterator::len),
                distance: distance(plan, planned),
            })
        };
        let all: Result<_, String> = printed.iter().zip(&plan.steps).enumerate().map(layer).collect();
        Ok(Self { all: all?, whole, cycles: cycles(0, whole)? })
    }

    /// All of them.
    pub(super) fn in_order(&self) -> Vec<&Layer> {
        self.all.iter().collect()
    }

    /// Those `count` that take the most.
    pub(super) fn largest(&self, count: usize) -> Vec<&Layer> {
        let mut layers = self.in_order();
        layers.sort_by_key(|layer| std::cmp::Reverse(layer.instructions));
        layers.truncate(count);
        layers
    }

    /// Instructions of all, counting them included.
    fn sum(&self) -> u64 {
        self.all.iter().map(|layer| layer.instructions).sum()
    }

    /// The percent of the instructions that are those of `layer`.
    pub(super) fn share(&self, layer: &Layer) -> u64 {
        layer.instructions * 100 / self.sum().max(1)
    }

    /// Prints some of the steps of `model`, and what counting them added to the inference.
    pub(super) fn show(&self, model: &str, layers: Vec<&Layer>, json: bool) {
        if json {
            for layer in layers {
                println!("{}", layer.json(model));
            }
            return;
        }
        println!("{HEADER}");
        for layer in layers {
            println!("{:4}% {}", self.share(layer), layer.line());
        }
        let (steps, sum, whole) = (self.all.len(), self.sum(), self.whole);
        // Counting keeps the steps apart: the compiler cannot merge them, and each is reached through the stepper.
        let added = i128::from(sum) - i128::from(whole);
        let cycles = self.cycles.map_or(String::new(), |cycles| format!(" ({cycles} cycles)"));
        println!("{sum} in {steps} steps; in one piece {whole}{cycles}: counting adds {added}");
    }
}

impl Layer {
    fn json(&self, model: &str) -> String {
        let Self { name, op, kernel, instructions, cycles, macs, scratch, distance, .. } = self;
        let each = if *macs == 0 { "null".to_owned() } else { per(*instructions, *macs) };
        let cycles = cycles.map_or("null".to_owned(), |cycles| cycles.to_string());
        let distance = distance.map_or("null".to_owned(), |distance| distance.to_string());
        format!(
            "{{\"model\":\"{model}\",\"step\":\"{name}\",\"op\":\"{op}\",\"kernel\":\"{kernel}\",\
             \"instructions\":{instructions},\"cycles\":{cycles},\"macs\":{macs},\"instructions_per_mac\":{each},\
             \"scratch\":{scratch},\"distance\":{distance}}}"
        )
    }

    fn line(&self) -> String {
        let Self { index, name, kernel, instructions, macs, scratch, .. } = self;
        let cycles = self.cycles.map_or("-".to_owned(), |cycles| cycles.to_string());
        let distance = self.distance.map_or("-".to_owned(), |distance| distance.to_string());
        let each = per(*instructions, *macs);
        format!(
            "{index:5} {instructions:12} {cycles:>11} {macs:11} {each:>5} {scratch:7} {distance:>8} {kernel} `{name}`"
        )
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
