//! `plan`: the plan of a network as text, as JSON, as a picture.

use crate::source::{self, Machine, Network, Settings};
use crate::{Error, Report, peaks};
use planner_core::arch::Arch;
use planner_core::emit::Init;
use planner_core::model::{InputMode, TensorId};
use planner_core::plan::Plan;
use planner_core::planned::Place;
use planner_core::report::{self, Sheet};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Prints the plan of a network: inputs, outputs, steps, arena, bounds, weights, MACs, peak, and what other orders
/// would have for one.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// A model file, or a file of Rust with `graph!` in it
    file: PathBuf,
    /// Only the network of this name
    #[arg(long, value_name = "NAME")]
    network: Option<String>,
    /// Print JSON, an object and a line for each network
    #[arg(long)]
    json: bool,
    /// Draw the plan: steps across, addresses up, a rectangle for each tensor
    #[arg(long, value_name = "OUT.svg")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    machine: Machine,
    #[command(flatten)]
    settings: Settings,
}

pub(crate) fn run(args: &Args) -> Result<Report, Error> {
    let networks = source::read_named(&args.file, args.network.as_deref(), &args.settings)?;
    let (mut plans, mut failed) = (Vec::new(), Vec::new());
    for network in networks {
        match network.planned(args.machine.arch) {
            Ok(plan) => plans.push((network, plan)),
            Err(error) => failed.push(error.to_string()),
        }
    }
    if !failed.is_empty() {
        return Err(failed.join("\n").into());
    }
    if let Some(path) = &args.svg {
        let [(_, plan)] = plans.as_slice() else {
            return Err(format!(
                "{}: it holds {} networks: say which with `--network`",
                args.file.display(),
                plans.len()
            )
            .into());
        };
        std::fs::write(path, report::svg(plan)).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    let mut lines = Vec::new();
    for (network, plan) in &plans {
        if args.json {
            lines.push(json(plan).to_string());
        } else {
            lines.extend(text(plan));
            lines.extend(quantized(network, plan, args.machine.arch));
        }
        if plan.program.statics.iter().any(|item| matches!(item.init, Init::External(_))) {
            eprintln!("note: {}: constants of its crate are planned by their types", plan.program.name);
        }
    }
    Ok(Report { lines, sound: true })
}

/// Inputs, outputs and steps as tables.
fn text(plan: &Plan) -> Vec<String> {
    let program = &plan.program;
    let mut lines: Vec<String> = report::table(plan).lines().map(str::to_owned).collect();
    lines.extend(program.inputs.iter().map(|input| format!("input {}{}", port(plan, input.tensor), mode(input.mode))));
    lines.extend(program.outputs.iter().map(|output| {
        let kept = if output.kept { ", kept" } else { "" };
        let other = program.tensor(output.tensor).name != output.name;
        let name = if other { format!("{} = ", output.name) } else { String::new() };
        format!("output {name}{}{kept}", port(plan, output.tensor))
    }));
    if let Some(step) = plan.steps.get(plan.peak_step) {
        let step = &program.steps[step.step];
        lines.push(format!("peak at step {}, {} `{}`", plan.peak_step, step.op, step.name));
    }
    lines.push(peaks::line(plan));
    lines
}

/// What makes the arena of a model file smaller: its f32 inputs, its outputs or both as the integers that they stand
/// for.
fn quantized(network: &Network, plan: &Plan, arch: Arch) -> Option<String> {
    let program = &plan.program;
    let reads = |id: TensorId| program.steps.iter().filter(move |step| step.reads.contains(&id)).map(|step| step.op);
    let inputs = program.inputs.iter().map(|input| input.tensor);
    let inputs = inputs.filter(|&id| reads(id).next().is_some() && reads(id).all(|op| op == "quantize"));
    let inputs: Vec<_> = inputs.map(|id| format!("input {}: quantized;", program.tensor(id).name)).collect();
    let made = |id: TensorId| program.steps.iter().find(|step| step.writes.contains(&id)).map(|step| step.op);
    let outputs = program.outputs.iter().filter(|output| made(output.tensor) == Some("dequantize"));
    let outputs: Vec<_> = outputs.map(|output| format!("output {}: quantized;", output.name)).collect();
    let both = [&inputs[..], &outputs].concat();
    // Without any of one kind, both are those of the other.
    let choices = if inputs.is_empty() || outputs.is_empty() { vec![both] } else { vec![inputs, outputs, both] };
    let choices = choices.iter().filter(|ports| !ports.is_empty()).map(|ports| ports.join(" "));
    let arenas = choices.filter_map(|ports| {
        let other = network.with_ports(&ports.parse().ok()?)?.planned(arch).ok()?;
        Some((other.arena_bytes, ports))
    });
    let (bytes, ports) = arenas.min_by_key(|(bytes, _)| *bytes)?;
    (bytes < plan.arena_bytes).then(|| format!("help: with `{ports}` the arena has {bytes} bytes"))
}

fn mode(mode: InputMode) -> &'static str {
    match mode {
        InputMode::Plain => "",
        InputMode::Kept => ", kept",
        InputMode::Borrowed => ", borrowed",
    }
}

