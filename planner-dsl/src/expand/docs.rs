//! The documentation of generated items.

use super::ports::{Input, Output, Port};
use super::{Network, slots};
use planner_core::model::InputMode;
use proc_macro2::TokenStream;
use quote::quote;
use std::fmt::Write as _;

/// The documentation of the module, after what the user wrote.
pub(super) fn module(network: &Network<'_>) -> TokenStream {
    let (plan, program) = (network.plan, &network.plan.program);
    if network.context.stub.is_some() {
        return lines("\n**It has errors: this is no more than its interface.**");
    }
    let mut text = String::new();
    if program.placeholder {
        text += "\n**Some weights are placeholders (`random`): the plan is real, the numbers are not.**\n";
    }
    let _ = write!(
        text,
        "
| | |
|---|---:|
| arena | {} B |
| without reuse | {} B |
| classic bound: most bytes live at once | {} B |
| lower bound of this order | {} B |
| weights | {} B |
| of the model's parameters | {} B |
| multiply-accumulates | {} |
| steps | {} |
",
        plan.arena_bytes,
        plan.separate_bytes,
        plan.classic_bound,
        plan.lower_bound,
        program.weight_bytes(),
        program.param_bytes,
        program.macs(),
        plan.steps.len(),
    );
    if program.removed_channels() > 0 {
        let _ = writeln!(text, "| channels removed: constant or unread | {} |", program.removed_channels());
    }
    text += "\nInputs and outputs:\n";
    for input in &network.ports.inputs {
        let place = slots::place(plan, input.port.tensor);
        let _ = write!(text, "\n- input {place}{}", mode(input.mode));
    }
    for output in &network.ports.outputs {
        let place = slots::place(plan, output.port.tensor);
        let kept = if output.kept { " Kept." } else { "" };
        let _ = write!(text, "\n- output `{}` = {place}{kept}", output.port.name);
    }
    for state in &program.states {
        let _ = write!(text, "\n- state {} Kept between runs.", slots::place(plan, state.tensor.0));
    }
    lines(&text)
}

fn mode(mode: InputMode) -> &'static str {
    match mode {
        InputMode::Plain => "",
        InputMode::Kept => " Kept.",
        InputMode::Borrowed => " Borrowed.",
    }
}

/// The documentation of `Arena::frame`.
pub(super) fn frame_method(network: &Network<'_>) -> TokenStream {
    let mut text = String::from("Begins a run: fill the inputs, then [`run`](Frame::run).");
    let kept: Vec<&Port> =
        network.ports.outputs.iter().filter(|output| output.kept).map(|output| &output.port).collect();
    if !kept.is_empty() {
        text += " The kept outputs of the run before can be read until then.";
    }
    lines(&text)
}

/// The documentation of the accessor of an input in the arena.
pub(super) fn input(input: &Input) -> TokenStream {
    let fate = match input.mode {
        InputMode::Kept => "a run leaves its bytes as they are",
        InputMode::Plain | InputMode::Borrowed => "a run may use its bytes for something else",
    };
    lines(&format!("\nThe slot of the input, `{}`: {fate}.", input.port.ty))
}

/// The documentation of the accessor of a kept output while the next run is prepared.
pub(super) fn kept_output(output: &Output) -> TokenStream {
    lines(&format!("\nThe output `{}` of the run before; zeros before the first.", output.port.ty))
}

/// The documentation of the accessor of an output.
pub(super) fn output(output: &Output) -> TokenStream {
    lines(&format!("\nThe output, `{}`.", output.port.ty))
}

fn lines(text: &str) -> TokenStream {
    text.split('\n')
        .map(|line| {
            let line = if line.is_empty() { String::new() } else { format!(" {line}") };
            quote!(#[doc = #line])
        })
        .collect()
}
