//! `strided_slice`: numpy's `x[a:b:c, .., newaxis, d]`.

use super::{ArgSpec, AttrSpec, AttrValue, Call, Form, Lower, Lowered, Operator, Results, Role, Signature, copy};
use crate::diagnostic::{Diagnostic, Kind};
use crate::model::TensorType;
use std::borrow::Cow;

/// See [`SIGNATURE`].
pub(super) struct StridedSlice;

const ALL: i64 = i64::MAX;

const fn list(name: &'static str, default: Option<AttrValue>, doc: &'static str) -> AttrSpec {
    AttrSpec { name, form: Form::Ints(-ALL, ALL), default, doc }
}

const fn mask(name: &'static str, doc: &'static str) -> AttrSpec {
    AttrSpec { name, form: Form::Int(0, u16::MAX as i64), default: Some(AttrValue::Int(0)), doc }
}

static SIGNATURE: Signature = Signature {
    name: "strided_slice",
    doc: "numpy's `x[begin:end:stride, ..]`. In a mask, bit `i` speaks of entry `i` of the lists. \
          A view where the cut is along the outermost dimension that is not 1; see also `slice`.",
    args: &[ArgSpec { name: "x", role: Role::Any, doc: "any tensor" }],
    attrs: &[
        list("begin", None, "the first index in each dimension, negative from the end"),
        list("end", None, "the index behind the last, negative from the end; beyond the end takes all"),
        list(
            "stride",
            Some(AttrValue::Ints(Cow::Borrowed(&[]))),
            "from one index taken to the next, negative to go backwards; by default 1",
        ),
        mask("begin_mask", "the beginning is left out: from the first, or from the last backwards"),
        mask("end_mask", "the end is left out"),
        mask(
            "ellipsis_mask",
            "the entry stands for all dimensions that no other speaks of; without one they come last",
        ),
        mask("new_axis_mask", "the entry is a new dimension of 1"),
        mask("shrink_axis_mask", "the beginning alone is taken, and the dimension goes"),
    ],
    results: Results::One,
};

impl Operator for StridedSlice {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        Ok(vec![copy::reshaped(call, 0, call.shape(cut(call)?.dims)?)?])
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let strides = copy::strides(&lower.arg(0).shape);
        let ranges = cut(lower)?.ranges;
        let sizes = ranges.iter().map(|range| range.size).collect();
        let from = ranges.iter().zip(&strides).map(|(range, stride)| range.stride * stride).collect();
        let mut moved = copy::Block::gathered(sizes, from);
        moved.from = ranges.iter().zip(&strides).map(|(range, stride)| range.begin * stride.unsigned_abs()).sum();
        Ok(Lowered::moving().cut(lower, 0, &moved))
    }
}

/// What is taken of one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    /// The first index.
    pub(crate) begin: usize,
    /// How many.
    pub(crate) size: usize,
    /// From one to the next.
    pub(crate) stride: isize,
}

/// What is taken of a tensor, and the dimensions that it then has.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Cut {
    /// One a dimension.
    pub(crate) ranges: Vec<Range>,
    /// The dimensions of the result.
    pub(crate) dims: Vec<usize>,
}

/// The lists and masks of a slice.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Entries<'a> {
    /// The first indices.
    pub(crate) begin: &'a [i64],
    /// The indices behind the last.
    pub(crate) end: &'a [i64],
    /// From one index to the next; empty for 1.
    pub(crate) stride: &'a [i64],
    /// Bits of entries without a beginning.
    pub(crate) begin_mask: i64,
    /// Bits of entries without an end.
    pub(crate) end_mask: i64,
    /// The bit of the entry that stands for the dimensions without one.
    pub(crate) ellipsis_mask: i64,
    /// Bits of entries that are new dimensions.
    pub(crate) new_axis_mask: i64,
    /// Bits of entries that take one index.
    pub(crate) shrink_axis_mask: i64,
}

