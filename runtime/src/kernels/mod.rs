//! The kernels, a file an operator family, all written against one contract.
//!
//! ```text
//! kernel(params, windows.., units)
//! ```
//!
//! - `params`: a plain structure of numbers and `&'static` slices; everything
//!   that can be computed at compile time is in it.
//! - Windows in the order arguments, results, scratch. An argument is any
//!   [`Elements`]: cells of the arena, a constant in flash, or a borrowed
//!   input. A result is a slice of cells ([`Sink`]), so that it may overlap an
//!   argument as far as the kernel's access order allows.
//! - `units`: the range of output [`Units`] (rows of an image, elements of a
//!   vector) to compute, and whether from the first or from the last on. Calls
//!   over parts, made in that order, give the same bits as one call.
//! - Access order: each kernel documents what it has read before each write.
//!   Backward, it takes the pixels or elements of a unit from the last on too,
//!   but the channels of a pixel go up. Kernels of pairs of elements run
//!   forward whatever is asked.
//! - Images reach their rows through [`Rows`], so that a window may be a ring
//!   of rows instead of a whole image.
//!
//! Kernels never panic: what the planner proved is not checked again, and
//! indices outside a window read zero and write nothing.

#![allow(clippy::inline_always, reason = "a kernel is one loop: a call inside it costs more than its code")]
#![allow(clippy::many_single_char_names, reason = "windows are called as in the formulas: x, y, a, b")]

pub mod add_weighted;
pub mod affine;
pub mod arch;
pub mod arithmetic;
pub mod blocked;
pub mod broadcast;
pub mod cast;
pub mod compare;
pub mod conv;
pub mod copy;
pub mod curve;
pub mod dense;
pub mod depthwise;
pub mod depthwise3x3;
pub mod depthwise_ring;
pub mod division;
pub mod elements;
pub mod fixed_point;
pub mod fold;
pub mod functions;
pub mod gather;
pub mod hybrid;
pub mod integer;
pub mod integers;
pub mod l2_normalize;
pub mod layer_norm;
pub mod lines;
pub mod log_softmax;
pub mod lstm;
pub mod matmul;
pub mod packed;
pub mod pad;
pub mod planes;
pub mod pool;
pub mod prelu;
pub mod quantize;
pub mod reduce;
pub mod rescale;
pub mod resize;
pub mod resize_bilinear;
pub mod samples;
pub mod select;
pub mod slide;
pub mod softmax;
pub mod strides;
pub mod svdf;
pub mod transpose_conv;
pub mod unary;
pub mod units;
pub mod weights;
mod windows;

