//! Copies of strided runs: transpose, concat, split, slice, reverse, tile, and reshape where it is no view.

use super::rescale::Rescale;
use super::strides::{Axis, OUTER, offsets};
use super::unary::Lut;
use super::{Elements, Sink, Units};
use bytemuck::Pod;

/// Runs of elements under outer dimensions.
#[derive(Clone, Copy, Debug)]
pub struct Runs {
    /// Elements in a run, side by side in the result.
    pub run: usize,
    /// Elements between neighbours of a run in the argument; negative where it runs backwards.
    pub step: isize,
    /// First element read.
    pub from: usize,
    /// First element written.
    pub to: usize,
    /// Dimensions around the runs, strides in the argument and in the result.
    pub axes: [Axis; OUTER],
}

/// Runs of bytes that change their quantisation on the way.
#[derive(Clone, Copy, Debug)]
pub struct LutRuns<'a> {
    /// Which elements.
    pub runs: Runs,
    /// What becomes of them.
    pub map: Lut<'a>,
}

/// Runs of integers that change their quantisation on the way.
#[derive(Clone, Copy, Debug)]
pub struct RescaleRuns {
    /// Which elements.
    pub runs: Runs,
    /// What becomes of them.
    pub map: Rescale,
}

#[inline(always)]
fn copy<T: Pod>(p: &Runs, x: impl Elements<T>, y: impl Sink<T>, units: Units, map: impl Fn(T) -> T) {
    for unit in units {
        let [from, to] = offsets(&p.axes, unit);
        let (from, to) = (p.from.wrapping_add(from), p.to.wrapping_add(to));
        if p.step == 1 && !units.is_backward() {
            for (i, value) in x.part(from..from + p.run).values().enumerate() {
                y.put(to + i, map(value));
            }
        } else {
            for i in units.along(0..p.run) {
                y.put(to + i, map(x.at(from.wrapping_add(i.wrapping_mul(p.step.cast_unsigned())))));
            }
        }
    }
}

/// Copies one-byte elements. A unit is a run; each element is read, then written.
pub fn copy_1<T: Pod>(p: &Runs, x: impl Elements<T>, y: impl Sink<T>, units: Units) {
    copy(p, x, y, units, |value| value);
}

/// Copies two-byte elements. As [`copy_1`].
pub fn copy_2<T: Pod>(p: &Runs, x: impl Elements<T>, y: impl Sink<T>, units: Units) {
    copy(p, x, y, units, |value| value);
}

/// Copies four-byte elements. As [`copy_1`].
pub fn copy_4<T: Pod>(p: &Runs, x: impl Elements<T>, y: impl Sink<T>, units: Units) {
    copy(p, x, y, units, |value| value);
}

/// Copies i8 through a table. As [`copy_1`].
pub fn copy_lut_i8(p: &LutRuns<'_>, x: impl Elements<i8>, y: impl Sink<i8>, units: Units) {
    copy(&p.runs, x, y, units, |value: i8| p.map.value(value));
}

/// Copies u8 through a table. As [`copy_1`].
pub fn copy_lut_u8(p: &LutRuns<'_>, x: impl Elements<u8>, y: impl Sink<u8>, units: Units) {
    copy(&p.runs, x, y, units, |value: u8| p.map.value(value));
}

/// Copies i16 and rescales them. As [`copy_1`].
pub fn copy_rescale_i16(p: &RescaleRuns, x: impl Elements<i16>, y: impl Sink<i16>, units: Units) {
    copy(&p.runs, x, y, units, |value: i16| p.map.value(value));
}