/// `name: type at 0..64`
fn port(plan: &Plan, id: TensorId) -> String {
    let tensor = plan.program.tensor(id);
    match plan.places[id.0] {
        Place::Arena { offset, .. } => {
            format!("{}: {} at {offset}..{}", tensor.name, tensor.ty, offset + tensor.ty.bytes())
        }
        _ => format!("{}: {}", tensor.name, tensor.ty),
    }
}

fn json(plan: &Plan) -> Value {
    let sheet = Sheet::from(plan);
    let names =
        |tensors: &[usize]| tensors.iter().map(|&tensor| sheet.tensors[tensor].name.clone()).collect::<Vec<_>>();
    let steps = sheet.steps.iter().enumerate().map(|(index, step)| {
        json!({
            "index": index,
            "name": step.name,
            "op": step.op,
            "variant": step.variant,
            "macs": step.macs,
            "reads": names(&step.reads),
            "writes": names(&step.writes),
            "scratch": step.scratch.as_ref().map(|bytes| json!({ "offset": bytes.start, "bytes": bytes.len() })),
        })
    });
    let tensors = sheet.tensors.iter().map(|tensor| {
        let report::Place::Arena { bytes, life } = &tensor.place else {
            let place = if tensor.place == report::Place::Borrowed { "borrowed" } else { "flash" };
            return json!({ "name": tensor.name, "type": tensor.ty, "place": place });
        };
        json!({
            "name": tensor.name,
            "type": tensor.ty,
            "place": "arena",
            "offset": bytes.start,
            "bytes": bytes.len(),
            "first_step": life.first,
            "last_step": life.last,
        })
    });
    let ty = |id: TensorId| {
        let ty = &plan.program.tensor(id).ty;
        let quant = ty.quant.as_ref().map(|quant| json!({ "scale": quant.scale(0), "zero_point": quant.zero_point() }));
        json!({ "dtype": ty.dtype.name(), "shape": ty.shape.to_vec(), "bytes": ty.bytes(), "quantization": quant })
    };
    let inputs = plan.program.inputs.iter().map(|input| {
        let mode = match input.mode {
            InputMode::Plain => "plain",
            InputMode::Kept => "kept",
            InputMode::Borrowed => "borrowed",
        };
        json!({ "name": plan.program.tensor(input.tensor).name, "mode": mode, "type": ty(input.tensor) })
    });
    let outputs = plan.program.outputs.iter();
    let outputs = outputs.map(|output| json!({ "name": output.name, "kept": output.kept, "type": ty(output.tensor) }));
    json!({
        "name": sheet.name,
        "order": sheet.order,
        "layout": sheet.layout,
        "arena_bytes": plan.arena_bytes,
        "arena_align": plan.arena_align,
        "classic_bound_bytes": plan.classic_bound,
        "lower_bound_bytes": plan.lower_bound,
        "separate_bytes": plan.separate_bytes,
        "weight_bytes": plan.program.weight_bytes(),
        "param_bytes": plan.program.param_bytes,
        "macs": plan.program.macs(),
        "removed_channels": plan.program.removed_channels(),
        "peak_step": plan.peak_step,
        "peaks": peaks::peaks(plan).into_iter().collect::<BTreeMap<_, _>>(),
        "inputs": inputs.collect::<Vec<_>>(),
        "outputs": outputs.collect::<Vec<_>>(),
        "steps": steps.collect::<Vec<_>>(),
        "tensors": tensors.collect::<Vec<_>>(),
    })
}