pub use crate::quant::Quant;
pub use add_weighted::{AddWeightedI8, add_weighted_i8};
pub use affine::{Affine, affine_f32};
#[cfg(feature = "libm")]
pub use arithmetic::pow_f32;
pub use arithmetic::{
    AddInt, ArithmeticF32, MulInt, Term, add_f32, add_i8, add_i16, add_u8, maximum_f32, maximum_i8, maximum_i16,
    maximum_u8, minimum_f32, minimum_i8, minimum_i16, minimum_u8, mul_f32, mul_i8, mul_i16, mul_u8,
    squared_difference_f32, squared_difference_i8, squared_difference_i16, sub_f32, sub_i8, sub_i16, sub_u8,
};
pub use blocked::{BlockedI8, ConvBlockedI8, DenseBlockedI8, conv2d_blocked_i8, dense_blocked_i8};
pub use broadcast::Broadcast;
pub use cast::{
    cast_f32_bool, cast_f32_i8, cast_f32_i16, cast_f32_i32, cast_f32_u8, cast_i8_f32, cast_i8_i32, cast_i16_f32,
    cast_i16_i32, cast_i32_bool, cast_i32_f32, cast_i32_i8, cast_i32_i16, cast_i32_u8, cast_u8_f32, cast_u8_i32,
};
pub use compare::{
    CompareInt, Side, equal_1, equal_f32, equal_i8, equal_i16, equal_i32, equal_u8, less_equal_f32, less_equal_i8,
    less_equal_i16, less_equal_i32, less_equal_u8, less_f32, less_i8, less_i16, less_i32, less_u8, logical_and_1,
    logical_not_1, logical_or_1, not_equal_1, not_equal_f32, not_equal_i8, not_equal_i16, not_equal_i32, not_equal_u8,
};
pub use conv::{Conv, ConvF32, ConvI8, ConvI16, ConvLayer, ConvU8, conv2d_f32, conv2d_i8, conv2d_i16, conv2d_u8};
pub use copy::{LutRuns, RescaleRuns, Runs, copy_1, copy_2, copy_4, copy_lut_i8, copy_lut_u8, copy_rescale_i16};
pub use curve::{Curve, sigmoid_i16, tanh_i16};
pub use dense::{Dense, DenseF32, DenseI8, DenseI16, DenseLayer, DenseU8, dense_f32, dense_i8, dense_i16, dense_u8};
pub use depthwise::{
    Depthwise, DepthwiseF32, DepthwiseI8, DepthwiseI16, DepthwiseLayer, DepthwiseU8, depthwise_conv2d_f32,
    depthwise_conv2d_i8, depthwise_conv2d_i16, depthwise_conv2d_u8,
};
pub use depthwise_ring::{
    depthwise_conv2d_ring_f32, depthwise_conv2d_ring_i8, depthwise_conv2d_ring_i16, depthwise_conv2d_ring_u8,
};
pub use depthwise3x3::depthwise_conv2d_3x3_i8;
pub use division::{
    div_f32, div_i8, div_i16, div_i32, div_u8, floor_div_i8, floor_div_i16, floor_div_i32, floor_mod_i8, floor_mod_i16,
    floor_mod_i32,
};
#[cfg(feature = "libm")]
pub use division::{floor_div_f32, floor_mod_f32};
pub use elements::{Bytes, Elements, Rows, Sink};
pub use fixed_point::Requantize;
pub use fold::{folded_bias, widened_bias};
pub use functions::{abs_f32, hard_swish_f32, neg_f32, square_f32};
#[cfg(feature = "libm")]
pub use functions::{
    ceil_f32, cos_f32, elu_f32, exp_f32, floor_f32, gelu_f32, gelu_tanh_f32, log_f32, round_f32, rsqrt_f32, sin_f32,
    sqrt_f32,
};
pub use gather::{Gather, GatherNd, gather_1, gather_2, gather_4, gather_nd_1, gather_nd_2, gather_nd_4};
pub use hybrid::{
    ConvHybrid, DenseHybrid, DepthwiseHybrid, Dynamic, HybridLayer, TransposeConvHybrid, WeightsHybrid,
    conv2d_hybrid_f32, dense_hybrid_f32, depthwise_conv2d_hybrid_f32, quantize_dynamic_f32,
    transpose_conv2d_hybrid_f32,
};
pub use integer::{Byte, Integer};
pub use integers::{
    abs_i32, add_i32, maximum_i32, minimum_i32, mul_i32, neg_i32, pow_i32, squared_difference_i32, sub_i32,
};
#[cfg(feature = "libm")]
pub use l2_normalize::l2_normalize_f32;
pub use l2_normalize::{L2Normalize, L2NormalizeInt, l2_normalize_i8, l2_normalize_u8};
pub use layer_norm::LayerNorm;
#[cfg(feature = "libm")]
pub use layer_norm::layer_norm_f32;
pub use lines::{
    Cumsum, CumsumI8, Lines, arg_max_f32, arg_max_i8, arg_max_i16, arg_max_i32, arg_max_u8, arg_min_f32, arg_min_i8,
    arg_min_i16, arg_min_i32, arg_min_u8, cumsum_f32, cumsum_i8, cumsum_i32,
};
#[cfg(feature = "libm")]
pub use log_softmax::log_softmax_f32;
pub use log_softmax::{LogSoftmax, LogSoftmaxI8, log_softmax_i8, log_softmax_u8};
pub use lstm::{Lstm, LstmF32, LstmHybrid, LstmI8, lstm_i8};
#[cfg(feature = "libm")]
pub use lstm::{lstm_f32, lstm_hybrid_f32};
pub use matmul::{Matmul, MatmulInt, matmul_f32, matmul_i8, matmul_i16};
pub use packed::{
    ConvPackedI8, DensePackedI8, DepthwisePackedI8, PackedI8, conv2d_packed_i8, dense_direct_i8, dense_packed_i8,
    depthwise_conv2d_packed_i8,
};
pub use pad::{Pad, PadAxis, pad_1, pad_2, pad_4};
pub use planes::{DepthwisePlanesI8, PlanesI8, depthwise_conv2d_planes_i8, depthwise_conv2d_planes_ring_i8};
#[cfg(feature = "libm")]
pub use pool::l2_pool2d_f32;
pub use pool::{
    Pool, PoolF32, PoolInt, avg_pool2d_f32, avg_pool2d_i8, avg_pool2d_i16, avg_pool2d_u8, max_pool2d_f32,
    max_pool2d_i8, max_pool2d_i16, max_pool2d_u8,
};
pub use prelu::{PreluInt, prelu_f32, prelu_i8, prelu_i16, prelu_u8};
pub use quantize::{dequantize_i8, dequantize_i16, dequantize_u8, quantize_i8, quantize_i16, quantize_u8};
pub use reduce::{Reduce, SumF32, SumI32, SumInt, sum_f32, sum_i8, sum_i16, sum_i32, sum_u8};
pub use reduce::{
    max_f32, max_i8, max_i16, max_i32, max_u8, min_f32, min_i8, min_i16, min_i32, min_u8, prod_f32, prod_i32,
};
pub use rescale::{
    Rescale, rescale_i8_i16, rescale_i8_i32, rescale_i16, rescale_i16_i8, rescale_i16_i32, rescale_i16_u8, rescale_i32,
    rescale_i32_i8, rescale_i32_i16, rescale_i32_u8, rescale_u8_i16, rescale_u8_i32,
};
pub use resize::{ResizeNearest, resize_nearest_1, resize_nearest_2, resize_nearest_4};
pub use resize_bilinear::{
    Bilinear, BilinearF32, BilinearInt, resize_bilinear_f32, resize_bilinear_i8, resize_bilinear_i16,
    resize_bilinear_u8,
};
#[cfg(feature = "libm")]
pub use samples::sqrt_i16;
pub use samples::{Rsqrt, Samples, Sqrt, rsqrt_i16, samples_i16};
pub use select::{Select, select_1, select_2, select_4};
pub use slide::{Slide, Taps};
#[cfg(feature = "libm")]
pub use softmax::softmax_f32;
pub use softmax::{Softmax, SoftmaxI8, SoftmaxI16, softmax_i8, softmax_i8_i16, softmax_i16, softmax_u8};
pub use strides::Axis;
pub use svdf::{
    Scaled, Svdf, SvdfF32, SvdfHybrid, SvdfI8, SvdfI16, SvdfInt, svdf_f32, svdf_hybrid_f32, svdf_i8, svdf_i16,
};
pub use transpose_conv::{
    TransposeConv, TransposeConvF32, TransposeConvI8, TransposeConvI16, TransposeConvLayer, TransposeConvU8,
    transpose_conv2d_f32, transpose_conv2d_i8, transpose_conv2d_i16, transpose_conv2d_u8,
};
pub use unary::{
    Clamp, ClampInt, LeakyRelu, Lut, Pure, clamp_f32, clamp_i8, clamp_i16, clamp_u8, leaky_relu_f32, lut_i8, lut_i8_u8,
    lut_u8, lut_u8_i8,
};
#[cfg(feature = "libm")]
pub use unary::{sigmoid_f32, tanh_f32};
pub use units::Units;
pub use weights::{WeightsF32, WeightsI8, WeightsI16, WeightsU8};

