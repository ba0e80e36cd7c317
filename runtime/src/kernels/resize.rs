//! Images of another size.

use super::{Elements, Rows, Sink, Units};
use bytemuck::Pod;

/// Where each row and column of the result comes from.
#[derive(Clone, Copy, Debug)]
pub struct ResizeNearest<'a> {
    /// The argument's row for each of the result's, all images of a batch in one.
    pub rows: &'a [i32],
    /// The argument's column for each of the result's.
    pub columns: &'a [i32],
    /// Elements of a pixel.
    pub channels: usize,
    /// The argument's rows.
    pub x: Rows,
}

#[inline(always)]
fn resize_nearest<T: Pod>(p: &ResizeNearest<'_>, x: impl Elements<T>, y: impl Sink<T>, units: Units) {
    let width = p.columns.len() * p.channels;
    for unit in units {
        let row = p.x.start(p.rows.at(unit).unsigned_abs() as usize);
        for i in units.along(0..p.columns.len()) {
            let from = row + p.columns.at(i).unsigned_abs() as usize * p.channels;
            let to = unit * width + i * p.channels;
            for (c, value) in x.part(from..from + p.channels).values().enumerate() {
                y.put(to + c, value);
            }
        }
    }
}

/// The nearest pixels, one-byte elements. A unit is a row of the result, for which one row of the argument is read.
// One copy in flash, however many layers there are.
#[inline(never)]
pub fn resize_nearest_1<T: Pod>(p: &ResizeNearest<'_>, x: impl Elements<T>, y: impl Sink<T>, units: Units) {
    resize_nearest(p, x, y, units);
}

/// The nearest pixels, two-byte elements. As [`resize_nearest_1`].
// One copy in flash, however many layers there are.
#[inline(never)]
pub fn resize_nearest_2<T: Pod>(p: &ResizeNearest<'_>, x: impl Elements<T>, y: impl Sink<T>, units: Units) {
    resize_nearest(p, x, y, units);
}

/// The nearest pixels, four-byte elements. As [`resize_nearest_1`].
// One copy in flash, however many layers there are.
#[inline(never)]
pub fn resize_nearest_4<T: Pod>(p: &ResizeNearest<'_>, x: impl Elements<T>, y: impl Sink<T>, units: Units) {
    resize_nearest(p, x, y, units);
}
