//! Products of two matrices that are both computed at run time.

use super::strides::{Axis, OUTER, offsets};
use super::{Elements, Requantize, Sink, Units};

/// The shape of a batch of matrix products, `[m, k]` times `[k, n]`.
#[derive(Clone, Copy, Debug)]
pub struct Matmul {
    /// Rows of a product.
    pub m: usize,
    /// Terms of a sum.
    pub k: usize,
    /// Columns of a product.
    pub n: usize,
    /// Elements between neighbours along `m` and `k` in the first argument.
    pub a_strides: [usize; 2],
    /// Elements between neighbours along `k` and `n` in the second argument.
    pub b_strides: [usize; 2],
    /// The batch, strides in both arguments.
    pub batch: [Axis; OUTER],
}

/// A batch of products of integers.
#[derive(Clone, Copy, Debug)]
pub struct MatmulInt<'a> {
    /// The shape.
    pub shape: Matmul,
    /// Zero points of the arguments.
    pub zero_points: [i32; 2],
    /// From sums to results, one multiplier for all.
    pub result: Requantize<'a>,
}

/// A unit is a row of a product, products in order; each element is written after
/// the row and the column that it depends on have been read.
pub fn matmul_f32(p: &Matmul, a: impl Elements<f32>, b: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
    matmul(p, a, b, y, units, 0.0, |sum, a, b| sum + a * b, |sum| sum);
}

/// As [`matmul_f32`].
pub fn matmul_i8(p: &MatmulInt<'_>, a: impl Elements<i8>, b: impl Elements<i8>, y: impl Sink<i8>, units: Units) {
    let [a_zero, b_zero] = p.zero_points;
    let add = |sum: i32, a: i8, b: i8| sum.wrapping_add((i32::from(a) - a_zero) * (i32::from(b) - b_zero));
    matmul(&p.shape, a, b, y, units, 0, add, |sum| p.result.one(0, sum));
}

/// As [`matmul_f32`], of wide sums.
pub fn matmul_i16(p: &MatmulInt<'_>, a: impl Elements<i16>, b: impl Elements<i16>, y: impl Sink<i16>, units: Units) {
    let add = |sum: i64, a: i16, b: i16| sum.wrapping_add(i64::from(i32::from(a) * i32::from(b)));
    matmul(&p.shape, a, b, y, units, 0, add, |sum| p.result.one_wide(0, sum));
}

#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "the contract of kernels and the arithmetic")]
fn matmul<T: Copy, S: Copy>(
    p: &Matmul,
    a: impl Elements<T>,
    b: impl Elements<T>,
    y: impl Sink<T>,
    units: Units,
    first: S,
    add: impl Fn(S, T, T) -> S,
    finish: impl Fn(S) -> T,
) {
    let [a_row, a_step] = p.a_strides;
    let [b_step, b_column] = p.b_strides;
    for unit in units {
        let m = p.m.max(1);
        let [a_start, columns] = offsets(&p.batch, unit / m);
        let row = a_start + unit % m * a_row;
        for n in units.along(0..p.n) {
            let (mut sum, mut at, mut bt) = (first, row, columns + n * b_column);
            for _ in 0..p.k {
                sum = add(sum, a.at(at), b.at(bt));
                at += a_step;
                bt += b_step;
            }
            y.put(unit * p.n + n, finish(sum));
        }
    }
}
