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

use crate::options::{Layout, Options};
use search::{Overlap, Progress};
use std::ops::{ControlFlow, Range};

/// Buffers that need offsets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problem {
    /// The buffers.
    pub buffers: Vec<Buffer>,
    /// Those of them that may overlap in the one step in which they meet.
    pub overlaps: Vec<Overlap>,
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

/// Bytes that lie in one of `ranges` or more.
pub(crate) fn covered(ranges: impl Iterator<Item = Range<usize>>) -> usize {
    let mut ranges: Vec<Range<usize>> = ranges.collect();
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    let (mut total, mut end) = (0, 0);
    for range in ranges {
        total += range.end.max(end) - range.start.max(end);
        end = range.end.max(end);
    }
    total
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

    /// No offsets need less: most bytes needed at once.
    #[must_use]
    pub fn least(&self) -> usize {
        self.needed().into_iter().max().unwrap_or(0)
    }

    /// Bytes that each step needs, whatever overlaps: those live without those that two buffers may have in common.
    #[must_use]
    pub fn needed(&self) -> Vec<usize> {
        let mut needed = self.live();
        let mut pairs: Vec<([usize; 2], usize)> = self
            .overlaps
            .iter()
            .map(|overlap| {
                let sizes = [overlap.lower, overlap.upper].map(|buffer| self.buffers[buffer].size);
                let pair = [overlap.lower.min(overlap.upper), overlap.lower.max(overlap.upper)];
                (pair, overlap.distances.most_common(sizes))
            })
            .collect();
        pairs.sort_unstable();
        for (at, (pair, common)) in pairs.iter().enumerate() {
            let [a, b] = pair.map(|buffer| self.buffers[buffer]);
            // Of a pair that may lie either way, the last one has most in common.
            if a.meets(&b) && pairs.get(at + 1).is_none_or(|(next, _)| next != pair) {
                let step = &mut needed[a.first.max(b.first)];
                *step = step.saturating_sub(*common);
            }
        }
        needed
    }

    /// How far buffer `above` must start above buffer `below` where they meet, if it is not under it.
    pub(crate) fn distance(&self, below: usize, above: usize) -> usize {
        let buffers = self.buffers.as_slice();
        let (a, b) = (&buffers[below], &buffers[above]);
        if a.last != b.first && b.last != a.first {
            return a.size;
        }
        let overlap = |overlap: &&Overlap| overlap.lower == below && overlap.upper == above;
        self.overlaps.iter().find(overlap).map_or(a.size, |overlap| overlap.distances.any)
    }

    /// Buffer `second` may have the place of buffer `first` after it.
    pub(crate) fn follow(&self, first: usize, second: usize) -> bool {
        let buffers = self.buffers.as_slice();
        let (before, after) = (&buffers[first], &buffers[second]);
        before.last < after.first
            || before.last == after.first && (self.distance(first, second) == 0 || self.distance(second, first) == 0)
    }

    /// The end of the highest buffer.
    #[must_use]
    pub fn height(&self, offsets: &[usize]) -> usize {
        self.buffers.iter().zip(offsets).map(|(buffer, offset)| offset + buffer.size).max().unwrap_or(0)
    }

    /// Offsets by `layout`; of `options` only those that it has count, such as the sizes of [`Layout::SizeClass`].
    #[must_use]
    pub fn solve(&self, layout: Layout, options: &Options) -> Vec<usize> {
        let solved = self.solve_below(layout, options, usize::MAX, u64::MAX, &mut |_| ControlFlow::Continue(()));
        solved.unwrap_or_default()
    }

    /// As [`Problem::solve`], if that ends below `below`, and a search with at most `nodes`; `observer` is told how far
    /// a search is, and ends it when it breaks.
    pub(crate) fn solve_below(
        &self,
        layout: Layout,
        options: &Options,
        below: usize,
        nodes: u64,
        observer: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> Option<Vec<usize>> {
        let offsets = match layout {
            Layout::Separate => separate::solve(self),
            Layout::BestFit => best_fit::solve(self),
            Layout::GreedyBySize => greedy_by_size::solve(self),
            Layout::Coloring => coloring::solve(self),
            Layout::SizeClass => size_class::solve(self, &options.size_classes),
            Layout::Exact => return exact::solve(self, options.effort, below, nodes, observer),
            Layout::Auto => {
                let all = Layout::SHARING
                    .iter()
                    .filter_map(|&layout| self.solve_below(layout, options, below, nodes, observer));
                return all.min_by_key(|offsets| self.height(offsets));
            }
        };
        Some(offsets).filter(|offsets| self.height(offsets) < below)
    }
}
