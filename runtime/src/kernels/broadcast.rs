//! Pairs of elements under numpy's rules of broadcasting.

use super::strides::{Axis, OUTER, offsets};
use super::{Elements, Sink, Units};
use bytemuck::Pod;

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

/// `y = f(a, b)`. A unit is an element of `y`; its pair is read just before it is written,
/// in ascending order, so `y` may lie over an argument of its own shape, or over both.
#[inline(always)]
pub(super) fn pairwise<T: Pod, U: Pod>(
    p: &Broadcast,
    a: impl Elements<T>,
    b: impl Elements<T>,
    y: impl Sink<U>,
    units: Units,
    f: impl Fn(T, T) -> U,
) {
    let units = units.range();
    let mut unit = units.start;
    while unit < units.end {
        let Some(row) = unit.checked_div(p.run) else { return };
        let start = row * p.run;
        let end = units.end.min(start + p.run);
        let [a0, b0] = offsets(&p.axes, row);
        let part = |from: usize| from + unit - start..from + end - start;
        if p.steps == [1, 1] {
            for ((i, a), b) in (unit..end).zip(a.part(part(a0)).values()).zip(b.part(part(b0)).values()) {
                y.put(i, f(a, b));
            }
        } else {
            for i in unit..end {
                let [da, db] = p.steps.map(|step| step * (i - start));
                y.put(i, f(a.at(a0 + da), b.at(b0 + db)));
            }
        }
        unit = end;
    }
}
