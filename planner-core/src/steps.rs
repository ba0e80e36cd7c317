//! Operators lowered to steps: kernel calls over whole tensors, in source order.

use crate::arch::Arch;
use crate::diagnostic::Diagnostics;
use crate::distances::{Direction, Distances};
use crate::dtype::DType;
use crate::emit::{Call, Init, Static, StaticId};
use crate::model::{Data, Input, Origin, Output, Reduced, TensorId, TensorType, TypedModel};
use crate::ops::{self, AttrValue};
use crate::source::Src;
use crate::state::{self, Assignment, State, StateInit};
use crate::variants::{Choice, Variants};

/// Memory that a step needs for itself while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scratch {
    /// Size.
    pub bytes: usize,
    /// The type of its elements, to which it is aligned.
    pub dtype: DType,
}

/// A rule by which two tensors of a step may share bytes. Indices are into
/// [`Step::reads`] and [`Step::writes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// The result *is* the argument's bytes from `offset` on; no call is needed.
    View {
        /// Index of the result.
        result: usize,
        /// Index of the argument.
        arg: usize,
        /// Bytes from the argument's start.
        offset: usize,
    },
    /// The argument may be produced at `offset` inside the result; no copy is needed.
    Into {
        /// Index of the argument.
        arg: usize,
        /// Index of the result.
        result: usize,
        /// Bytes from the result's start.
        offset: usize,
        /// How it lies there if not in one piece. Only a kernel that can leave gaps can produce it so.
        spread: Option<Spread>,
    },
    /// The result is the place of a state, which the argument may be produced in if nothing needs what was
    /// there before; no copy is needed.
    Update {
        /// Index of the argument, the state's new value.
        arg: usize,
        /// Index of the result, the state after the run.
        result: usize,
    },
    /// The result may take exactly the argument's place if nothing reads the argument afterwards.
    InPlace {
        /// Index of the argument.
        arg: usize,
        /// Index of the result.
        result: usize,
    },
    /// The result may be written over the argument at a safe distance if nothing reads the argument afterwards.
    /// There is one such rule a direction.
    Overlap {
        /// Index of the argument.
        arg: usize,
        /// Index of the result.
        result: usize,
        /// How the kernel walks, and so which of the two starts lower.
        direction: Direction,
        /// From the start of the one to the start of the other.
        distances: Distances,
    },
}

impl Sharing {
    /// The indices of the argument and the result.
    #[must_use]
    pub fn ends(self) -> (usize, usize) {
        let (Self::View { result, arg, .. }
        | Self::Into { arg, result, .. }
        | Self::Update { arg, result }
        | Self::InPlace { arg, result }
        | Self::Overlap { arg, result, .. }) = self;
        (arg, result)
    }
}

/// A tensor in runs with gaps between them, as a part of another lies along an inner dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spread {
    /// Bytes that lie side by side.
    pub run: usize,
    /// Bytes from the start of a run to the start of the next.
    pub stride: usize,
}

impl Spread {
    /// Bytes from the first to the last of a tensor of `bytes`, gaps included.
    #[must_use]
    pub fn extent(self, bytes: usize) -> usize {
        (bytes / self.run.max(1)).saturating_sub(1) * self.stride + self.run
    }

    /// The runs of a tensor of `bytes`: where each starts in the tensor, and how far from the first it lies.
    pub fn runs(self, bytes: usize) -> impl Iterator<Item = (usize, usize)> {
        (0..bytes / self.run.max(1)).map(move |index| (index * self.run, index * self.stride))
    }
}

/// One step of the executor.
#[derive(Clone, Debug)]
pub struct Step {
    /// The name of its (first) result.
    pub name: String,
    /// The operator's name.
    pub op: &'static str,
    /// The operator's attributes.
    pub attributes: Vec<(&'static str, AttrValue)>,
    /// Where the operator stands.
    pub src: Src,
    /// Tensors read, in the order of the operator's arguments, constants included where a kernel takes them as a
    /// window.
    pub reads: Vec<TensorId>,
    /// Tensors written.
    pub writes: Vec<TensorId>,
    /// Memory needed during the step.
    pub scratch: Option<Scratch>,
    /// Multiply-accumulates; the weight of its time in scheduling.
    pub macs: u64,
    /// The work, in order.
    pub calls: Vec<Call>,
    /// What may share bytes with what.
    pub sharing: Vec<Sharing>,
    /// Which kernels it could have, and the one that all this is of.
    pub variants: Variants,
}

/// Where a tensor's bytes come from, before anything is placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// `program.inputs[_]`.
    Input(usize),
    /// `program.states[_]`: what the run before left.
    State(usize),
    /// A constant in flash.
    Static(StaticId),
    /// Written by a step.
    Step,
    /// Nothing needs it: a parameter that was folded into statics, a result that was fused away.
    Unused,
}

