//! Offsets by search: the best that a number of nodes allows, and a proof where there is one.
//!
//! The same instance and limits give the same offsets on every machine: nothing looks at a clock, a hash or a thread.
//!
//! ```
//! use planner_core::layout::search::{Buffer, Effort, Instance, solve};
//!
//! // Bytes, first step, last step.
//! let buffers = [(4, 0, 2), (4, 3, 8), (4, 0, 8), (4, 9, 20), (4, 0, 20)];
//! let buffers = buffers.map(|(size, first, last)| Buffer::new(size, first, last)).to_vec();
//! let instance = Instance::new(buffers)?;
//! let solution = solve(&instance, Effort::Default.limits(&instance), None);
//! assert_eq!((solution.bytes, solution.proved), (12, true));
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
pub use effort::{Effort, Limits};
pub use instance::{Buffer, Instance, LIMIT, Life, Overlap};

use conflicts::Conflicts;
use incumbent::Incumbent;
use items::Items;
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
    /// Nothing is better: `bytes` equals `bound`.
    pub proved: bool,
    /// Decisions of where to put a buffer.
    pub nodes: u64,
}

impl Solution {
    /// How far the solution may be from the best one: its bytes beyond the bound, as a part of the bound.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a ratio to be shown")]
    pub fn gap(&self) -> f64 {
        if self.bound == 0 { 0.0 } else { (self.bytes - self.bound) as f64 / self.bound as f64 }
    }

    /// A line for people on a search of that many seconds.
    #[must_use]
    pub fn line(&self, seconds: f64) -> String {
        let Self { bytes, bound, proved, nodes, .. } = self;
        let (proved, gap) = (if *proved { ", which nothing can beat" } else { "" }, self.gap() * 100.0);
        format!("{bytes} bytes{proved}; bound {bound}, gap {gap:.3} %; {nodes} nodes, {seconds:.3} s")
    }

    /// The same as an object of JSON.
    #[must_use]
    pub fn json(&self, seconds: f64) -> String {
        let Self { bytes, bound, proved, nodes, .. } = self;
        let gap = self.gap();
        format!(
            r#"{{"bytes":{bytes},"bound":{bound},"gap":{gap:.6},"proved":{proved},"nodes":{nodes},"seconds":{seconds:.3}}}"#
        )
    }
}

/// How far a search is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The end of the highest buffer in the best solution.
    pub bytes: usize,
    /// No solution needs fewer bytes.
    pub bound: usize,
    /// Decisions of where to put a buffer.
    pub nodes: u64,
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
    let items = Items::new(instance);
    let mut best = Incumbent::new(instance, &items, limits, capacity, observer);
    improve::dive_first(&items, &mut best);
    if !best.is_final() && best.nodes_left() > 0 {
        match Conflicts::new(&items) {
            Some(conflicts) => improve::improve(&items, &conflicts, &mut best),
            None => improve::dive_again(&items, &mut best),
        }
    }
    best.solution()
}
