//! Offsets for buffers whose lifetimes are known: a file an algorithm.
//!
//! Plain numbers in, plain numbers out, so that they serve any allocation problem.

mod best_fit;
mod coloring;
mod exact;
mod greedy_by_size;
pub mod search;
mod separate;
mod size_class;
pub mod verify;

use crate::plan::{Layout, Options};
use search::Progress;
use std::ops::ControlFlow;

/// Buffers that need offsets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problem {
    /// The buffers.
    pub buffers: Vec<Buffer>,
}

/// A buffer without an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Size in bytes.
    pub size: usize,
    /// Its offset is a multiple of this.
    pub align: usize,
    /// The first step at which it is live.
    pub first: usize,
    /// The last step at which it is live.
    pub last: usize,
}

impl Buffer {
    /// Both are live at some step.
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        self.first <= other.last && other.first <= self.last
    }
}

impl Problem {
    /// One more than the last step at which anything is live.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.buffers.iter().map(|buffer| buffer.last + 1).max().unwrap_or(0)
    }

    /// Bytes live at each step.
    #[must_use]
    pub fn live(&self) -> Vec<usize> {
        let mut live = vec![0; self.steps() + 1];
        for buffer in &self.buffers {
            live[buffer.first] += buffer.size;
        }
        let mut born = 0;
        let mut dead = vec![0; self.steps() + 1];
        for buffer in &self.buffers {
            dead[buffer.last + 1] += buffer.size;
        }
        for (at, dead) in live.iter_mut().zip(dead) {
            born += *at;
            born -= dead;
            *at = born;
        }
        live.pop();
        live
    }

    /// No offsets need less: most bytes live at once.
    #[must_use]
    pub fn least(&self) -> usize {
        self.live().into_iter().max().unwrap_or(0)
    }

    /// The end of the highest buffer.
    #[must_use]
    pub fn height(&self, offsets: &[usize]) -> usize {
        self.buffers.iter().zip(offsets).map(|(buffer, offset)| offset + buffer.size).max().unwrap_or(0)
    }

    /// Offsets by `layout`; of `options` only those that it has count, such as the sizes of [`Layout::SizeClass`].
    #[must_use]
    pub fn solve(&self, layout: Layout, options: &Options) -> Vec<usize> {
        self.solve_observed(layout, options, &mut |_| ControlFlow::Continue(()))
    }

    /// As [`Problem::solve`]; `observer` is told how far a search is, and ends it when it breaks.
    #[must_use]
    pub fn solve_observed(
        &self,
        layout: Layout,
        options: &Options,
        observer: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> Vec<usize> {
        match layout {
            Layout::Separate => separate::solve(self),
            Layout::BestFit => best_fit::solve(self),
            Layout::GreedyBySize => greedy_by_size::solve(self),
            Layout::Coloring => coloring::solve(self),
            Layout::SizeClass => size_class::solve(self, &options.size_classes),
            Layout::Exact => exact::solve(self, options.effort, observer),
            Layout::Auto => {
                let all = Layout::SHARING.iter().map(|&layout| self.solve_observed(layout, options, observer));
                all.min_by_key(|offsets| self.height(offsets)).unwrap_or_default()
            }
        }
    }
}
