//! Walks over the dimensions of two windows at once, as few as do.

use crate::emit::{Struct, Value};
use crate::shape::MAX_RANK;

/// Most dimensions around the innermost one that a kernel walks over.
pub(super) const OUTER: usize = MAX_RANK - 1;

/// A dimension, and the distance between its neighbours in two windows, in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Axis {
    pub(super) size: usize,
    pub(super) strides: [isize; 2],
}

impl Axis {
    /// The distance in the first window.
    pub(super) fn step(&self) -> Value {
        Value::Int(i64::try_from(self.strides[0]).unwrap_or(i64::MAX))
    }
}

/// The axes of `dims`, outermost first, without those that need no loop of their own:
/// of size 1, or reached by walking on along the next one.
pub(super) fn merged<S: Copy + TryInto<isize>>(dims: &[usize], strides: [&[S]; 2]) -> Vec<Axis> {
    let mut axes: Vec<Axis> = Vec::new();
    for ((&size, &a), &b) in dims.iter().zip(strides[0]).zip(strides[1]) {
        let strides = [a, b].map(signed);
        match axes.last_mut() {
            _ if size == 1 => {}
            Some(outer) if outer.strides == strides.map(|stride| stride * signed(size)) => {
                *outer = Axis { size: outer.size * size, strides };
            }
            _ => axes.push(Axis { size, strides }),
        }
    }
    axes
}

/// A number of elements with a sign; tensors are far smaller than it can say.
pub(super) fn signed<S: TryInto<isize>>(size: S) -> isize {
    size.try_into().unwrap_or(isize::MAX)
}

/// The field of a parameter structure that holds the axes around the innermost one.
pub(super) fn outer(axes: &[Axis]) -> Value {
    let unused = Axis { size: 1, strides: [0, 0] };
    let padded = std::iter::repeat_n(&unused, OUTER.saturating_sub(axes.len())).chain(axes);
    let fields = |axis: &Axis| vec![("size", Value::size(axis.size)), ("strides", Value::ints(axis.strides))];
    Value::Array(padded.map(|axis| Value::Struct(Struct { name: "Axis", fields: fields(axis) })).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_that_lie_side_by_side_become_one() {
        let whole = merged(&[2, 3, 1, 4], [&[12, 4, 4, 1], &[12, 4, 4, 1usize]]);
        assert_eq!(whole, [Axis { size: 24, strides: [1, 1] }]);
        let transposed = merged(&[4, 2, 3], [&[1, 12, 4], &[6, 3, 1usize]]);
        assert_eq!(transposed, [Axis { size: 4, strides: [1, 6] }, Axis { size: 6, strides: [4, 1] }]);
        let broadcast = merged(&[5, 2, 3], [&[6, 3, 1], &[0, 0, 0usize]]);
        assert_eq!(broadcast, [Axis { size: 30, strides: [1, 0] }]);
        let backwards = merged(&[2, 3], [&[-3, -1], &[3, 1isize]]);
        assert_eq!(backwards, [Axis { size: 6, strides: [-1, 1] }]);
    }
}
