//! Rows of a table, gathered by their indices.

use super::{Elements, Sink};
use bytemuck::Pod;
use core::ops::Range;

/// Rows of f32 or i32.
#[derive(Clone, Copy, Debug)]
pub struct Embedding {
    /// Elements in a row.
    pub width: usize,
    /// Elements of a row for an index outside the table.
    pub missing: i32,
}

#[inline(always)]
fn embedding<T: Pod>(
    width: usize,
    missing: T,
    ids: impl Elements<i32>,
    table: impl Elements<T>,
    y: impl Sink<T>,
    units: Range<usize>,
) {
    for (unit, id) in units.clone().zip(ids.part(units).values()) {
        let start = usize::try_from(id).ok().and_then(|id| id.checked_mul(width)).unwrap_or(usize::MAX);
        let row = table.part(start..start.saturating_add(width));
        let to = unit * width;
        for i in 0..width {
            y.put(to + i, if row.count() == width { row.at(i) } else { missing });
        }
    }
}

/// Rows of four-byte elements. A unit is an index, read before its row is written.
pub fn embedding_4<T: Pod>(
    p: &Embedding,
    ids: impl Elements<i32>,
    table: impl Elements<T>,
    y: impl Sink<T>,
    units: Range<usize>,
) {
    embedding(p.width, T::zeroed(), ids, table, y, units);
}

/// Rows of one-byte elements. As [`embedding_4`].
#[allow(clippy::cast_possible_truncation, reason = "the zero point of an i8")]
pub fn embedding_1(
    p: &Embedding,
    ids: impl Elements<i32>,
    table: impl Elements<i8>,
    y: impl Sink<i8>,
    units: Range<usize>,
) {
    embedding(p.width, p.missing as i8, ids, table, y, units);
}
