//! `mod steps`: a function a step, a line a kernel call.

use super::slots::{borrowed_from, scratch_type};
use super::{Network, number};
use planner_core::distances::Direction;
use planner_core::dtype::DType;
use planner_core::emit::{Call, Operand};
use planner_core::planned::{Place, PlannedStep};
use planner_core::steps::Step;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use std::ops::Range;

/// Bytes of the granule of which arenas are made.
const WORD: usize = 4;

/// Products and results of a step, on the mean over all, from which on each is a function of its own and gives its
/// stack back. A call takes about ten instructions.
const LONG: u64 = 1000;

/// How a step sees the arena.
enum View {
    /// Not at all.
    None,
    /// As cells of one type.
    Typed,
    /// As cells of `low` below this word and of another type from it on.
    Split { at: usize, low: DType },
    /// As bytes: its tensors differ in type and interleave.
    Bytes,
}

pub(super) fn module(network: &Network<'_>) -> TokenStream {
    if network.plan.steps.is_empty() {
        return TokenStream::new();
    }
    let runtime = network.context.runtime;
    let mut functions = TokenStream::new();
    let (mut region, mut split) = (false, false);
    let alone = is_long(network).then(|| quote!(#[inline(never)]));
    for index in 0..network.plan.steps.len() {
        let view = view(network, index);
        region |= matches!(view, View::Typed | View::Bytes);
        split |= matches!(view, View::Split { .. });
        functions.extend(function(network, index, &view, alone.as_ref()));
    }
    let region = region.then(|| quote!(region));
    let split = split.then(|| quote!(split));
    let imports = [Some(quote!(kernels::{self, Units})), region, split].into_iter().flatten();
    quote! {
        mod steps {
            use #runtime::__private::{#(#imports),*};
            use super::{Frame, slots, statics};
            #functions
        }
    }
}

/// Whether steps take so long that calls of them do not tell.
fn is_long(network: &Network<'_>) -> bool {
    let program = &network.plan.program;
    let work = |step: &PlannedStep| {
        let results = step.writes(program).map(|id| program.tensor(id).ty.shape.elements() as u64);
        program.steps[step.step].macs + results.sum::<u64>()
    };
    let steps = &network.plan.steps;
    steps.iter().map(work).sum::<u64>() >= LONG * steps.len() as u64
}

fn function(network: &Network<'_>, index: usize, view: &View, alone: Option<&TokenStream>) -> TokenStream {
    let (name, doc) = (&network.steps[index], doc(network, index));
    let region = match view {
        View::None => None,
        View::Typed => Some(quote!(let arena = region(&mut frame.arena.words);)),
        View::Bytes => Some(quote!(let arena = region::<u8, _>(&mut frame.arena.words);)),
        View::Split { at, .. } => {
            let at = number(*at);
            Some(quote!(let (low, high) = split::<_, _, #at, _>(&mut frame.arena.words);))
        }
    };
    let calls = remaining(network, index).zip(&network.params[index]).map(|(call, params)| {
        let kernel = format_ident!("{}", call.kernel);
        let operands = call.operands.iter().map(|operand| window(network, index, *operand, view));
        let units = number(call.units);
        let direction = match network.plan.steps[index].direction(&network.plan.program, &network.plan.shares, call) {
            Direction::Forward => format_ident!("forward"),
            Direction::Backward => format_ident!("backward"),
        };
        quote!(kernels::#kernel(&statics::#params, #(#operands,)* Units::#direction(0..#units));)
    });
    quote! {
        #[doc = #doc]
        #alone
        pub(super) fn #name(frame: &mut Frame<'_>) {
            #region
            #(#calls)*
        }
    }
}

/// The calls of step `index` that no sharing made needless.
fn remaining<'n>(network: &'n Network<'_>, index: usize) -> impl Iterator<Item = &'n Call> {
    let planned = &network.plan.steps[index];
    let step = &network.plan.program.steps[planned.step];
    planned.calls.iter().map(|&call| &step.calls[call])
}

/// The windows that step `index` has of the arena.
fn arena_windows(network: &Network<'_>, index: usize) -> Vec<(DType, Range<usize>)> {
    let planned = &network.plan.steps[index];
    let step = &network.plan.program.steps[planned.step];
    let mut windows: Vec<(DType, Range<usize>)> = remaining(network, index)
        .flat_map(|call| &call.operands)
        .filter_map(|operand| match tensor(step, *operand) {
            Some(tensor) => match network.plan.places[tensor] {
                Place::Arena { offset, .. } => {
                    let dtype = network.plan.program.tensors[tensor].ty.dtype;
                    Some((dtype, offset..offset + network.plan.extent(tensor)))
                }
                _ => None,
            },
            None => Some((scratch_type(network.plan, planned.step), planned.scratch.clone()?)),
        })
        .collect();
    windows.sort_by_key(|(_, range)| (range.start, range.end));
    windows.dedup();
    windows
}

fn view(network: &Network<'_>, index: usize) -> View {
    let windows = arena_windows(network, index);
    let Some(low) = windows.first().map(|(dtype, _)| *dtype) else {
        return View::None;
    };
    let Some(first_high) = windows.iter().position(|(dtype, _)| *dtype != low) else {
        return View::Typed;
    };
    let high = windows[first_high].0;
    let end = windows[..first_high].iter().map(|(_, range)| range.end).max().unwrap_or(0);
    let at = end.div_ceil(WORD);
    let apart = windows[first_high..].iter().all(|(dtype, range)| *dtype == high && range.start >= at * WORD);
    if apart { View::Split { at, low } } else { View::Bytes }
}

/// The tensor that an operand is; `None` for scratch.
fn tensor(step: &Step, operand: Operand) -> Option<usize> {
    match operand {
        Operand::Read(read) => Some(step.reads[read].0),
        Operand::Write(write) => Some(step.writes[write].0),
        Operand::Scratch => None,
    }
}

fn window(network: &Network<'_>, index: usize, operand: Operand, view: &View) -> TokenStream {
    let planned = &network.plan.steps[index];
    let step = &network.plan.program.steps[planned.step];
    let Some(tensor) = tensor(step, operand) else {
        let name = &network.scratch[index];
        return cells(&quote!(slots::#name), scratch_type(network.plan, planned.step), view);
    };
    let slot = network.slot(tensor);
    match network.plan.places[tensor] {
        Place::Borrowed { input, .. } => {
            let input = borrowed_from(network, input);
            quote!(#slot.slice(frame.#input))
        }
        Place::Static { id, .. } => {
            let constant = &network.statics[id.0];
            quote!(#slot.slice(&statics::#constant))
        }
        Place::Arena { .. } | Place::Nowhere => cells(&slot, network.plan.program.tensors[tensor].ty.dtype, view),
    }
}

fn cells(slot: &TokenStream, dtype: DType, view: &View) -> TokenStream {
    match view {
        View::None | View::Typed => quote!(#slot.cells(arena)),
        View::Bytes => quote!(#slot.bytes(arena)),
        View::Split { low, .. } if dtype == *low => quote!(#slot.cells(low)),
        View::Split { .. } => quote!(#slot.cells(high)),
    }
}

/// `mul: h at 0..32, gain borrowed -> y at 0..32.`
fn doc(network: &Network<'_>, index: usize) -> String {
    let planned = &network.plan.steps[index];
    let place = |tensor: usize| {
        let item = &network.plan.program.tensors[tensor];
        match network.plan.places[tensor] {
            Place::Arena { offset, .. } => {
                format!("`{}` at {offset}..{}", item.name, offset + network.plan.extent(tensor))
            }
            Place::Borrowed { .. } => format!("`{}` borrowed", item.name),
            Place::Static { .. } | Place::Nowhere => format!("`{}` in flash", item.name),
        }
    };
    let program = &network.plan.program;
    let reads: Vec<String> = planned.reads(program).map(|id| place(id.0)).collect();
    let writes: Vec<String> = planned.writes(program).map(|id| place(id.0)).collect();
    let scratch = planned.scratch.as_ref().map_or(String::new(), |range| format!(", scratch at {range:?}"));
    let op = program.steps[planned.step].op;
    format!(" `{op}`: {} -> {}{scratch}.", reads.join(", "), writes.join(", "))
}
