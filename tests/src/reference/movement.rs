//! Where each element of a result comes from.

/// The positions of a tensor of shape `dims`, row-major.
#[must_use]
pub fn positions(dims: &[usize]) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for &size in dims {
        all = all.iter().flat_map(|start| (0..size).map(|i| [start.as_slice(), &[i]].concat())).collect();
    }
    all
}

/// The element at `position` of a tensor of shape `dims`; `None` outside.
#[must_use]
pub fn index(dims: &[usize], position: &[i64]) -> Option<usize> {
    dims.iter()
        .zip(position)
        .try_fold(0, |index, (&size, &at)| usize::try_from(at).ok().filter(|at| *at < size).map(|at| index * size + at))
}

/// The elements of `x` that `source` names for each position of the result; `fill` where that is outside.
#[must_use]
pub fn gather<T: Copy>(
    x: &[T],
    dims: &[usize],
    result: &[usize],
    fill: T,
    source: impl Fn(&[usize]) -> Vec<i64>,
) -> Vec<T> {
    positions(result).iter().map(|at| index(dims, &source(at)).map_or(fill, |index| x[index])).collect()
}
