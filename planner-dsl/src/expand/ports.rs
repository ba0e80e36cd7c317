//! Inputs and outputs as the interface shows them.

use super::names::{Names, ident};
use super::{Context, number, rust_type};
use planner_core::model::{InputMode, TensorId, TensorType};
use planner_core::plan::Plan;
use planner_core::source::Src;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// All inputs and outputs, in order of declaration.
pub(super) struct Ports {
    pub(super) inputs: Vec<Input>,
    pub(super) outputs: Vec<Output>,
}

/// A value given by the caller.
pub(super) struct Input {
    pub(super) port: Port,
    pub(super) mode: InputMode,
}

/// A value handed to the caller.
pub(super) struct Output {
    pub(super) port: Port,
    pub(super) kept: bool,
}

/// A tensor with a name in the interface.
pub(super) struct Port {
    /// The name of its accessor.
    pub(super) name: Ident,
    /// The name of its quantisation.
    pub(super) quant: Ident,
    /// What the user wrote about it.
    pub(super) docs: TokenStream,
    /// Index of the tensor.
    pub(super) tensor: usize,
    pub(super) ty: TensorType,
    /// The type is known; otherwise it is shown as a slice.
    pub(super) known: bool,
}

impl Ports {
    pub(super) fn new(plan: &Plan, context: Context<'_>) -> Self {
        let program = &plan.program;
        let port = |name: &str, src: Src, docs: Option<&TokenStream>, quants: &mut Names, tensor: TensorId| Port {
            name: ident(name, context.spans.first(src)),
            quant: quants.upper(name),
            docs: docs.cloned().unwrap_or_default(),
            tensor: tensor.0,
            ty: program.tensor(tensor).ty.clone(),
            known: context.stub.is_none_or(|stub| !stub.unknown.contains(&tensor.0)),
        };
        let (mut input_quants, mut output_quants) = (Names::default(), Names::default());
        let inputs = program.inputs.iter().enumerate().map(|(index, input)| {
            let tensor = program.tensor(input.tensor);
            let docs = context.lowered.input_docs.get(index);
            Input { port: port(&tensor.name, tensor.src, docs, &mut input_quants, input.tensor), mode: input.mode }
        });
        let outputs = program.outputs.iter().enumerate().map(|(index, output)| {
            let docs = context.lowered.output_docs.get(index);
            Output { port: port(&output.name, output.src, docs, &mut output_quants, output.tensor), kept: output.kept }
        });
        Self { inputs: inputs.collect(), outputs: outputs.collect() }
    }

    /// The inputs that are passed by reference.
    pub(super) fn borrowed(&self) -> impl Iterator<Item = &Input> {
        self.inputs.iter().filter(|input| input.mode == InputMode::Borrowed)
    }

    /// The inputs that lie in the arena.
    pub(super) fn in_arena(&self) -> impl Iterator<Item = &Input> {
        self.inputs.iter().filter(|input| input.mode != InputMode::Borrowed)
    }
}

impl Port {
    /// Its elements as a Rust type, `[f32; 64]`.
    pub(super) fn array(&self) -> TokenStream {
        let element = rust_type(self.ty.dtype);
        if self.known {
            let len = number(self.ty.shape.elements());
            quote!([#element; #len])
        } else {
            quote!([#element])
        }
    }
}
