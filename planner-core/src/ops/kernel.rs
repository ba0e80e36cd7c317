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

/// Of kernels for f32, i8, u8, i16 and i32, that for `dtype`.
pub(super) fn by_number(dtype: DType, kernels: [&'static str; 5]) -> &'static str {
    let [f32, i8, u8, i16, i32] = kernels;
    if dtype == DType::I32 { i32 } else { by_type(dtype, [f32, i8, u8, i16]) }
}

/// Of kernels for f32, i8, u8 and i16, that for `dtype`; of their structures too.
pub(super) fn by_type(dtype: DType, kernels: [&'static str; 4]) -> &'static str {
    let [f32, i8, u8, i16] = kernels;
    match dtype {
        DType::F32 => f32,
        DType::U8 => u8,
        DType::I16 => i16,
        _ => i8,
    }
}
