//! Which part of a result a kernel computes, and from which end.

use core::ops::Range;

/// Output units, and whether a kernel takes them from the first or from the last on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Units {
    /// One end: of a walk forward the first unit, of a walk backward one more than the last.
    from: usize,
    /// The other end.
    to: usize,
}

impl Units {
    /// The units of `range`, from the first on.
    #[must_use]
    #[inline(always)]
    pub const fn forward(range: Range<usize>) -> Self {
        Self { from: range.start, to: range.end }
    }

    /// The units of `range`, from the last on.
    #[must_use]
    #[inline(always)]
    pub const fn backward(range: Range<usize>) -> Self {
        Self { from: range.end, to: range.start }
    }

    /// The last unit comes first.
    #[must_use]
    #[inline(always)]
    pub const fn is_backward(self) -> bool {
        self.from > self.to
    }

    /// The units in ascending order.
    #[must_use]
    #[inline(always)]
    pub const fn range(self) -> Range<usize> {
        if self.is_backward() { self.to..self.from } else { self.from..self.to }
    }

    /// `range` in the direction of these units.
    #[must_use]
    #[inline(always)]
    pub(super) const fn along(self, range: Range<usize>) -> Self {
        if self.is_backward() { Self::backward(range) } else { Self::forward(range) }
    }

    /// The unit that is taken after `index` others.
    #[inline(always)]
    pub(super) const fn at(self, index: usize) -> usize {
        if self.is_backward() { self.from.wrapping_sub(index + 1) } else { self.from.wrapping_add(index) }
    }

    /// How many units.
    #[inline(always)]
    pub(super) const fn count(self) -> usize {
        if self.is_backward() { self.from - self.to } else { self.to - self.from }
    }

    /// Those that are left after `count` of them.
    #[inline(always)]
    pub(super) const fn after(self, count: usize) -> Self {
        Self { from: if self.is_backward() { self.from - count } else { self.from + count }, ..self }
    }

    /// How many from the first on lie in `range`, which holds the first.
    #[inline(always)]
    pub(super) const fn within(self, range: &Range<usize>) -> usize {
        if self.is_backward() { self.from - range.start } else { range.end - self.from }
    }

    /// From a unit to the next, where units lie `size` elements apart; wrapping.
    #[inline(always)]
    pub(super) const fn step(self, size: usize) -> usize {
        if self.is_backward() { size.wrapping_neg() } else { size }
    }
}

impl IntoIterator for Units {
    type Item = usize;
    type IntoIter = Walk;

    #[inline(always)]
    fn into_iter(self) -> Walk {
        Walk { units: self, left: 0..self.count() }
    }
}

/// Units that a kernel has still to take.
#[derive(Clone, Debug)]
pub struct Walk {
    units: Units,
    /// Which of them, in the order in which they are taken.
    left: Range<usize>,
}

impl Iterator for Walk {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        self.left.next().map(|index| self.units.at(index))
    }

    #[inline(always)]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }
}

impl ExactSizeIterator for Walk {}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec::Vec;

    #[test]
    fn both_directions_visit_each_unit_once() {
        let units = |units: Units| -> Vec<usize> { units.into_iter().collect() };
        assert_eq!(units(Units::forward(2..5)), [2, 3, 4]);
        assert_eq!(units(Units::backward(2..5)), [4, 3, 2]);
        assert_eq!(units(Units::backward(0..1).along(0..3)), [2, 1, 0]);
        assert_eq!(units(Units::forward(0..1).along(0..3)), [0, 1, 2]);
        for empty in [Units::forward(3..3), Units::backward(3..3)] {
            assert_eq!((units(empty).len(), empty.range()), (0, 3..3));
        }
        assert_eq!(Units::backward(2..5).range(), 2..5);
        for (all, range) in [(Units::forward(2..7), 0..4), (Units::backward(2..7), 5..9)] {
            assert_eq!(all.within(&range), 2);
            assert_eq!(units(all.after(2)), all.into_iter().skip(2).collect::<Vec<_>>());
            assert_eq!(all.at(0).wrapping_add(all.step(1)), all.at(1));
            assert_eq!((all.count(), all.after(5).count()), (5, 0));
        }
    }
}
