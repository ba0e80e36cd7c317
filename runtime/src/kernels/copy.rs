//! Copies of strided runs: reshape without views, concat, split, slice.

use super::{Elements, Sink};
use bytemuck::Pod;
use core::ops::Range;

/// `runs` runs of `run` elements each.
#[derive(Clone, Copy, Debug)]
pub struct Runs {
    /// Number of runs.
    pub runs: usize,
    /// Elements in a run.
    pub run: usize,
    /// First element read.
    pub from: usize,
    /// Elements between starts of runs in the argument.
    pub from_stride: usize,
    /// First element written.
    pub to: usize,
    /// Elements between starts of runs in the result.
    pub to_stride: usize,
}

fn copy<T: Pod>(p: &Runs, x: impl Elements<T>, y: impl Sink<T>, units: Range<usize>) {
    for unit in units {
        let from = p.from + unit * p.from_stride;
        let to = p.to + unit * p.to_stride;
        for (i, value) in x.part(from..from + p.run).values().enumerate() {
            y.put(to + i, value);
        }
    }
}

/// Copies one-byte elements. A unit is a run; each element is read, then written, in ascending order.
pub fn copy_1(p: &Runs, x: impl Elements<i8>, y: impl Sink<i8>, units: Range<usize>) {
    copy(p, x, y, units);
}

/// Copies four-byte elements. As [`copy_1`].
pub fn copy_4<T: Pod>(p: &Runs, x: impl Elements<T>, y: impl Sink<T>, units: Range<usize>) {
    copy(p, x, y, units);
}
