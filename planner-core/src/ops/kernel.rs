//! Kernels by element type.

use crate::dtype::DType;

/// Of kernels that only move elements, for one, two and four bytes, that for `dtype`.
pub(super) fn by_size(dtype: DType, kernels: [&'static str; 3]) -> &'static str {
    let [one, two, four] = kernels;
    match dtype.bytes() {
        1 => one,
        2 => two,
        _ => four,
    }
}
