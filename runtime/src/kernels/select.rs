//! Elements of one tensor or another.

use super::broadcast::Broadcast;
use super::{Elements, Sink, Units};
use bytemuck::Pod;

/// Which elements meet.
#[derive(Clone, Copy, Debug)]
pub struct Select {
    /// The condition and the first tensor.
    pub first: Broadcast,
    /// The second tensor, twice.
    pub second: Broadcast,
}

#[inline(always)]
fn select<T: Pod>(
    p: &Select,
    condition: impl Elements<u8>,
    a: impl Elements<T>,
    b: impl Elements<T>,
    y: impl Sink<T>,
    units: Units,
) {
    for unit in units {
        let ([at_condition, at_a], [at_b, _]) = (p.first.pair(unit), p.second.pair(unit));
        y.put(unit, if condition.at(at_condition) != 0 { a.at(at_a) } else { b.at(at_b) });
    }
}

/// `a` where the condition is not 0, else `b`: one-byte elements.
/// A unit is an element, written after what it depends on is read, in ascending order.
pub fn select_1<T: Pod>(
    p: &Select,
    condition: impl Elements<u8>,
    a: impl Elements<T>,
    b: impl Elements<T>,
    y: impl Sink<T>,
    units: Units,
) {
    select(p, condition, a, b, y, units);
}

/// Two-byte elements. As [`select_1`].
pub fn select_2<T: Pod>(
    p: &Select,
    condition: impl Elements<u8>,
    a: impl Elements<T>,
    b: impl Elements<T>,
    y: impl Sink<T>,
    units: Units,
) {
    select(p, condition, a, b, y, units);
}

/// Four-byte elements. As [`select_1`].
pub fn select_4<T: Pod>(
    p: &Select,
    condition: impl Elements<u8>,
    a: impl Elements<T>,
    b: impl Elements<T>,
    y: impl Sink<T>,
    units: Units,
) {
    select(p, condition, a, b, y, units);
}
