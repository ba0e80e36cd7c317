//! Rows of a table, gathered by their indices.

use super::elements::low_bytes;
use super::{Elements, Sink};
use bytemuck::Pod;
use core::ops::Range;

/// Rows of a table.
#[derive(Clone, Copy, Debug)]
pub struct Embedding {
    /// Elements in a row.
    pub width: usize,
    /// What the elements of a row are for an index outside the table, in its low bytes.
    pub missing: i32,
}

#[inline(always)]
fn embedding<T: Pod>(
    p: &Embedding,
    ids: impl Elements<i32>,
    table: impl Elements<T>,
    y: impl Sink<T>,
    units: Range<usize>,
) {
    for (unit, id) in units.clone().zip(ids.part(units).values()) {
        let width = p.width;
        let start = usize::try_from(id).ok().and_then(|id| id.checked_mul(width)).unwrap_or(usize::MAX);
        let row = table.part(start..start.saturating_add(width));
        let to = unit * width;
        for i in 0..width {
            y.put(to + i, if row.count() == width { row.at(i) } else { low_bytes(p.missing) });
        }
    }
}

/// Rows of one-byte elements. A unit is an index, read before its row is written.
pub fn embedding_1<T: Pod>(
    p: &Embedding,
    ids: impl Elements<i32>,
    table: impl Elements<T>,
    y: impl Sink<T>,
    units: Range<usize>,
) {
    embedding(p, ids, table, y, units);
}

/// Rows of two-byte elements. As [`embedding_1`].
pub fn embedding_2<T: Pod>(
    p: &Embedding,
    ids: impl Elements<i32>,
    table: impl Elements<T>,
    y: impl Sink<T>,
    units: Range<usize>,
) {
    embedding(p, ids, table, y, units);
}

/// Rows of four-byte elements. As [`embedding_1`].
pub fn embedding_4<T: Pod>(
    p: &Embedding,
    ids: impl Elements<i32>,
    table: impl Elements<T>,
    y: impl Sink<T>,
    units: Range<usize>,
) {
    embedding(p, ids, table, y, units);
}