/// A tensor of a [`Program`].
#[derive(Clone, Debug)]
pub struct ProgramTensor {
    /// Unique name.
    pub name: String,
    /// Type.
    pub ty: TensorType,
    /// Where it is defined.
    pub src: Src,
    /// Where its bytes come from.
    pub source: Source,
}

/// A network as steps: what the planner plans. Steps stand in source order.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Name of the network.
    pub name: String,
    /// Where its name stands.
    pub src: Src,
    /// All tensors, indexed by [`TensorId`].
    pub tensors: Vec<ProgramTensor>,
    /// All steps.
    pub steps: Vec<Step>,
    /// All constants.
    pub statics: Vec<Static>,
    /// Inputs in order of declaration.
    pub inputs: Vec<Input>,
    /// Outputs in order of declaration.
    pub outputs: Vec<Output>,
    /// States in order of declaration.
    pub states: Vec<State>,
    /// Some weights are placeholders.
    pub placeholder: bool,
    /// Bytes of the parameters that are read, as the model has them; kernels may need theirs in other layouts.
    pub param_bytes: usize,
    /// The tensors that have lost channels.
    pub reduced: Vec<Reduced>,
}

impl Program {
    /// The tensor `id`.
    #[must_use]
    pub fn tensor(&self, id: TensorId) -> &ProgramTensor {
        &self.tensors[id.0]
    }

    /// Bytes of weights in flash, with what derives from them or from the scales of their channels.
    #[must_use]
    pub fn weight_bytes(&self) -> usize {
        self.statics.iter().filter(|s| s.weights).map(Static::bytes).sum()
    }

    /// About how many instructions one inference takes: three a multiply-accumulate where a step has no estimate.
    #[must_use]
    pub fn instructions(&self) -> u64 {
        let estimate = |step: &Step| step.variants.chosen().map_or(3 * step.macs, |variant| variant.instructions);
        self.steps.iter().map(estimate).sum()
    }

    /// Channels that are in no tensor any more, over all tensors.
    #[must_use]
    pub fn removed_channels(&self) -> usize {
        self.reduced.iter().map(Reduced::removed).sum()
    }

    /// Multiply-accumulates of one inference.
    #[must_use]
    pub fn macs(&self) -> u64 {
        self.steps.iter().map(|step| step.macs).sum()
    }
}

/// Collects statics, each distinct content once.
#[derive(Debug, Default)]
pub struct Statics {
    list: Vec<Static>,
}

impl Statics {
    /// The id of a static with this content; names are made unique.
    pub fn add(&mut self, mut item: Static) -> StaticId {
        let same = |s: &Static| s.dtype == item.dtype && s.len == item.len && s.init == item.init;
        if let Some(index) = self.list.iter().position(same) {
            self.list[index].weights |= item.weights;
            return StaticId(index);
        }
        let base = item.name.clone();
        let mut count = 1;
        while self.list.iter().any(|s| s.name == item.name) {
            count += 1;
            item.name = format!("{base}_{count}");
        }
        self.list.push(item);
        StaticId(self.list.len() - 1)
    }

    /// Bytes as a static of weights.
    pub fn bytes(&mut self, name: String, dtype: DType, bytes: Vec<u8>, weights: bool) -> StaticId {
        self.add(Static { name, dtype, len: bytes.len() / dtype.bytes(), init: Init::Bytes(bytes), weights })
    }

    /// The static `id`.
    #[must_use]
    pub fn get(&self, id: StaticId) -> &Static {
        &self.list[id.0]
    }

    /// The finished list.
    #[must_use]
    pub fn into_list(self) -> Vec<Static> {
        self.list
    }
}

/// Lowers every node of a checked model to portable kernels.
///
/// # Errors
/// As for [`lower_for`].
pub fn lower(typed: &TypedModel) -> Result<Program, Diagnostics> {
    lower_for(typed, Arch::Portable)
}

