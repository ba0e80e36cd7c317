//! The interface of a network that has errors, so that the code that uses it gets none of its own.

use crate::ast::Port;
use crate::lower::Lowered;
use planner_core::dtype::DType;
use planner_core::infer;
use planner_core::model::{Declared, Input, InputMode, Output, TensorId, TensorType};
use planner_core::options::Options;
use planner_core::plan::Plan;
use planner_core::planned::{Lifetime, Place, Shares};
use planner_core::shape::Shape;
use planner_core::source::Src;
use planner_core::state::{State, StateInit};
use planner_core::steps::{Program, ProgramTensor, Source};

/// A plan that only has inputs and outputs.
pub(crate) struct Stub {
    /// The plan: every input and output has bytes of its own, and there are no steps.
    pub(crate) plan: Plan,
    /// The tensors whose type is not known.
    pub(crate) unknown: Vec<usize>,
}

/// The inputs and outputs of `lowered` as far as they are known.
pub(crate) fn stub(lowered: &Lowered) -> Stub {
    let model = &lowered.model;
    let (types, _) = infer::types(model);
    let mut stub = Builder::default();
    stub.program.name.clone_from(&model.name);
    stub.program.src = model.src;
    let known = |tensor: TensorId| types[tensor.0].clone().ok_or(&model.tensor(tensor).declared);
    for input in &model.inputs {
        let tensor = model.tensor(input.tensor);
        stub.input(&tensor.name, tensor.src, known(input.tensor), input.mode);
    }
    for output in &model.outputs {
        stub.output(&output.name, output.src, known(output.tensor), output.kept);
    }
    for state in &model.states {
        let tensor = model.tensor(state.tensor);
        stub.state(&tensor.name, tensor.src, known(state.tensor));
    }
    for broken in &lowered.stubs {
        let (name, src, declared) = (&broken.name.name, broken.name.src, &broken.declared);
        match broken.port {
            Port::Input(mode) => stub.input(name, src, Err(declared), mode),
            Port::Output { kept } => stub.output(name, src, Err(declared), kept),
            Port::State => stub.state(name, src, Err(declared)),
        }
    }
    stub.finish()
}

#[derive(Default)]
struct Builder {
    program: Program,
    places: Vec<Place>,
    unknown: Vec<usize>,
    bytes: usize,
}

impl Builder {
    fn input(&mut self, name: &str, src: Src, ty: Result<TensorType, &Declared>, mode: InputMode) {
        let input = self.program.inputs.len();
        let tensor = self.tensor(name, src, ty, Source::Input(input));
        if mode == InputMode::Borrowed {
            self.places[tensor.0] = Place::Borrowed { input, offset: 0 };
        }
        self.program.inputs.push(Input { tensor, mode });
    }

    fn output(&mut self, name: &str, src: Src, ty: Result<TensorType, &Declared>, kept: bool) {
        let tensor = self.tensor(name, src, ty, Source::Step);
        self.program.outputs.push(Output { name: name.to_owned(), tensor, kept, src });
    }

    fn state(&mut self, name: &str, src: Src, ty: Result<TensorType, &Declared>) {
        let tensor = self.tensor(name, src, ty, Source::State(self.program.states.len()));
        let init = StateInit::Splat(vec![0; self.program.tensor(tensor).ty.dtype.bytes()]);
        self.program.states.push(State { tensor, next: tensor, init });
    }

    fn tensor(&mut self, name: &str, src: Src, ty: Result<TensorType, &Declared>, source: Source) -> TensorId {
        let id = TensorId(self.program.tensors.len());
        let ty = ty.unwrap_or_else(|declared| {
            if declared.shape.is_none() {
                self.unknown.push(id.0);
            }
            let shape = declared.shape.clone().unwrap_or_else(Shape::scalar);
            TensorType { dtype: declared.dtype.unwrap_or(DType::F32), shape, quant: declared.quant.clone() }
        });
        self.places.push(Place::Arena { buffer: 0, offset: self.bytes });
        self.bytes += ty.bytes().next_multiple_of(4);
        self.program.tensors.push(ProgramTensor { name: name.to_owned(), ty, src, source });
        id
    }

    fn finish(self) -> Stub {
        let tensors = self.places.len();
        let plan = Plan {
            program: self.program,
            options: Options::default(),
            order: Vec::new(),
            scheduled: Vec::new(),
            steps: Vec::new(),
            applied: Vec::new(),
            places: self.places,
            lifetimes: vec![Some(Lifetime { first: 0, last: 0 }); tensors],
            shares: vec![Shares::default(); tensors],
            buffers: Vec::new(),
            arena_bytes: self.bytes,
            arena_align: 16,
            classic_bound: self.bytes,
            lower_bound: self.bytes,
            separate_bytes: self.bytes,
            peak_step: 0,
            events: Vec::new(),
        };
        Stub { plan, unknown: self.unknown }
    }
}
