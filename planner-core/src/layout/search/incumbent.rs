//! The best solution so far, what is proved about it, and whether to go on.

use super::bounds;
use super::dive::Dive;
use super::effort::Limits;
use super::instance::Instance;
use super::items::Items;
use super::{Progress, Solution};
use std::ops::ControlFlow;

/// Told after every run; may end the search.
pub(super) type Observer<'a> = dyn FnMut(&Progress) -> ControlFlow<()> + 'a;

/// The best solution so far.
pub(super) struct Incumbent<'a> {
    items: &'a Items,
    /// A dive before its start.
    dive: Option<Dive<'a>>,
    /// Offsets of all buffers.
    offsets: Vec<usize>,
    /// The end of the highest buffer; before there is a solution, what that must be below.
    bytes: usize,
    /// No solution is lower.
    bound: usize,
    /// The end of the highest buffer that is never in use.
    unused: usize,
    /// A solution of so many bytes is good enough.
    capacity: Option<usize>,
    /// Nodes used.
    nodes: u64,
    limits: Limits,
    observer: &'a mut Observer<'a>,
    stopped: bool,
}

impl<'a> Incumbent<'a> {
    pub(super) fn new(
        instance: &Instance,
        items: &'a Items,
        below: usize,
        limits: Limits,
        capacity: Option<usize>,
        observer: &'a mut Observer<'a>,
    ) -> Self {
        let buffers = instance.buffers();
        let mut ends: Vec<usize> = buffers.iter().map(|buffer| buffer.pinned.unwrap_or(0) + buffer.size).collect();
        items.buffer.iter().for_each(|&buffer| ends[buffer] = 0);
        let unused = ends.into_iter().max().unwrap_or(0);
        Self {
            offsets: buffers.iter().map(|buffer| buffer.pinned.unwrap_or(0)).collect(),
            // As heights go.
            bytes: below.checked_next_multiple_of(items.step).unwrap_or(below),
            bound: bounds::live(items).max(unused),
            unused,
            capacity,
            nodes: 0,
            limits,
            observer,
            stopped: false,
            dive: None,
            items,
        }
    }

    /// Nothing better is asked for, or none is possible, or the observer has had enough.
    pub(super) fn is_final(&self) -> bool {
        let impossible = self.capacity.is_some_and(|capacity| capacity < self.bound) && self.bytes < usize::MAX;
        self.bytes <= self.bound.max(self.capacity.unwrap_or(0)) || impossible || self.stopped
    }

    /// Nodes that are left.
    pub(super) fn nodes_left(&self) -> u64 {
        self.limits.nodes.saturating_sub(self.nodes)
    }

    /// Height at which to search next, between a lowest one that is worth it and what is known.
    pub(super) fn target(&self, low: usize, halfway: bool) -> usize {
        let highest = self.bytes - self.items.step;
        if let Some(capacity) = self.capacity {
            return capacity.min(highest);
        }
        let low = low.max(self.bound).min(highest);
        let steps = if halfway { (highest - low) / 2 / self.items.step } else { 0 };
        low + steps * self.items.step
    }

    /// Whether `target` is as high as a better solution can be.
    pub(super) fn is_last_step(&self, target: usize) -> bool {
        target + self.items.step >= self.bytes
    }

    /// Keeps the solution with these offsets of the items if it is better.
    pub(super) fn offer(&mut self, offsets: &[usize]) {
        let ends = offsets.iter().zip(&self.items.size).map(|(offset, size)| offset + size);
        let bytes = ends.max().unwrap_or(0).max(self.unused);
        if bytes < self.bytes {
            self.bytes = bytes;
            for (&buffer, &offset) in self.items.buffer.iter().zip(offsets) {
                self.offsets[buffer] = offset;
            }
        }
    }

    /// Keeps what a dive in the order of `ranks` finds if it is better.
    pub(super) fn dive(&mut self, ranks: &[u32]) {
        let dive = self.dive.get_or_insert_with(|| Dive::new(self.items)).clone();
        if let Some(offsets) = dive.run(ranks, self.bytes) {
            self.offer(&offsets);
        }
    }

    /// There is no solution as low as `height`.
    pub(super) fn refuted(&mut self, height: usize) {
        self.bound = self.bound.max(height + self.items.step);
    }

    /// Counts the nodes of a run and tells of it.
    pub(super) fn used(&mut self, nodes: u64) {
        self.nodes += nodes;
        let progress = Progress { bytes: self.bytes, bound: self.bound, nodes: self.nodes };
        self.stopped |= (self.observer)(&progress).is_break();
    }

    pub(super) fn solution(self) -> Solution {
        Solution { offsets: self.offsets, bytes: self.bytes, bound: self.bound, nodes: self.nodes }
    }
}