/// Lowers every node of a checked model to the kernels of `arch`.
///
/// # Errors
/// What an operator needs and cannot have: values of an external constant, a multiplier out of range.
pub fn lower_for(typed: &TypedModel, arch: Arch) -> Result<Program, Diagnostics> {
    lower_with(typed, arch, &Choice::new())
}

/// Lowers every node of a checked model to the kernels of `arch`, where it has several to that of `choice`.
///
/// # Errors
/// As for [`lower_for`].
pub fn lower_with(typed: &TypedModel, arch: Arch, choice: &Choice) -> Result<Program, Diagnostics> {
    let model = &typed.model;
    let types: Vec<Option<TensorType>> = typed.types.iter().cloned().map(Some).collect();
    let mut statics = Statics::default();
    let mut steps = Vec::new();
    let mut found = Diagnostics::default();
    for node in &model.nodes {
        let call = ops::Call { model, node, types: &types };
        let macs = node.op.macs(&call);
        let name = &model.tensor(node.results[0]).name;
        let wanted = choice.get(name).map(String::as_str);
        let mut lower = ops::Lower { wanted, ..ops::Lower::new(call, arch, &mut statics) };
        match node.op.lower(&mut lower) {
            Ok(lowered) => steps.push(Step {
                name: name.clone(),
                op: node.op.signature().name,
                attributes: node.op.signature().attrs.iter().map(|attr| attr.name).zip(node.attrs.clone()).collect(),
                src: node.src,
                reads: lowered.reads.iter().filter_map(|&place| call.tensor(place)).collect(),
                writes: node.results.clone(),
                scratch: lowered.scratch,
                macs,
                calls: lowered.calls,
                sharing: lowered.sharing,
                variants: lower.variants,
            }),
            Err(diagnostic) => found.push(node.labelled(diagnostic)),
        }
    }
    let mut read = vec![false; model.tensors.len()];
    for id in steps.iter().flat_map(|step| &step.reads) {
        read[id.0] = true;
    }
    for id in model.outputs.iter().map(|output| output.tensor).chain(model.states.iter().map(|state| state.next)) {
        read[id.0] = true;
    }
    let tensors = model.tensors.iter().zip(&typed.types).enumerate().map(|(index, (tensor, ty))| {
        let source = match tensor.origin {
            Origin::Input(input) => Source::Input(input),
            Origin::State(state) => Source::State(state),
            Origin::Param(param) if read[index] => {
                Source::Static(constant(&mut statics, &tensor.name, ty, &model.params[param].data))
            }
            Origin::Param(_) => Source::Unused,
            Origin::Result { .. } => Source::Step,
        };
        ProgramTensor { name: tensor.name.clone(), ty: ty.clone(), src: tensor.src, source }
    });
    let mut program = Program {
        name: model.name.clone(),
        src: model.src,
        tensors: tensors.collect(),
        steps,
        statics: Vec::new(),
        inputs: model.inputs.clone(),
        outputs: model.outputs.clone(),
        states: Vec::new(),
        placeholder: model.params.iter().any(|param| param.placeholder),
        param_bytes: model.params.iter().map(|param| typed.ty(param.tensor).bytes()).sum(),
        reduced: model.reduced.clone(),
    };
    let assignments = model.states.iter().map(|state| {
        let tensor = program.tensor(state.tensor);
        let init = initial(&mut statics, &tensor.name, &tensor.ty, &state.data);
        Assignment { state: state.tensor, init, value: state.next, src: state.src }
    });
    let assignments = assignments.collect();
    program.statics = statics.into_list();
    state::add_states(&mut program, assignments);
    found.barrier(program)
}

/// A static of weights with the elements of `data`.
fn constant(statics: &mut Statics, name: &str, ty: &TensorType, data: &Data) -> StaticId {
    let init = match data {
        Data::Bytes(bytes) => Init::Bytes(bytes.to_vec()),
        Data::External(id) => Init::External(*id),
    };
    statics.add(Static { name: name.to_owned(), dtype: ty.dtype, len: ty.shape.elements(), init, weights: true })
}

/// The elements of `data` as a state has them before the first run.
fn initial(statics: &mut Statics, name: &str, ty: &TensorType, data: &Data) -> StateInit {
    if let Data::Bytes(bytes) = data {
        let mut elements = bytes.chunks(ty.dtype.bytes());
        if let Some(first) = elements.next()
            && elements.all(|element| element == first)
        {
            return StateInit::Splat(first.to_vec());
        }
    }
    StateInit::Static(constant(statics, name, ty, data))
}
