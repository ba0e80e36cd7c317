//! `mod slots`: where each tensor is. The executor, the plan and its proof all read these constants.

use super::{Network, number, rust_type};
use planner_core::dtype::DType;
use planner_core::plan::Plan;
use planner_core::planned::Place;
use planner_core::steps::Spread;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

pub(super) fn module(network: &Network<'_>) -> TokenStream {
    let runtime = network.context.runtime;
    let plan = network.plan;
    let tensors = network.slots.iter().enumerate().filter_map(|(index, name)| {
        let dtype = plan.program.tensors[index].ty.dtype;
        let doc = format!(" {}", place(plan, index));
        Some(slot(name.as_ref()?, &doc, dtype, offset(plan.places[index])?, plan.extent(index) / dtype.bytes()))
    });
    let scratch = network.scratch.iter().zip(&plan.steps).filter_map(|(name, planned)| {
        let (range, dtype) = (planned.scratch.as_ref()?, scratch_type(plan, planned.step));
        let doc = format!(" Scratch of `{}`: bytes {range:?}.", plan.program.steps[planned.step].name);
        Some(slot(name.as_ref()?, &doc, dtype, range.start, range.len() / dtype.bytes()))
    });
    let slots: TokenStream = tensors.chain(scratch).collect();
    quote! {
        mod slots {
            use #runtime::__private::Slot;
            #slots
        }
    }
}

fn slot(name: &Ident, doc: &str, dtype: DType, offset: usize, len: usize) -> TokenStream {
    let (element, start, len) = (rust_type(dtype), number(offset / dtype.bytes()), number(len));
    quote! {
        #[doc = #doc]
        pub(super) const #name: Slot<#element, #start, #len> = Slot::HERE;
    }
}

/// Where tensor `index` is, in words: ``` `h: f32[8]`: bytes 0..32, steps 0..=1 ```.
pub(super) fn place(plan: &Plan, index: usize) -> String {
    let tensor = &plan.program.tensors[index];
    let (name, ty, size) = (&tensor.name, &tensor.ty, tensor.ty.bytes());
    let at = match plan.places[index] {
        Place::Arena { offset, .. } => {
            let steps = plan.lifetimes[index].map_or(String::new(), |life| {
                if life.first == life.last {
                    format!(", step {}", life.first)
                } else {
                    format!(", steps {}..={}", life.first, life.last)
                }
            });
            let spread = plan.shares[index]
                .spread
                .map_or(String::new(), |Spread { run, stride }| format!(" ({run} of every {stride})"));
            format!("bytes {offset}..{}{spread}{steps}", offset + plan.extent(index))
        }
        Place::Borrowed { input, offset } => {
            let input = &plan.program.tensor(plan.program.inputs[input].tensor).name;
            format!("bytes {offset}..{} of the borrowed input `{input}`", offset + size)
        }
        Place::Static { id, offset } => {
            format!("bytes {offset}..{} of the constant `{}`", offset + size, plan.program.statics[id.0].name)
        }
        Place::Nowhere => "nowhere".into(),
    };
    format!("`{name}: {ty}`: {at}.")
}

fn offset(place: Place) -> Option<usize> {
    match place {
        Place::Arena { offset, .. } | Place::Borrowed { offset, .. } | Place::Static { offset, .. } => Some(offset),
        Place::Nowhere => None,
    }
}

/// The type of the elements of a step's scratch.
pub(super) fn scratch_type(plan: &Plan, step: usize) -> DType {
    plan.program.steps[step].scratch.map_or(DType::I8, |scratch| scratch.dtype)
}

/// The name of the input that a place is borrowed from.
pub(super) fn borrowed_from(network: &Network<'_>, input: usize) -> Ident {
    network.ports.inputs.get(input).map_or_else(|| format_ident!("nothing"), |input| input.port.name.clone())
}
