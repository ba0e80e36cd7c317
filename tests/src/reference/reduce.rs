//! Windows and whole dimensions reduced to one number, and products of matrices.

use super::fixed_point::{multiplier, multiply};
use planner_core::quant::Quant;

/// For each element of the result without `axes`, the indices of its elements in a tensor of shape `dims`, row-major.
#[must_use]
pub fn windows(dims: &[usize], axes: &[usize]) -> Vec<Vec<usize>> {
    let results = dims.iter().enumerate().filter(|(axis, _)| !axes.contains(axis)).map(|(_, size)| size).product();
    let mut windows = vec![Vec::new(); results];
    for index in 0..dims.iter().product() {
        let (mut rest, mut window, mut stride) = (index, 0, 1);
        for (axis, &size) in dims.iter().enumerate().rev() {
            if !axes.contains(&axis) {
                window += rest % size * stride;
                stride *= size;
            }
            rest /= size;
        }
        windows[window].push(index);
    }
    windows
}

/// The mean of a window, to nearest, halves away from zero (`AveragePool`).
#[must_use]
pub fn pool_mean(elements: &[i8]) -> i64 {
    let sum: i64 = elements.iter().map(|x| i64::from(*x)).sum();
    let count = i64::try_from(elements.len()).expect("few elements");
    if sum > 0 { (sum + count / 2) / count } else { (sum - count / 2) / count }
}

/// The sum of elements, or their mean (`QuantizedMeanOrSum`).
#[must_use]
pub fn sum_or_mean(elements: &[i8], from: &Quant, to: &Quant, mean: bool) -> i8 {
    let count = i64::try_from(elements.len()).expect("few elements");
    let sum: i64 = elements.iter().map(|x| i64::from(*x) - i64::from(from.zero_point())).sum();
    let (mut value, mut shift) = multiplier(f64::from(from.scale(0)) / f64::from(to.scale(0)));
    if mean {
        let bits = i32::try_from(count.ilog2()).expect("few bits").min(32).min(31 + shift);
        value = (value << bits) / count;
        shift -= bits;
    }
    let result = multiply(sum, (value, shift)) + i64::from(to.zero_point());
    i8::try_from(result.clamp(-128, 127)).expect("clamped")
}

/// For each element of a product of matrices, batch after batch, the indices of the elements that it multiplies.
/// `a` and `b` are whole shapes; a transposed matrix has its rows where others have columns.
#[must_use]
pub fn matmul(a: &[usize], b: &[usize], transposed: [bool; 2]) -> (Vec<usize>, Vec<Vec<[usize; 2]>>) {
    let split = |dims: &[usize], transposed: bool| {
        let (batch, matrix) = dims.split_at(dims.len() - 2);
        let [rows, columns] = if transposed { [matrix[1], matrix[0]] } else { [matrix[0], matrix[1]] };
        (batch.to_vec(), rows, columns)
    };
    let ((a_batch, m, k), (b_batch, _, n)) = (split(a, transposed[0]), split(b, transposed[1]));
    let rank = a_batch.len().max(b_batch.len());
    let size = |dims: &[usize], axis: usize| (axis + dims.len()).checked_sub(rank).map_or(1, |axis| dims[axis]);
    let batch: Vec<usize> = (0..rank).map(|axis| size(&a_batch, axis).max(size(&b_batch, axis))).collect();
    let at = |dims: &[usize], index: usize| {
        let (mut rest, mut at, mut stride) = (index, 0, 1);
        for axis in (0..rank).rev() {
            let own = size(dims, axis);
            at += if own == 1 { 0 } else { rest % batch[axis] * stride };
            stride *= own;
            rest /= batch[axis];
        }
        at
    };
    let element = |transposed: bool, rows: usize, columns: usize, row: usize, column: usize| {
        if transposed { column * rows + row } else { row * columns + column }
    };
    let mut products = Vec::new();
    for index in 0..batch.iter().product() {
        for (row, column) in (0..m).flat_map(|row| (0..n).map(move |column| (row, column))) {
            let term = |i: usize| {
                [
                    at(&a_batch, index) * m * k + element(transposed[0], m, k, row, i),
                    at(&b_batch, index) * k * n + element(transposed[1], k, n, i, column),
                ]
            };
            products.push((0..k).map(term).collect());
        }
    }
    (batch, products)
}
