//! How far the search for a plan is, told to whoever may end it.

use crate::layout::search::Progress;
use std::ops::ControlFlow;

/// Told how far a search is; ends it with the best so far.
pub type Observer<'a> = dyn FnMut(&Progress) -> ControlFlow<()> + 'a;

/// A search of several parts as one.
pub(super) struct Watch<'a> {
    observer: &'a mut Observer<'a>,
    /// The best arena of all parts, what no plan can be below, and the nodes of the parts that are finished.
    progress: Progress,
    stopped: bool,
}

impl<'a> Watch<'a> {
    pub(super) fn new(observer: &'a mut Observer<'a>) -> Self {
        Self { observer, progress: Progress { bytes: usize::MAX, bound: 0, nodes: 0 }, stopped: false }
    }

    /// The observer has had enough.
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Nothing better can be found.
    pub(super) fn is_proved(&self) -> bool {
        self.progress.is_proved()
    }

    /// No plan that is allowed needs less than `bytes`; arenas are multiples of 4.
    pub(super) fn bound(&mut self, bytes: usize) {
        self.progress.bound = self.progress.bound.max(bytes.next_multiple_of(4));
        let _ = self.tell(self.progress);
    }

    /// A search for an order has looked at so many sets of steps.
    pub(super) fn states(&mut self, states: u64) -> ControlFlow<()> {
        self.tell(Progress { nodes: self.progress.nodes + states, ..self.progress })
    }

    /// An order has been searched for; no order of an allowed plan needs less than `bound`.
    pub(super) fn order(&mut self, states: u64, bound: usize) {
        self.progress.nodes += states;
        self.bound(bound);
    }

    /// A part has found a plan of `bytes` so far, and spent so many nodes.
    pub(super) fn part(&mut self, bytes: usize, nodes: u64) -> ControlFlow<()> {
        let bytes = self.progress.bytes.min(bytes.saturating_add(3) / 4 * 4);
        let progress = Progress { bytes, nodes: self.progress.nodes + nodes, ..self.progress };
        let told = self.tell(progress);
        // What bounds all plans may be more than bounds this part.
        if progress.is_proved() { ControlFlow::Break(()) } else { told }
    }

    /// A part has found a plan of `bytes`, or none below the best so far, with so many nodes.
    pub(super) fn finished(&mut self, bytes: Option<usize>, nodes: u64) {
        let found = bytes.map_or(usize::MAX, |bytes| bytes.next_multiple_of(4));
        self.progress.bytes = self.progress.bytes.min(found);
        self.progress.nodes += nodes;
        let _ = self.tell(self.progress);
    }

    fn tell(&mut self, progress: Progress) -> ControlFlow<()> {
        // Before there is a plan there is nothing to keep.
        self.stopped = self.stopped || progress.bytes < usize::MAX && (self.observer)(&progress).is_break();
        if self.stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
