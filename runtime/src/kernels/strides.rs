//! Walks over the dimensions around the innermost one.

/// Most dimensions around the innermost one.
pub const OUTER: usize = 5;

/// A dimension, and the distance between its neighbours in two windows.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// Number of positions.
    pub size: usize,
    /// Elements from one position to the next, in the first and in the second window; negative where it runs backwards.
    pub strides: [isize; 2],
}

/// The offsets of position `unit` of `axes`, outermost first, in both windows; below zero they wrap around.
#[inline]
pub(super) fn offsets(axes: &[Axis; OUTER], unit: usize) -> [usize; 2] {
    let [mut first, mut second] = [0usize, 0];
    let mut rest = unit;
    for axis in axes.iter().rev() {
        if axis.size > 1 {
            let index = rest % axis.size;
            rest /= axis.size;
            let [a, b] = axis.strides.map(|stride| index.wrapping_mul(stride.cast_unsigned()));
            first = first.wrapping_add(a);
            second = second.wrapping_add(b);
        }
    }
    [first, second]
}
