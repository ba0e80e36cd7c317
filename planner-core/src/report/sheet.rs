//! What reports show of a plan, as plain data.

use crate::distances::Direction;
use crate::layout::covered;
use crate::model::TensorId;
use crate::plan::Plan;
use crate::planned::{Lifetime, Place as Planned};
use crate::steps;
use std::cmp::Ordering;
use std::ops::Range;

/// What reports show of a plan. Made of a [`Plan`], or of whatever else knows the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sheet {
    /// The network's name.
    pub name: String,
    /// The order of steps that was used.
    pub order: String,
    /// The layout that was used.
    pub layout: String,
    /// Size of the arena.
    pub arena_bytes: usize,
    /// Size of an arena without any reuse.
    pub separate_bytes: usize,
    /// Most bytes live at once in this order when buffers are whole and apart.
    pub classic_bound: usize,
    /// No plan of this order can need less under the sharing rules in force.
    pub lower_bound: usize,
    /// Size of the weights in flash.
    pub weight_bytes: usize,
    /// Bytes of the parameters as the model has them.
    pub param_bytes: usize,
    /// Multiply-accumulates of one run.
    pub macs: usize,
    /// Channels that were constant or unread and are in no tensor any more.
    pub removed_channels: usize,
    /// Steps with slower kernels than usual, for their memory.
    pub slower: usize,
    /// Steps with faster ones.
    pub faster: usize,
    /// The steps in order.
    pub steps: Vec<Step>,
    /// The tensors that exist at run time.
    pub tensors: Vec<Tensor>,
}

/// A step. Tensors are indices into [`Sheet::tensors`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Its name: that of its first result.
    pub name: String,
    /// The operator.
    pub op: String,
    /// The name of its kernel, where it could have another.
    pub variant: Option<&'static str>,
    /// The tensors that it reads.
    pub reads: Vec<usize>,
    /// The tensors that it writes.
    pub writes: Vec<usize>,
    /// The bytes of the arena that it needs for itself while it runs.
    pub scratch: Option<Scratch>,
    /// Multiply-accumulates.
    pub macs: usize,
}

/// Bytes from `start` to before `end` of the arena.
pub type Scratch = Range<usize>;

/// A tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// Its name.
    pub name: String,
    /// Its type as the language writes it.
    pub ty: String,
    /// Where it is.
    pub place: Place,
    /// The caller fills it.
    pub input: bool,
    /// The caller reads it.
    pub output: bool,
    /// The tensor whose bytes these are a part of.
    pub inside: Option<usize>,
    /// The tensor whose place it takes.
    pub over: Option<usize>,
    /// The tensor over a part of which it is written, which is read ahead.
    pub ahead: Option<usize>,
    /// It is written so from its last byte on.
    pub backward: bool,
}

/// Where a tensor is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the arena.
    Arena {
        /// Its bytes, from the first to the last.
        bytes: Range<usize>,
        /// When they are its own.
        life: Lifetime,
    },
    /// In a borrowed input.
    Borrowed,
    /// In flash.
    Flash,
}

impl Tensor {
    /// Its bytes in the arena and when they are its own.
    pub(super) fn slot(&self) -> Option<(&Range<usize>, Lifetime)> {
        match &self.place {
            Place::Arena { bytes, life } => Some((bytes, *life)),
            Place::Borrowed | Place::Flash => None,
        }
    }
}

impl From<&Plan> for Sheet {
    fn from(plan: &Plan) -> Self {
        let program = &plan.program;
        let mut index = vec![None; program.tensors.len()];
        let mut tensors = Vec::new();
        for (tensor, item) in program.tensors.iter().enumerate() {
            let place = match (plan.places[tensor], plan.lifetimes[tensor]) {
                (Planned::Arena { offset, .. }, Some(life)) => {
                    Place::Arena { bytes: offset..offset + plan.extent(tensor), life }
                }
                (Planned::Borrowed { .. }, _) => Place::Borrowed,
                (Planned::Static { .. }, _) => Place::Flash,
                _ => continue,
            };
            index[tensor] = Some(tensors.len());
            tensors.push(Tensor {
                name: item.name.clone(),
                ty: item.ty.to_string(),
                place,
                input: program.inputs.iter().any(|input| input.tensor.0 == tensor),
                output: program.outputs.iter().any(|output| output.tensor.0 == tensor),
                inside: plan.shares[tensor].inside,
                over: plan.shares[tensor].over,
                ahead: plan.shares[tensor].ahead.map(|ahead| ahead.of),
                backward: plan.shares[tensor].ahead.is_some_and(|ahead| ahead.direction == Direction::Backward),
            });
        }
        for tensor in &mut tensors {
            tensor.inside = tensor.inside.and_then(|holder| index[holder]);
            tensor.over = tensor.over.and_then(|under| index[under]);
            tensor.ahead = tensor.ahead.and_then(|read| index[read]);
        }
        let steps = plan.steps.iter().map(|planned| {
            let step = &program.steps[planned.step];
            let listed = |id: TensorId| index[id.0];
            Step {
                name: step.name.clone(),
                op: step.op.to_owned(),
                variant: step.variants.chosen().map(|variant| variant.name),
                reads: planned.reads(program).filter_map(listed).collect(),
                writes: planned.writes(program).filter_map(listed).collect(),
                scratch: planned.scratch.clone(),
                macs: count(step.macs),
            }
        });
        let than_usual = |step: &&steps::Step, order: Ordering| {
            let [now, usual] = [step.variants.chosen(), step.variants.all.first()]
                .map(|variant| variant.map(|variant| variant.instructions));
            now.cmp(&usual) == order
        };
        let changed = |order| program.steps.iter().filter(|step| than_usual(step, order)).count();
        Self {
            name: program.name.clone(),
            order: plan.options.order.name().to_owned(),
            layout: plan.options.layout.name().to_owned(),
            arena_bytes: plan.arena_bytes,
            separate_bytes: plan.separate_bytes,
            classic_bound: plan.classic_bound,
            lower_bound: plan.lower_bound,
            weight_bytes: program.weight_bytes(),
            param_bytes: program.param_bytes,
            macs: count(program.macs()),
            removed_channels: program.removed_channels(),
            slower: changed(Ordering::Greater),
            faster: changed(Ordering::Less),
            steps: steps.collect(),
            tensors,
        }
    }
}

fn count(macs: u64) -> usize {
    usize::try_from(macs).unwrap_or(usize::MAX)
}

impl Sheet {
    /// Bytes live at each step, by the union of the slots of tensors and scratch.
    pub(super) fn live(&self) -> Vec<usize> {
        let live = |(at, step): (usize, &Step)| {
            let slots = self.tensors.iter().filter_map(Tensor::slot);
            let slots = slots.filter(|(_, life)| life.first <= at && at <= life.last);
            covered(slots.map(|(bytes, _)| bytes).chain(&step.scratch).cloned())
        };
        self.steps.iter().enumerate().map(live).collect()
    }

    /// The first step at which most is live, and how many bytes.
    pub(super) fn peak(&self) -> Option<(usize, usize)> {
        let live = self.live();
        let most = live.iter().copied().max()?;
        live.iter().position(|bytes| *bytes == most).map(|step| (step, most))
    }
}