#[cfg(test)]
mod tests {
    use super::*;
    use static_assertions::assert_impl_all;

    // Generated code holds parameters in statics, and kernels keep copies in registers.
    assert_impl_all!((Affine, AddInt, AddWeightedI8, ArithmeticF32, MulInt, Term): Sync, Copy);
    assert_impl_all!((Broadcast, LutRuns, RescaleRuns, Runs, Pad, PadAxis, ResizeNearest): Sync, Copy);
    assert_impl_all!((Conv, ConvF32, ConvI8, ConvU8, ConvI16, Depthwise, DepthwiseF32, DepthwiseI8, Slide, Taps): Sync, Copy);
    assert_impl_all!((CompareInt, Side, Select, PreluInt, Gather, GatherNd): Sync, Copy);
    assert_impl_all!((Cumsum, CumsumI8, Lines, L2Normalize, L2NormalizeInt, LogSoftmax, LogSoftmaxI8): Sync, Copy);
    assert_impl_all!((Bilinear, BilinearF32, BilinearInt, TransposeConv, TransposeConvF32, TransposeConvI8): Sync, Copy);
    assert_impl_all!((ConvBlockedI8, DenseBlockedI8, DepthwisePlanesI8): Sync, Copy);
    assert_impl_all!((ConvPackedI8, DensePackedI8, DepthwisePackedI8): Sync, Copy);
    assert_impl_all!((Dense, DenseF32, DenseI8, Matmul, MatmulInt, Requantize): Sync, Copy);
    assert_impl_all!((Pool, PoolF32, PoolInt, Reduce, SumF32, SumI32, SumInt): Sync, Copy);
    assert_impl_all!((Lstm, LstmF32, LstmI8, Scaled, Svdf, SvdfF32, SvdfI8, SvdfI16): Sync, Copy);
    assert_impl_all!((LayerNorm, Softmax, SoftmaxI8, SoftmaxI16, Clamp, ClampInt, Curve, LeakyRelu, Lut, Pure, Rescale, Rsqrt, Samples): Sync, Copy);
}
