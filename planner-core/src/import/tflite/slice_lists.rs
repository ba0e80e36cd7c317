//! The lists and masks of `STRIDED_SLICE`.

use super::graph::Graph;
use super::schema::{Operator, options};
use crate::diagnostic::{Diagnostics, Kind};
use crate::ops::strided_slice::Entries;
use crate::shape::MAX_RANK;

/// What `STRIDED_SLICE` says of the elements that it takes.
pub(super) struct Lists {
    begin: Vec<i64>,
    end: Vec<i64>,
    stride: Vec<i64>,
    options: options::StridedSlice,
}

impl Lists {
    /// As our operator has it.
    pub(super) fn entries(&self) -> Entries<'_> {
        Entries {
            begin: &self.begin,
            end: &self.end,
            stride: &self.stride,
            begin_mask: self.options.begin_mask.into(),
            end_mask: self.options.end_mask.into(),
            ellipsis_mask: self.options.ellipsis_mask.into(),
            new_axis_mask: self.options.new_axis_mask.into(),
            shrink_axis_mask: self.options.shrink_axis_mask.into(),
        }
    }
}

/// The lists that `op` reads, to cut a tensor of `dims`.
pub(super) fn slice_lists(graph: &Graph<'_>, op: &Operator<'_>, dims: &[usize]) -> Result<Lists, Diagnostics> {
    let options: options::StridedSlice = graph.options(op)?;
    let list = |place, what| graph.ints(op, place, what, 2 * MAX_RANK);
    let (begin, mut end, stride) = (list(1, "beginning")?, list(2, "end")?, list(3, "stride")?);
    if options.offset {
        // Each end counts from its beginning; with these masks it is not clear which dimension that is in.
        if options.ellipsis_mask != 0 || options.new_axis_mask != 0 {
            let message = "its ends are offsets, together with an ellipsis or new dimensions";
            return Err(graph.error(Kind::Unsupported, message).into());
        }
        for ((end, &begin), &dim) in end.iter_mut().zip(&begin).zip(dims) {
            let dim = i64::try_from(dim).unwrap_or(i64::MAX);
            *end = end.saturating_add(if begin < 0 { begin.saturating_add(dim) } else { begin });
        }
    }
    Ok(Lists { begin, end, stride, options })
}
