//! Pairs of elements under numpy's rules of broadcasting.

use super::strides::{Axis, OUTER, offsets};
use super::{Elements, Sink, Units};
use bytemuck::Pod;
use core::ops::Range;

/// How two arguments pair up along a result.
#[derive(Clone, Copy, Debug)]
pub struct Broadcast {
    /// Elements of the innermost dimension.
    pub run: usize,
    /// Elements between neighbours along it, in each argument: 1, or 0 where one element serves all.
    pub steps: [usize; 2],
    /// Dimensions around it, strides in both arguments.
    pub axes: [Axis; OUTER],
}

impl Broadcast {
    /// The places in both arguments of what meets in element `unit` of the result.
    #[inline(always)]
    pub(super) fn pair(&self, unit: usize) -> [usize; 2] {
        let row = unit.checked_div(self.run).unwrap_or(0);
        let along = unit - row * self.run;
        let ([a, b], [step_a, step_b]) = (offsets(&self.axes, row), self.steps);
        [a + along * step_a, b + along * step_b]
    }
}

/// Neighbours of a result along its innermost dimension, and what meets in them.
pub(super) struct Run {
    /// The first place in each argument.
    pub(super) from: [usize; 2],
    /// The places in the result.
    pub(super) to: Range<usize>,
}

impl Broadcast {
    /// The runs of `units`, in ascending order.
    #[inline(always)]
    pub(super) fn runs(&self, units: Units, mut run: impl FnMut(Run)) {
        let units = units.range();
        let mut unit = units.start;
        while unit < units.end {
            let Some(row) = unit.checked_div(self.run) else { return };
            let start = row * self.run;
            let end = units.end.min(start + self.run);
            let ([a, b], [step_a, step_b]) = (offsets(&self.axes, row), self.steps);
            run(Run { from: [a + step_a * (unit - start), b + step_b * (unit - start)], to: unit..end });
            unit = end;
        }
    }
}

/// `y = f(a, b)`. A unit is an element of `y`; its pair is read just before it is written,
/// in ascending order, so `y` may lie over an argument of its own shape, or over both.
#[inline(always)]
pub(super) fn pairwise<T: Pod, U: Pod>(
    p: &Broadcast,
    a: impl Elements<T>,
    b: impl Elements<T>,
    y: impl Sink<U>,
    units: Units,
    f: impl Fn(T, T) -> U + Copy,
) {
    let [step_a, step_b] = p.steps;
    p.runs(units, move |Run { from: [mut a0, mut b0], to }| {
        // Copied for each run: what is captured would be read again for each element.
        let (count, y, f) = (to.len(), y.part(to), f);
        if [step_a, step_b] == [1, 1] {
            let (a, b) = (a.part(a0..a0 + count), b.part(b0..b0 + count));
            for ((i, a), b) in (0..count).zip(a.values()).zip(b.values()) {
                y.put(i, f(a, b));
            }
        } else {
            for i in 0..count {
                y.put(i, f(a.at(a0), b.at(b0)));
                (a0, b0) = (a0 + step_a, b0 + step_b);
            }
        }
    });
}
