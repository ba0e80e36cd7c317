//! Walks over the dimensions around the innermost one.

/// Most dimensions around the innermost one.
pub const OUTER: usize = 5;

/// A dimension, and the distance between its neighbours in two windows.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// Number of positions.
    pub size: usize,
    /// Elements from one position to the next, in the first and in the second window.
    pub strides: [usize; 2],
}

/// The offsets of position `unit` of `axes`, outermost first, in both windows.
#[inline]
pub(super) fn offsets(axes: &[Axis; OUTER], unit: usize) -> [usize; 2] {
    let [mut first, mut second] = [0, 0];
    let mut rest = unit;
    for axis in axes.iter().rev() {
        if axis.size > 1 {
            let index = rest % axis.size;
            rest /= axis.size;
            first += index * axis.strides[0];
            second += index * axis.strides[1];
        }
    }
    [first, second]
}
