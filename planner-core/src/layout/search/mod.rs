//! Offsets by search: the best that a number of nodes allows, and a proof where there is one.
//!
//! The same instance and limits give the same offsets on every machine: nothing looks at a clock, a hash or a thread.
//!
//! ```
//! use planner_core::layout::search::{Buffer, Instance, solve};
//! use planner_core::options::Effort;
//!
//! // Bytes, first step, last step.
//! let buffers = [(4, 0, 2), (4, 3, 8), (4, 0, 8), (4, 9, 20), (4, 0, 20)];
//! let buffers = buffers.map(|(size, first, last)| Buffer::new(size, first, last)).to_vec();
//! let instance = Instance::new(buffers)?;
//! let solution = solve(&instance, Effort::Default.limits(&instance), None);
//! assert_eq!((solution.bytes, solution.is_proved()), (12, true));
//! # Ok::<(), planner_core::diagnostic::Diagnostics>(())
//! ```
#![expect(clippy::cast_possible_truncation, reason = "an instance has fewer lives, and so sections, than 2^31")]

mod bounds;
mod branch_and_bound;
mod check;
mod conflicts;
mod dive;
mod effort;
mod floors;
mod improve;
mod incumbent;
mod instance;
mod items;
mod noise;
mod orders;
mod rows;
mod sections;
mod state;
mod tallest;

pub use check::{Violation, check};
pub use effort::Limits;
pub use instance::{Buffer, Instance, LIMIT, Life, Overlap};

use conflicts::Conflicts;
use incumbent::Incumbent;
use items::Items;
pub(super) use items::gcd;
use std::fmt;
use std::ops::ControlFlow;

/// Offsets, and what is known about them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// One a buffer.
    pub offsets: Vec<usize>,
    /// The end of the highest buffer.
    pub bytes: usize,
    /// No offsets need fewer bytes.
    pub bound: usize,
    /// Decisions of where to put a buffer.
    pub nodes: u64,
}

impl Solution {
    /// Nothing is better.
    #[must_use]
    pub fn is_proved(&self) -> bool {
        self.progress().is_proved()
    }

    /// How far the search came.
    #[must_use]
    pub fn progress(&self) -> Progress {
        Progress { bytes: self.bytes, bound: self.bound, nodes: self.nodes }
    }
}

/// How far a search is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The end of the highest buffer in the best solution.
    pub bytes: usize,
    /// No solution needs fewer bytes.
    pub bound: usize,
    /// Decisions, such as where to put a buffer.
    pub nodes: u64,
}

impl Progress {
    /// Nothing is better: the bytes are those of the bound.
    #[must_use]
    pub fn is_proved(&self) -> bool {
        self.bytes == self.bound
    }

    /// How far the solution may be from the best one: its bytes beyond the bound, as a part of the bound.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a ratio to be shown")]
    pub fn gap(&self) -> f64 {
        if self.bound == 0 { 0.0 } else { self.bytes.saturating_sub(self.bound) as f64 / self.bound as f64 }
    }

    /// As an object of JSON, after so many seconds.
    #[must_use]
    pub fn json(&self, seconds: f64) -> String {
        let Self { bytes, bound, nodes, .. } = self;
        let (gap, proved) = (self.gap(), self.is_proved());
        format!(
            r#"{{"bytes":{bytes},"bound":{bound},"gap":{gap:.6},"proved":{proved},"nodes":{nodes},"seconds":{seconds:.3}}}"#
        )
    }
}

impl fmt::Display for Progress {
    /// A line for people.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bytes, bound, nodes, .. } = self;
        let (proved, gap) = (if self.is_proved() { ", which nothing can beat" } else { "" }, self.gap() * 100.0);
        write!(f, "{bytes} bytes{proved}; bound {bound}, gap {gap:.3} %; {nodes} nodes")
    }
}

/// Places the buffers of `instance`; with a `capacity`, no lower than that.
///
/// A capacity is a wish: if nothing was found that fits, the solution is the best there is, and [`Solution::bound`]
/// above the capacity says that nothing can be found.
#[must_use]
pub fn solve(instance: &Instance, limits: Limits, capacity: Option<usize>) -> Solution {
    solve_observed(instance, limits, capacity, &mut |_| ControlFlow::Continue(()))
}

/// As [`solve`]; `observer` is told after every run, and the search ends with the best so far when it breaks.
pub fn solve_observed(
    instance: &Instance,
    limits: Limits,
    capacity: Option<usize>,
    observer: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Solution {
    solve_below(instance, usize::MAX, limits, capacity, observer)
}

/// As [`solve_observed`], but only solutions below `below` count: where there is none, the offsets mean nothing.
pub(super) fn solve_below(
    instance: &Instance,
    below: usize,
    limits: Limits,
    capacity: Option<usize>,
    observer: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Solution {
    let items = Items::new(instance);
    let mut best = Incumbent::new(instance, &items, below, limits, capacity, observer);
    improve::dive_first(&items, &mut best);
    if !best.is_final() && best.nodes_left() > 0 {
        match Conflicts::new(&items) {
            Some(conflicts) => improve::improve(&items, &conflicts, &mut best),
            None => improve::dive_again(&items, &mut best),
        }
    }
    best.solution()
}
