//! Rows of an image or of a ring.

use crate::kernels::Rows;

/// Where the rows of a window's taps lie.
#[derive(Clone, Copy)]
pub(super) struct Lines {
    /// Where the first starts.
    pub(super) from: usize,
    /// Elements from one to the next.
    pub(super) step: usize,
    /// How many.
    pub(super) count: usize,
    /// How many are left where a ring begins again; none where it does not.
    pub(super) turn: usize,
    /// Where the farthest starts.
    farthest: usize,
}

impl Lines {
    /// One row.
    #[inline(always)]
    pub(super) const fn one(from: usize) -> Self {
        Self { from, step: 0, count: 1, turn: 0, farthest: from }
    }

    /// `count` rows, each `apart` further than the one before, from that on which starts at `from`. A ring holds all
    /// rows of a window, so it begins again once.
    #[inline(always)]
    pub(super) fn new(rows: Rows, from: usize, count: usize, apart: usize) -> Self {
        let (step, ring) = (apart * rows.stride, rows.held * rows.stride);
        let (mut start, mut farthest, mut turn) = (from, from, 0);
        for left in (1..count).rev() {
            start = start.saturating_add(step);
            if start >= ring && ring > 0 && turn == 0 {
                turn = left;
                start -= ring;
            }
            farthest = farthest.max(start);
        }
        Self { from, step, count, turn, farthest }
    }

    /// `len` elements of each, from `at` on, lie in a window of `bytes`.
    #[inline(always)]
    pub(super) fn fit(&self, at: usize, len: usize, bytes: usize) -> bool {
        self.farthest.checked_add(at).and_then(|start| start.checked_add(len)).is_some_and(|end| end <= bytes)
    }
}
