//! What `STRIDED_SLICE` takes of a tensor: numpy's `x[a:b:c, ..., newaxis, d]`.

use super::graph::Graph;
use super::schema::{Operator, options};
use crate::diagnostic::{Diagnostics, Kind};
use crate::shape::MAX_RANK;

/// What is taken of a tensor, and the dimensions it then gets.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Cut {
    pub(super) begin: Vec<i64>,
    pub(super) size: Vec<i64>,
    pub(super) stride: Vec<i64>,
    pub(super) dims: Vec<i64>,
}

/// What `op` takes of a tensor of `dims`.
pub(super) fn cut(graph: &Graph<'_>, op: &Operator<'_>, dims: &[i64]) -> Result<Cut, Diagnostics> {
    let options: options::StridedSlice = graph.options(op)?;
    let list = |place, what| graph.ints(op, place, what, 2 * MAX_RANK);
    let (begin, end, stride) = (list(1, "beginning")?, list(2, "end")?, list(3, "stride")?);
    resolve(dims, &begin, &end, &stride, &options).map_err(|(kind, message)| graph.error(kind, message).into())
}

/// Each number of the three lists belongs to a dimension in turn, but for those that a mask gives another meaning.
fn resolve(
    dims: &[i64],
    begin: &[i64],
    end: &[i64],
    stride: &[i64],
    options: &options::StridedSlice,
) -> Result<Cut, (Kind, String)> {
    let malformed = |message: &str| (Kind::ModelFile, message.to_owned());
    let count = begin.len();
    if end.len() != count || stride.len() != count {
        return Err(malformed("its beginning, end and stride differ in length"));
    }
    let bit = |mask: i32, index: usize| mask >> index & 1 == 1;
    // The ellipsis stands for the dimensions that nothing else speaks of; without one they come last.
    let speaking = (0..count).filter(|&i| !bit(options.ellipsis_mask, i) && !bit(options.new_axis_mask, i)).count();
    let mut silent =
        dims.len().checked_sub(speaking).ok_or_else(|| malformed("it cuts more dimensions than there are"))?;
    if (0..count).filter(|&i| bit(options.ellipsis_mask, i)).count() > 1 {
        return Err(malformed("it has two ellipses"));
    }
    let mut rest = dims.iter().copied();
    let mut cut = Cut::default();
    for i in 0..count {
        if bit(options.ellipsis_mask, i) {
            rest.by_ref().take(std::mem::take(&mut silent)).for_each(|dim| cut.whole(dim));
        } else if bit(options.new_axis_mask, i) {
            cut.dims.push(1);
        } else if let Some(dim) = rest.next() {
            let last = if options.offset { begin[i].saturating_add(end[i]) } else { end[i] };
            let open = [bit(options.begin_mask, i), bit(options.end_mask, i)];
            if bit(options.shrink_axis_mask, i) {
                cut.index(dim, begin[i], open[0])?;
            } else {
                cut.range(dim, [begin[i], last], open, stride[i])?;
            }
        }
    }
    rest.for_each(|dim| cut.whole(dim));
    Ok(cut)
}

impl Cut {
    fn push(&mut self, begin: i64, size: i64, stride: i64) {
        self.begin.push(begin);
        self.size.push(size);
        self.stride.push(stride);
    }

    fn whole(&mut self, dim: i64) {
        self.push(0, dim, 1);
        self.dims.push(dim);
    }

    /// One index, whose dimension goes.
    fn index(&mut self, dim: i64, index: i64, open: bool) -> Result<(), (Kind, String)> {
        let from = if index < 0 { index.saturating_add(dim) } else { index };
        if open || !(0..dim).contains(&from) {
            return Err((Kind::ModelFile, format!("it takes index {index} of a dimension of {dim}")));
        }
        self.push(from, 1, 1);
        Ok(())
    }

    /// Indices from the first of `ends` up to before the second, either of which may be open.
    fn range(&mut self, dim: i64, ends: [i64; 2], open: [bool; 2], stride: i64) -> Result<(), (Kind, String)> {
        if stride < 1 {
            return Err((Kind::Unsupported, format!("its stride is {stride}; only forward slices are supported")));
        }
        let within = |end: i64| if end < 0 { end.saturating_add(dim) } else { end }.clamp(0, dim);
        let begin = if open[0] { 0 } else { within(ends[0]) };
        let end = if open[1] { dim } else { within(ends[1]) };
        let size = (end - begin).max(0).unsigned_abs().div_ceil(stride.unsigned_abs());
        let size = i64::try_from(size).unwrap_or(i64::MAX);
        if size == 0 {
            return Err((Kind::Unsupported, format!("nothing lies between {begin} and {end} of a dimension of {dim}")));
        }
        self.push(begin, size, stride);
        self.dims.push(size);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> options::StridedSlice {
        options::StridedSlice {
            begin_mask: 0,
            end_mask: 0,
            ellipsis_mask: 0,
            new_axis_mask: 0,
            shrink_axis_mask: 0,
            offset: false,
        }
    }

    fn cut(begin: &[i64], size: &[i64], stride: &[i64], dims: &[i64]) -> Cut {
        Cut { begin: begin.into(), size: size.into(), stride: stride.into(), dims: dims.into() }
    }

    #[test]
    fn slices_follow_numpy() {
        let x = [4, 10];
        // x[1:3]
        assert_eq!(resolve(&x, &[1], &[3], &[1], &options()), Ok(cut(&[1, 0], &[2, 10], &[1, 1], &[2, 10])));
        // x[-1, ::3]
        let masks = options::StridedSlice { begin_mask: 2, end_mask: 2, shrink_axis_mask: 1, ..options() };
        assert_eq!(resolve(&x, &[-1, 0], &[0, 0], &[1, 3], &masks), Ok(cut(&[3, 0], &[1, 4], &[1, 3], &[4])));
        // x[..., newaxis, 2:-2]
        let masks = options::StridedSlice { ellipsis_mask: 1, new_axis_mask: 2, ..options() };
        let wanted = cut(&[0, 2], &[4, 6], &[1, 1], &[4, 1, 6]);
        assert_eq!(resolve(&x, &[0, 0, 2], &[0, 0, -2], &[1, 1, 1], &masks), Ok(wanted));
        // x[1:1+2]
        let masks = options::StridedSlice { offset: true, ..options() };
        assert_eq!(resolve(&x, &[1], &[2], &[1], &masks), Ok(cut(&[1, 0], &[2, 10], &[1, 1], &[2, 10])));
    }

    #[test]
    fn what_no_slice_can_be_is_refused() {
        let refused =
            |begin: &[i64], end: &[i64], stride: &[i64]| resolve(&[4], begin, end, stride, &options()).is_err();
        assert!(refused(&[3], &[1], &[-1]));
        assert!(refused(&[3], &[3], &[1]));
        assert!(refused(&[0, 0], &[1, 1], &[1, 1]));
        assert!(refused(&[0], &[1, 1], &[1]));
        let masks = options::StridedSlice { shrink_axis_mask: 1, ..options() };
        assert!(resolve(&[4], &[4], &[5], &[1], &masks).is_err());
    }
}
