//! The finished plan: every step, every byte, proved.

use crate::emit::StaticId;
use crate::source::Src;
use crate::steps::Program;
use std::ops::Range;

/// What the user asks of the planner: the `plan { .. }` block.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Most bytes that the arena may have, and where that is written.
    pub budget: Option<(usize, Src)>,
    /// How steps are ordered.
    pub order: Order,
    /// How buffers are placed.
    pub layout: Layout,
    /// Alignment of each tensor's start; by default what its kernels need.
    pub align: Option<usize>,
    /// Weight of bytes freed a unit of time, for [`Order::Memory`].
    pub alpha: f64,
    /// Weight of urgency on the critical path, for [`Order::Memory`].
    pub beta: f64,
    /// Reshapes, slices and splits are views.
    pub views: bool,
    /// Elementwise results take their argument's place.
    pub in_place: bool,
    /// Arguments of a concat are produced in their place inside it.
    pub concat: bool,
    /// Slot sizes for [`Layout::SizeClass`]; powers of two when empty.
    pub size_classes: Vec<usize>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            budget: None,
            order: Order::Auto,
            layout: Layout::Auto,
            align: None,
            alpha: 0.7,
            beta: 0.3,
            views: true,
            in_place: true,
            concat: true,
            size_classes: Vec::new(),
        }
    }
}

/// How steps are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// As written.
    Source,
    /// By bytes freed and urgency, from a ready list.
    Memory,
    /// The best of the others.
    Auto,
}

impl Order {
    /// Every order with its name in the language.
    pub const ALL: [(&'static str, Self); 3] =
        [("source", Self::Source), ("memory", Self::Memory), ("auto", Self::Auto)];
}

/// How buffers are placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// No reuse at all: the safe mode.
    Separate,
    /// In step order, the smallest free block that fits.
    BestFit,
    /// Largest first, at the lowest offset that is free.
    GreedyBySize,
    /// One shared slot a colour of the interval graph.
    Coloring,
    /// Slots of set sizes, lent and returned.
    SizeClass,
    /// The best of the others.
    Auto,
}

impl Layout {
    /// Every layout with its name in the language.
    pub const ALL: [(&'static str, Self); 6] = [
        ("separate", Self::Separate),
        ("best_fit", Self::BestFit),
        ("greedy_by_size", Self::GreedyBySize),
        ("coloring", Self::Coloring),
        ("size_class", Self::SizeClass),
        ("auto", Self::Auto),
    ];
}

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

/// What happens to a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// Its bytes become its own.
    Alloc,
    /// A step writes it.
    Exec,
    /// Its bytes are free again.
    Free,
}

/// One row of the event table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// What happens.
    pub kind: EventKind,
    /// To which tensor.
    pub tensor: usize,
    /// In which buffer.
    pub buffer: usize,
    /// At which step, by index into [`Plan::steps`].
    pub step: usize,
}

/// How two tensors of the arena come to share bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shares {
    /// With none.
    Nothing,
    /// It lies inside the bytes of this tensor, which is live as long as it is: a view, or a part of a concat.
    Inside(usize),
    /// Its first step writes it over this tensor, which dies there.
    Over(usize),
}

/// A plan that has passed `layout::verify`.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The program that it plans.
    pub program: Program,
    /// The options, with `auto` replaced by what was chosen.
    pub options: Options,
    /// The steps in order.
    pub steps: Vec<PlannedStep>,
    /// Where each tensor is.
    pub places: Vec<Place>,
    /// When each tensor's own bytes are live; `None` outside the arena.
    pub lifetimes: Vec<Option<Lifetime>>,
    /// How each tensor shares.
    pub shares: Vec<Shares>,
    /// The buffers, scratch included.
    pub buffers: Vec<Buffer>,
    /// Size of the arena, a multiple of 4.
    pub arena_bytes: usize,
    /// Alignment of the arena, at least 16.
    pub arena_align: usize,
    /// Most bytes live at once in this order when buffers are whole and apart: no sharing.
    pub classic_bound: usize,
    /// No plan of this order can need less under the sharing rules in force.
    pub lower_bound: usize,
    /// The arena with every buffer apart.
    pub separate_bytes: usize,
    /// The step at which most is live.
    pub peak_step: usize,
    /// The event table.
    pub events: Vec<Event>,
}