fn cut(call: &Call<'_>) -> Result<Cut, Diagnostic> {
    let x = call.arg(0);
    let entries = Entries {
        begin: call.ints("begin"),
        end: call.ints("end"),
        stride: call.ints("stride"),
        begin_mask: call.int("begin_mask"),
        end_mask: call.int("end_mask"),
        ellipsis_mask: call.int("ellipsis_mask"),
        new_axis_mask: call.int("new_axis_mask"),
        shrink_axis_mask: call.int("shrink_axis_mask"),
    };
    entries.cut(&x.shape).map_err(|(attr, message)| {
        call.attr_error(Kind::Attribute, attr, message).got(format!("{:?}..{:?} of {x}", entries.begin, entries.end))
    })
}

impl Entries<'_> {
    /// What they take of a tensor of `dims`; an error names the list or mask that is wrong.
    pub(crate) fn cut(&self, dims: &[usize]) -> Result<Cut, (&'static str, String)> {
        let count = self.begin.len();
        for (name, length) in [("end", self.end.len()), ("stride", self.stride.len())] {
            if length != count && (name, length) != ("stride", 0) {
                return Err((name, format!("`{name}` has {length} entries, `begin` {count}")));
            }
        }
        let bit = |mask: i64, index: usize| mask >> index.min(62) & 1 == 1;
        let (ellipsis, new) = (|i| bit(self.ellipsis_mask, i), |i| bit(self.new_axis_mask, i));
        if (0..count).filter(|&i| ellipsis(i)).count() > 1 {
            return Err(("ellipsis_mask", "there are two ellipses".into()));
        }
        let speaking = (0..count).filter(|&i| !ellipsis(i) && !new(i)).count();
        let silent = dims.len().checked_sub(speaking);
        let silent = silent.ok_or_else(|| ("begin", format!("{speaking} entries for {} dimensions", dims.len())))?;
        let mut rest = dims.iter().copied();
        let mut cut = Cut::default();
        for i in 0..count {
            if ellipsis(i) {
                rest.by_ref().take(silent).for_each(|dim| cut.whole(dim));
            } else if new(i) {
                cut.dims.push(1);
            } else if let Some(dim) = rest.next() {
                let ends = [(self.begin[i], self.begin_mask), (self.end[i], self.end_mask)];
                let [begin, end] = ends.map(|(end, mask)| (!bit(mask, i)).then_some(end));
                if bit(self.shrink_axis_mask, i) {
                    cut.index(dim, begin)?;
                } else {
                    cut.range(dim, begin, end, self.stride.get(i).copied().unwrap_or(1))?;
                }
            }
        }
        rest.for_each(|dim| cut.whole(dim));
        Ok(cut)
    }
}

impl Cut {
    fn whole(&mut self, dim: usize) {
        self.ranges.push(Range { begin: 0, size: dim, stride: 1 });
        self.dims.push(dim);
    }

    /// One index, whose dimension goes.
    fn index(&mut self, dim: usize, index: Option<i64>) -> Result<(), (&'static str, String)> {
        let length = i64::try_from(dim).unwrap_or(ALL);
        let from = index.map(|index| if index < 0 { index.saturating_add(length) } else { index });
        let begin = from.filter(|from| (0..length).contains(from)).and_then(|from| usize::try_from(from).ok());
        let begin = begin.ok_or_else(|| {
            let index = index.map_or("no index".into(), |index| format!("index {index}"));
            ("begin", format!("there is {index} in a dimension of {dim}"))
        })?;
        self.ranges.push(Range { begin, size: 1, stride: 1 });
        Ok(())
    }

