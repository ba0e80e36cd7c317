//! The finished plan: every step, every byte, proved.

mod assemble;
mod budget;
mod choose_kernels;
mod choose_sharing;
pub mod lock;
mod search;
mod watch;

pub use choose_kernels::{plan_for, plan_for_observed};
pub use search::{MAX_ALIGN, plan, plan_observed};
pub use watch::Observer;

use crate::events::Event;
use crate::options::{Options, Order};
use crate::planned::{Lifetime, Place, PlannedStep, Rules, Shares};
use crate::steps::Program;

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
