//! A constant around a tensor.

use super::elements::low_bytes;
use super::strides::OUTER;
use super::{Elements, Sink, Units};
use bytemuck::Pod;

/// Rows of the result under outer dimensions.
#[derive(Clone, Copy, Debug)]
pub struct Pad {
    /// The constant in its low bytes; the bits of a float.
    pub value: i32,
    /// Constants at the start of a row.
    pub before: usize,
    /// Elements of the argument in a row.
    pub inside: usize,
    /// Constants at the end of a row.
    pub after: usize,
    /// Dimensions around the rows, outermost first; unused ones have size 1.
    pub axes: [PadAxis; OUTER],
}

/// A dimension around the rows.
#[derive(Clone, Copy, Debug)]
pub struct PadAxis {
    /// Positions in the result.
    pub size: usize,
    /// Positions before the argument's.
    pub before: usize,
    /// Positions of the argument.
    pub inside: usize,
    /// Elements of the argument from one position to the next.
    pub stride: usize,
}

impl Pad {
    /// The first element of the argument in row `unit` of the result; `None` if it is all constant.
    fn row(&self, unit: usize) -> Option<usize> {
        let mut rest = unit;
        let mut from = 0;
        for axis in self.axes.iter().rev() {
            if axis.size > 1 {
                let index = (rest % axis.size).checked_sub(axis.before).filter(|index| *index < axis.inside)?;
                rest /= axis.size;
                from += index * axis.stride;
            }
        }
        Some(from)
    }
}

#[inline(always)]
fn pad<T: Pod>(p: &Pad, value: T, x: impl Elements<T>, y: impl Sink<T>, units: Units) {
    let width = p.before + p.inside + p.after;
    for unit in units {
        let from = p.row(unit);
        let row = unit * width;
        let inside = from.map_or(0..0, |_| p.before..p.before + p.inside);
        let from = from.unwrap_or(0);
        for i in units.along(0..width) {
            y.put(row + i, if inside.contains(&i) { x.at(from + i - p.before) } else { value });
        }
    }
}

/// Pads one-byte elements. A unit is a row of the result; elements are read just before they are written.
pub fn pad_1<T: Pod>(p: &Pad, x: impl Elements<T>, y: impl Sink<T>, units: Units) {
    pad(p, low_bytes(p.value), x, y, units);
}

/// Pads two-byte elements. As [`pad_1`].
pub fn pad_2<T: Pod>(p: &Pad, x: impl Elements<T>, y: impl Sink<T>, units: Units) {
    pad(p, low_bytes(p.value), x, y, units);
}

/// Pads four-byte elements. As [`pad_1`].
pub fn pad_4<T: Pod>(p: &Pad, x: impl Elements<T>, y: impl Sink<T>, units: Units) {
    pad(p, low_bytes(p.value), x, y, units);
}
