//! What a plan may be asked for.

use crate::source::Src;

/// What the user asks of the planner: the `plan { .. }` block.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "a switch a way of sharing")]
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
    /// Results are written over arguments that are read ahead of them.
    pub overlap: bool,
    /// Channels that are constant for every input, and those that nothing depends on, are removed before planning.
    pub elimination: bool,
    /// Slot sizes for [`Layout::SizeClass`]; powers of two when empty.
    pub size_classes: Vec<usize>,
    /// How long to search, for [`Layout::Exact`] and [`Order::Optimal`].
    pub effort: Effort,
    /// What memory is for, where kernels that need more of it are faster.
    pub prefer: Prefer,
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
            overlap: true,
            elimination: true,
            size_classes: Vec::new(),
            effort: Effort::Default,
            prefer: Prefer::Size,
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
    /// The one of least peak, proved where the effort suffices.
    Optimal,
    /// The best of the others.
    Auto,
}

impl Order {
    /// Every order with its name in the language.
    pub const ALL: [(&'static str, Self); 4] =
        [("source", Self::Source), ("memory", Self::Memory), ("optimal", Self::Optimal), ("auto", Self::Auto)];

    /// Its name in the language.
    #[must_use]
    pub fn name(self) -> &'static str {
        name(&Self::ALL, &self)
    }
}

/// What memory is for, where kernels that need more of it are faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Prefer {
    /// Kernels that need less memory where that makes the arena smaller by a larger fraction than the network slower;
    /// and faster ones as far as they fit that arena.
    Size,
    /// Faster kernels as far as they fit the budget; without one, the fastest.
    Speed,
}

impl Prefer {
    /// Both with their names in the language.
    pub const ALL: [(&'static str, Self); 2] = [("size", Self::Size), ("speed", Self::Speed)];

    /// What is to be small of an arena of so many bytes and so many instructions: their product, or the instructions.
    #[must_use]
    pub fn cost(self, arena: usize, instructions: u64) -> u128 {
        let bytes = match self {
            Self::Size => arena as u128,
            Self::Speed => 1,
        };
        bytes * u128::from(instructions)
    }
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
    /// Searched: the best that an effort allows, proved where it can be.
    Exact,
    /// The best of the others.
    Auto,
}

impl Layout {
    /// Every layout with its name in the language.
    pub const ALL: [(&'static str, Self); 7] = [
        ("separate", Self::Separate),
        ("best_fit", Self::BestFit),
        ("greedy_by_size", Self::GreedyBySize),
        ("coloring", Self::Coloring),
        ("size_class", Self::SizeClass),
        ("exact", Self::Exact),
        ("auto", Self::Auto),
    ];

    /// Those among which [`Layout::Auto`] chooses, in the order in which it tries them: the first that is as good as
    /// any can be ends that.
    pub const SHARING: [Self; 5] = [Self::GreedyBySize, Self::BestFit, Self::Exact, Self::Coloring, Self::SizeClass];

    /// Its name in the language.
    #[must_use]
    pub fn name(self) -> &'static str {
        name(&Self::ALL, &self)
    }
}

/// How hard to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Effort {
    /// A few solutions without looking back: for millions of buffers, or when nothing depends on it.
    Fast,
    /// As much as a build may take without being noticed.
    #[default]
    Default,
    /// As much as a person waits for once.
    Max,
}

impl Effort {
    /// Every effort with its name.
    pub const ALL: [(&'static str, Self); 3] = [("fast", Self::Fast), ("default", Self::Default), ("max", Self::Max)];
}

fn name<T: PartialEq>(all: &[(&'static str, T)], value: &T) -> &'static str {
    all.iter().find(|(_, other)| other == value).map_or("", |(name, _)| name)
}
