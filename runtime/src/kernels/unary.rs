//! Functions of one element.

use super::{Elements, Sink};
use core::ops::Range;

/// Bounds of a clamp.
#[derive(Clone, Copy, Debug)]
pub struct Clamp {
    /// Lower bound.
    pub min: f32,
    /// Upper bound.
    pub max: f32,
}

/// `min(max(x, p.min), p.max)`. A unit is an element, read before it is written.
pub fn clamp_f32(p: &Clamp, x: impl Elements<f32>, y: impl Sink<f32>, units: Range<usize>) {
    for i in units {
        y.put(i, x.at(i).max(p.min).min(p.max));
    }
}
