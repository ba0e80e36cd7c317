//! A plan and its pieces: what the phases after [`steps`](crate::steps) say of each step and each tensor.

use crate::distances::{Direction, Distances};
use crate::emit::{Call, Operand, StaticId};
use crate::events::Event;
use crate::model::TensorId;
use crate::options::{Options, Order};
use crate::steps::{Program, Spread, Step};
use std::borrow::Cow;
use std::ops::Range;

/// For each step and each of its rules of sharing: it may be applied.
pub type Rules = Vec<Vec<bool>>;

/// Steps during which something is live, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifetime {
    /// The first step.
    pub first: usize,
    /// The last step.
    pub last: usize,
}

/// Where a tensor's bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the arena.
    Arena {
        /// Index of its buffer in [`Plan::buffers`].
        buffer: usize,
        /// Bytes from the arena's start.
        offset: usize,
    },
    /// In a borrowed input.
    Borrowed {
        /// Index of the input.
        input: usize,
        /// Bytes from its start.
        offset: usize,
    },
    /// In flash.
    Static {
        /// The static.
        id: StaticId,
        /// Bytes from its start.
        offset: usize,
    },
    /// Nothing needs it.
    Nowhere,
}

/// A step in the order of execution. Steps that became views are not among them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedStep {
    /// Index into [`Program::steps`].
    pub step: usize,
    /// The calls that remain, by index into the step's calls.
    pub calls: Vec<usize>,
    /// The bytes of its scratch in the arena.
    pub scratch: Option<Range<usize>>,
}

impl PlannedStep {
    /// The arguments that its remaining calls read, each place of the step once.
    pub fn reads<'a>(&'a self, program: &'a Program) -> impl Iterator<Item = TensorId> + 'a {
        let step = &program.steps[self.step];
        let read = |index: usize| self.operands(step).any(|operand| operand == Operand::Read(index));
        step.reads.iter().enumerate().filter(move |(index, _)| read(*index)).map(|(_, id)| *id)
    }

    /// The results that its remaining calls write; the others are views.
    pub fn writes<'a>(&'a self, program: &'a Program) -> impl Iterator<Item = TensorId> + 'a {
        let step = &program.steps[self.step];
        let written = |index: usize| self.operands(step).any(|operand| operand == Operand::Write(index));
        step.writes.iter().enumerate().filter(move |(index, _)| written(*index)).map(|(_, id)| *id)
    }

    /// Call `index` of the step as it is made under `shares`.
    #[must_use]
    pub fn call<'a>(&self, program: &'a Program, shares: &[Shares], index: usize) -> Cow<'a, Call> {
        let step = &program.steps[self.step];
        let call = &step.calls[index];
        let spread = step.writes.iter().find_map(|result| {
            let Spread { run, stride } = shares[result.0].spread?;
            let size = program.tensor(*result).ty.dtype.bytes();
            call.spread(run / size, stride / size)
        });
        spread.map_or(Cow::Borrowed(call), Cow::Owned)
    }

    /// The direction in which `call` of the step is made under `shares`: that in which its result may be written over
    /// an argument.
    #[must_use]
    pub fn direction(&self, program: &Program, shares: &[Shares], call: &Call) -> Direction {
        let step = &program.steps[self.step];
        let ahead = call.operands.iter().find_map(|operand| match operand {
            Operand::Write(result) => shares[step.writes[*result].0].ahead,
            Operand::Read(_) | Operand::Scratch => None,
        });
        ahead.map_or(Direction::Forward, |ahead| ahead.direction)
    }

    fn operands<'a>(&'a self, step: &'a Step) -> impl Iterator<Item = Operand> + 'a {
        self.calls.iter().flat_map(|&call| &step.calls[call].operands).copied()
    }
}

/// How a tensor of the arena comes to share bytes with others; both may hold at once.
///
/// Tensors whose bytes and lifetimes overlap either lie inside one tensor, directly or through others,
/// and hold the same values there; or they meet only in the step that ends the one and begins the
/// other, and there the bytes that they have in common are written by a tensor that lies inside the
/// same tensor as the new one, `over` one that lies inside the same tensor as the old one, or `ahead` of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shares {
    /// Its bytes are a part of this tensor's and hold the same values: a view, or a part of a concat.
    pub inside: Option<usize>,
    /// Its step writes it exactly over this tensor, whose last step that is.
    pub over: Option<usize>,
    /// Its step writes it partly over a tensor that it reads ahead.
    pub ahead: Option<Ahead>,
    /// How it lies inside that tensor if not in one piece. Nothing reads it there but through that tensor.
    pub spread: Option<Spread>,
}

/// A tensor that is read ahead of the writes of a result, and for the last time then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ahead {
    /// The tensor.
    pub of: usize,
    /// How the kernel walks, and so which of the two starts lower.
    pub direction: Direction,
    /// From the start of the one to the start of the other.
    pub distances: Distances,
}

impl Shares {
    /// Bytes from the first to the last of a tensor of `bytes`, gaps included where it is spread.
    #[must_use]
    pub fn extent(&self, bytes: usize) -> usize {
        self.spread.map_or(bytes, |spread| spread.extent(bytes))
    }
}

/// Bytes of the arena that belong together: a tensor, its views, what shares its place; or scratch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// The name of the tensor that founded it.
    pub name: String,
    /// Bytes from the arena's start.
    pub offset: usize,
    /// Size in bytes.
    pub size: usize,
    /// Alignment in bytes.
    pub align: usize,
    /// When it is live.
    pub life: Lifetime,
}

/// A plan that has passed `verify`.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The program that it plans.
    pub program: Program,
    /// The options, with `auto` replaced by what was chosen.
    pub options: Options,
    /// All steps of the program in order, by index.
    pub order: Vec<usize>,
    /// The orders that were scheduled to choose from, by kind.
    pub scheduled: Vec<(Order, Vec<usize>)>,
    /// The steps in order, without those that became views.
    pub steps: Vec<PlannedStep>,
    /// For each step of the program and each of its rules of sharing: it is applied.
    pub applied: Rules,
    /// Where each tensor is.
    pub places: Vec<Place>,
    /// When each tensor's own bytes hold or await its value; `None` outside the arena.
    ///
    /// From the step that writes them (of a view: from when its argument is written) to the last
    /// step that reads them through this tensor. Inputs are live from step 0, outputs to the last
    /// step, kept inputs and outputs always.
    pub lifetimes: Vec<Option<Lifetime>>,
    /// How each tensor shares.
    pub shares: Vec<Shares>,
    /// The buffers, scratch included.
    pub buffers: Vec<Buffer>,
    /// Size of the arena, a multiple of 4.
    pub arena_bytes: usize,
    /// Alignment of the arena, at least 16.
    pub arena_align: usize,
    /// Most bytes live at once in this order when buffers are whole and apart: nothing shares but a
    /// reshape with its argument.
    pub classic_bound: usize,
    /// No plan of this order can need less under the sharing rules in force.
    pub lower_bound: usize,
    /// The arena of [`Layout::Separate`](crate::options::Layout::Separate) in this order.
    pub separate_bytes: usize,
    /// The step at which most is live.
    pub peak_step: usize,
    /// The event table.
    pub events: Vec<Event>,
}

impl Plan {
    /// Bytes from the first to the last of a tensor, gaps included where it is spread.
    #[must_use]
    pub fn extent(&self, tensor: usize) -> usize {
        self.shares[tensor].extent(self.program.tensors[tensor].ty.bytes())
    }
}