    /// Indices from `begin` up to before `end`, either of which may be left out.
    fn range(
        &mut self,
        dim: usize,
        begin: Option<i64>,
        end: Option<i64>,
        stride: i64,
    ) -> Result<(), (&'static str, String)> {
        let length = i64::try_from(dim).unwrap_or(ALL);
        let step = isize::try_from(stride).ok().filter(|step| *step != 0 && *step != isize::MIN);
        let step = step.ok_or_else(|| ("stride", format!("a stride of {stride} goes nowhere")))?;
        // Backwards, the ends are the places before the first and at the last element.
        let [low, high] = if stride > 0 { [0, length] } else { [-1, length - 1] };
        let place = |end: i64| if end < 0 { end.saturating_add(length) } else { end }.clamp(low, high);
        let [first, last] = if stride > 0 { [low, high] } else { [high, low] };
        let (from, to) = (begin.map_or(first, place), end.map_or(last, place));
        let distance = if stride > 0 { to - from } else { from - to };
        let size = usize::try_from(distance.max(0)).unwrap_or(0).div_ceil(step.unsigned_abs());
        if size == 0 {
            return Err(("end", format!("nothing lies between {from} and {to} of a dimension of {dim}")));
        }
        let stride = if size == 1 { 1 } else { step };
        self.ranges.push(Range { begin: usize::try_from(from).unwrap_or(0), size, stride });
        self.dims.push(size);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(dims: &[usize], entries: &Entries<'_>) -> (Vec<[isize; 3]>, Vec<usize>) {
        let cut = entries.cut(dims).unwrap();
        let range = |range: &Range| [range.begin.cast_signed(), range.size.cast_signed(), range.stride];
        (cut.ranges.iter().map(range).collect(), cut.dims)
    }

    #[test]
    fn slices_follow_numpy() {
        let x = [4, 10];
        // x[1:3]
        let entries = Entries { begin: &[1], end: &[3], ..Entries::default() };
        assert_eq!(taken(&x, &entries), (vec![[1, 2, 1], [0, 10, 1]], vec![2, 10]));
        // x[-1, ::3]
        let entries = Entries { begin: &[-1, 0], end: &[0, 0], stride: &[1, 3], ..Entries::default() };
        let entries = Entries { begin_mask: 2, end_mask: 2, shrink_axis_mask: 1, ..entries };
        assert_eq!(taken(&x, &entries), (vec![[3, 1, 1], [0, 4, 3]], vec![4]));
        // x[..., newaxis, 2:-2]
        let entries = Entries { begin: &[0, 0, 2], end: &[0, 0, -2], ..Entries::default() };
        let entries = Entries { ellipsis_mask: 1, new_axis_mask: 2, ..entries };
        assert_eq!(taken(&x, &entries), (vec![[0, 4, 1], [2, 6, 1]], vec![4, 1, 6]));
        // x[::-1, 7:0:-3]
        let entries = Entries { begin: &[0, 7], end: &[0, 0], stride: &[-1, -3], ..Entries::default() };
        let entries = Entries { begin_mask: 1, end_mask: 1, ..entries };
        assert_eq!(taken(&x, &entries), (vec![[3, 4, -1], [7, 3, -3]], vec![4, 3]));
        // x[99:-99:-2]
        let entries = Entries { begin: &[99], end: &[-99], stride: &[-2], ..Entries::default() };
        assert_eq!(taken(&x, &entries), (vec![[3, 2, -2], [0, 10, 1]], vec![2, 10]));
    }

    #[test]
    fn what_no_slice_can_be_is_refused() {
        let refused = |entries: Entries<'_>| entries.cut(&[4]).unwrap_err().0;
        let entries = |begin, end, stride| Entries { begin, end, stride, ..Entries::default() };
        assert_eq!(refused(entries(&[1], &[3], &[-1])), "end");
        assert_eq!(refused(entries(&[3], &[3], &[1])), "end");
        assert_eq!(refused(entries(&[0], &[1], &[0])), "stride");
        assert_eq!(refused(entries(&[0, 0], &[1, 1], &[])), "begin");
        assert_eq!(refused(entries(&[0], &[1, 1], &[])), "end");
        assert_eq!(refused(Entries { shrink_axis_mask: 1, ..entries(&[4], &[5], &[]) }), "begin");
        assert_eq!(refused(Entries { ellipsis_mask: 3, ..entries(&[0, 0], &[0, 0], &[]) }), "ellipsis_mask");
    }
}
