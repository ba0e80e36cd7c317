//! Parts of a tensor by their indices.

use super::elements::low_bytes;
use super::{Elements, Sink, Units};
use bytemuck::Pod;

/// Most numbers of an index.
pub const DEPTH: usize = 6;

/// Parts along one dimension.
#[derive(Clone, Copy, Debug)]
pub struct Gather {
    /// Indices of one batch.
    pub count: usize,
    /// Positions of the dimensions between the batch and the one that is gathered along.
    pub outer: usize,
    /// Size of the dimension that is gathered along.
    pub size: usize,
    /// Elements of a part.
    pub width: usize,
    /// What the elements of a part are for an index outside, in its low bytes.
    pub missing: i32,
}

/// Parts by indices of several numbers.
#[derive(Clone, Copy, Debug)]
pub struct GatherNd {
    /// Numbers of an index.
    pub depth: usize,
    /// Sizes of the dimensions that they count.
    pub sizes: [usize; DEPTH],
    /// Elements of a part.
    pub width: usize,
    /// What the elements of a part are for an index outside, in its low bytes.
    pub missing: i32,
}

#[inline(always)]
fn part<T: Pod>(x: impl Elements<T>, row: Option<usize>, width: usize, missing: i32, y: impl Sink<T>, to: usize) {
    let start = row.and_then(|row| row.checked_mul(width)).unwrap_or(usize::MAX);
    let part = x.part(start..start.saturating_add(width));
    let inside = part.count() == width;
    for i in 0..width {
        y.put(to + i, if inside { part.at(i) } else { low_bytes(missing) });
    }
}

#[inline(always)]
fn gather<T: Pod>(p: &Gather, x: impl Elements<T>, ids: impl Elements<i32>, y: impl Sink<T>, units: Units) {
    for unit in units {
        // Parts lie `[batch, outer, count]`.
        let row = unit.checked_div(p.count).unwrap_or(0);
        let batch = row.checked_div(p.outer).unwrap_or(0);
        let id = ids.at(batch * p.count + (unit - row * p.count));
        let id = usize::try_from(id).ok().filter(|id| *id < p.size);
        part(x, id.map(|id| row * p.size + id), p.width, p.missing, y, unit * p.width);
    }
}

#[inline(always)]
fn gather_nd<T: Pod>(p: &GatherNd, x: impl Elements<T>, ids: impl Elements<i32>, y: impl Sink<T>, units: Units) {
    for unit in units {
        let index = ids.part(unit * p.depth..(unit + 1) * p.depth).values();
        let row = index
            .zip(p.sizes)
            .try_fold(0, |row, (id, size)| usize::try_from(id).ok().filter(|id| *id < size).map(|id| row * size + id));
        part(x, row, p.width, p.missing, y, unit * p.width);
    }
}

/// Declares the kernels for elements of one, two and four bytes.
macro_rules! kernels {
    ($($(#[$doc:meta])* $kernel:ident($params:ident) = $function:ident;)+) => {$(
        $(#[$doc])*
        pub fn $kernel<T: Pod>(
            p: &$params,
            x: impl Elements<T>,
            ids: impl Elements<i32>,
            y: impl Sink<T>,
            units: Units,
        ) {
            $function(p, x, ids, y, units);
        }
    )+};
}

kernels! {
    /// Parts along a dimension, one-byte elements. A unit is a part, whose index is read before it is written.
    gather_1(Gather) = gather;
    /// Two-byte elements. As [`gather_1`].
    gather_2(Gather) = gather;
    /// Four-byte elements. As [`gather_1`].
    gather_4(Gather) = gather;
    /// Parts by indices of several numbers, one-byte elements. A unit is a part, whose index is read before it is
    /// written.
    gather_nd_1(GatherNd) = gather_nd;
    /// Two-byte elements. As [`gather_nd_1`].
    gather_nd_2(GatherNd) = gather_nd;
    /// Four-byte elements. As [`gather_nd_1`].
    gather_nd_4(GatherNd) = gather_nd;
}
