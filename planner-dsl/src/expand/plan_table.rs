//! `PLAN`: the plan as data of the runtime.

use super::{Network, api, number};
use planner_core::distances::{Direction, Distances};
use planner_core::dtype::DType;
use planner_core::events::EventKind;
use planner_core::model::{InputMode, TensorId};
use planner_core::options::{Layout, Order};
use planner_core::planned::{Lifetime, Place};
use planner_core::steps::Spread;
use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

pub(super) fn item(network: &Network<'_>) -> TokenStream {
    let (runtime, plan) = (network.context.runtime, network.plan);
    let name = &plan.program.name;
    let order = Order::ALL.iter().find(|(_, order)| *order == plan.options.order).map_or("", |(name, _)| name);
    let layout = Layout::ALL.iter().find(|(_, layout)| *layout == plan.options.layout).map_or("", |(name, _)| name);
    let placeholder = plan.program.placeholder;
    let [separate, params] = [plan.separate_bytes, plan.program.param_bytes].map(number);
    let rows = Rows::new(network);
    let tensors = rows.present.iter().map(|&index| rows.tensor(index));
    let steps = (0..plan.steps.len()).map(|index| rows.step(index));
    let inputs = network.ports.inputs.iter().map(|input| {
        let name = &plan.program.tensors[input.port.tensor].name;
        let (tensor, mode) = (rows.index(input.port.tensor), format_ident!("{}", mode(input.mode)));
        quote!(plan::Input { name: #name, tensor: #tensor, mode: plan::InputMode::#mode })
    });
    let outputs = network.ports.outputs.iter().zip(&plan.program.outputs).map(|(output, declared)| {
        let (name, tensor, kept) = (&declared.name, rows.index(output.port.tensor), output.kept);
        quote!(plan::Output { name: #name, tensor: #tensor, kept: #kept })
    });
    let states = plan.program.states.iter().map(|state| {
        let name = &plan.program.tensor(state.tensor).name;
        let [tensor, next] = [state.tensor, state.next].map(|tensor| rows.index(tensor.0));
        quote!(plan::State { name: #name, tensor: #tensor, next: #next })
    });
    let buffers = plan.buffers.iter().map(|buffer| {
        let name = &buffer.name;
        let [offset, size, first, last] = [buffer.offset, buffer.size, buffer.life.first, buffer.life.last].map(number);
        quote!(plan::Buffer { name: #name, offset: #offset, size: #size, first: #first, last: #last })
    });
    let events = plan.events.iter().map(|event| {
        let kind = format_ident!("{}", kind(event.kind));
        let (tensor, [buffer, step]) = (rows.index(event.tensor), [event.buffer, event.step].map(number));
        quote!(plan::Event { kind: plan::EventKind::#kind, tensor: #tensor, buffer: #buffer, step: #step })
    });
    quote! {
        /// The plan as data: names, offsets, sizes, lifetimes, events. Linked only if it is used.
        pub static PLAN: #runtime::Plan = {
            use #runtime::plan;
            plan::Plan {
                name: #name,
                arena_bytes: ARENA_BYTES,
                arena_align: ARENA_ALIGN,
                separate_bytes: #separate,
                classic_bound_bytes: CLASSIC_BOUND_BYTES,
                lower_bound_bytes: LOWER_BOUND_BYTES,
                weight_bytes: WEIGHT_BYTES,
                param_bytes: #params,
                macs: MACS,
                order: #order,
                layout: #layout,
                placeholder: #placeholder,
                tensors: &[#(#tensors),*],
                steps: &[#(#steps),*],
                inputs: &[#(#inputs),*],
                outputs: &[#(#outputs),*],
                states: &[#(#states),*],
                buffers: &[#(#buffers),*],
                events: &[#(#events),*],
            }
        };
    }
}

/// The tensors that exist at run time, numbered as the table numbers them.
pub(super) struct Rows<'a> {
    network: &'a Network<'a>,
    present: Vec<usize>,
    numbers: Vec<usize>,
}

impl<'a> Rows<'a> {
    pub(super) fn new(network: &'a Network<'a>) -> Self {
        let mut present = Vec::new();
        let mut numbers = Vec::new();
        for (index, place) in network.plan.places.iter().enumerate() {
            numbers.push(present.len());
            if *place != Place::Nowhere {
                present.push(index);
            }
        }
        Self { network, present, numbers }
    }

    /// The rows in the arena, in the order in which their lives begin.
    pub(super) fn by_birth(&self) -> Vec<usize> {
        let mut rows: Vec<(usize, usize)> = self
            .present
            .iter()
            .enumerate()
            .filter_map(|(row, &index)| match self.network.plan.places[index] {
                Place::Arena { .. } => Some((self.life(index).first, row)),
                _ => None,
            })
            .collect();
        rows.sort_unstable();
        rows.into_iter().map(|(_, row)| row).collect()
    }

    /// When the tensor is live; step 0 if it lies outside the arena.
    fn life(&self, index: usize) -> Lifetime {
        self.network.plan.lifetimes[index].unwrap_or(Lifetime { first: 0, last: 0 })
    }

    fn index(&self, tensor: usize) -> Literal {
        number(self.numbers[tensor])
    }

    fn tensor(&self, index: usize) -> TokenStream {
        let network = self.network;
        let (plan, runtime, slot) = (network.plan, network.context.runtime, network.slot(index));
        let tensor = &plan.program.tensors[index];
        let (name, dtype) = (&tensor.name, format_ident!("{}", dtype(tensor.ty.dtype)));
        let shape = tensor.ty.shape.iter().map(|&dim| number(dim));
        let quant = tensor.ty.quant.as_ref().filter(|quant| quant.axis().is_none());
        let quant = option(quant.map(|quant| api::quant_value(network, quant)));
        let place = match plan.places[index] {
            Place::Borrowed { input, .. } => {
                let input = number(input);
                quote!(Borrowed { input: #input, offset: #slot.offset() })
            }
            Place::Static { id, .. } => {
                let constant = &network.statics[id.0];
                quote!(Constant { bytes: #runtime::__private::must_cast_slice(#slot.slice(&statics::#constant)) })
            }
            Place::Arena { .. } | Place::Nowhere => quote!(Arena { offset: #slot.offset() }),
        };
        let life = self.life(index);
        let [first, last] = [life.first, life.last].map(number);
        let shares = plan.shares[index];
        let [inside, over] = [shares.inside, shares.over].map(|other| {
            option(other.map(|other| {
                let other = self.index(other);
                quote!(#other)
            }))
        });
        let ahead = option(shares.ahead.map(|ahead| {
            let (of, backward) = (self.index(ahead.of), ahead.direction == Direction::Backward);
            let Distances { from, multiple, any } = ahead.distances;
            // More than the arena is as good as never, and has a number on every target.
            let most = plan.arena_bytes;
            let [from, multiple, any] = [from.min(most), multiple, any.min(most)].map(number);
            quote!(plan::Ahead { of: #of, backward: #backward, from: #from, multiple: #multiple, any: #any })
        }));
        let size = match shares.spread {
            // Its slot spans the gaps too.
            Some(_) => {
                let size = number(tensor.ty.bytes());
                quote!(#size)
            }
            None => quote!(#slot.size()),
        };
        let spread = option(shares.spread.map(|Spread { run, stride }| {
            let [run, stride] = [run, stride].map(number);
            quote!(plan::Spread { run: #run, stride: #stride })
        }));
        quote! {
            plan::Tensor {
                name: #name,
                dtype: plan::DType::#dtype,
                shape: &[#(#shape),*],
                quant: #quant,
                place: plan::Place::#place,
                size: #size,
                first: #first,
                last: #last,
                shares: plan::Shares { inside: #inside, over: #over, ahead: #ahead, spread: #spread },
            }
        }
    }

    fn step(&self, index: usize) -> TokenStream {
        let planned = &self.network.plan.steps[index];
        let step = &self.network.plan.program.steps[planned.step];
        let (name, op, macs) = (&step.name, step.op, Literal::u64_unsuffixed(step.macs));
        let program = &self.network.plan.program;
        let (reads, writes) = (self.list(planned.reads(program)), self.list(planned.writes(program)));
        let scratch = option(self.network.scratch[index].as_ref().map(|slot| quote!(slots::#slot.span())));
        let index = number(index);
        quote! {
            plan::Step {
                index: #index,
                name: #name,
                op: #op,
                reads: #reads,
                writes: #writes,
                scratch: #scratch,
                macs: #macs,
            }
        }
    }

    fn list(&self, tensors: impl Iterator<Item = TensorId>) -> TokenStream {
        let indices = tensors.map(|tensor| self.index(tensor.0));
        quote!(&[#(#indices),*])
    }
}

fn option(value: Option<TokenStream>) -> TokenStream {
    value.map_or_else(|| quote!(::core::option::Option::None), |value| quote!(::core::option::Option::Some(#value)))
}

fn dtype(dtype: DType) -> &'static str {
    match dtype {
        DType::F32 => "F32",
        DType::I8 => "I8",
        DType::U8 => "U8",
        DType::I16 => "I16",
        DType::I32 => "I32",
        DType::I64 => "I64",
        DType::Bool => "Bool",
    }
}

fn mode(mode: InputMode) -> &'static str {
    match mode {
        InputMode::Plain => "Plain",
        InputMode::Kept => "Kept",
        InputMode::Borrowed => "Borrowed",
    }
}

fn kind(kind: EventKind) -> &'static str {
    match kind {
        EventKind::Alloc => "Alloc",
        EventKind::Exec => "Exec",
        EventKind::Free => "Free",
    }
}
