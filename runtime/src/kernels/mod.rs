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
//! - `units`: the range of output units (rows of an image, elements of a
//!   vector) to compute. Calls over parts give the same bits as one call.
//! - Access order: each kernel documents what it has read before each write.
//! - Images reach their rows through [`Rows`], so that a window may be a ring
//!   of rows instead of a whole image.
//!
//! Kernels never panic: what the planner proved is not checked again, and
//! indices outside a window read zero and write nothing.

#![allow(clippy::inline_always, reason = "a kernel is one loop: a call inside it costs more than its code")]
#![allow(clippy::many_single_char_names, reason = "windows are called as in the formulas: x, y, a, b")]

pub mod affine;
pub mod arithmetic;
pub mod broadcast;
pub mod conv;
pub mod copy;
pub mod curve;
pub mod dense;
pub mod depthwise;
pub mod elements;
pub mod embedding;
pub mod fixed_point;
pub mod fold;
pub mod integer;
pub mod layer_norm;
pub mod matmul;
pub mod pad;
pub mod pool;
pub mod quantize;
pub mod reduce;
pub mod rescale;
pub mod resize;
pub mod slide;
pub mod softmax;
pub mod strides;
pub mod unary;
pub mod weights;

pub use crate::quant::Quant;
pub use affine::{Affine, affine_f32};
pub use arithmetic::{
    AddInt, ArithmeticF32, MulInt, Term, add_f32, add_i8, add_i16, add_u8, maximum_f32, maximum_i8, maximum_i16,
    maximum_u8, minimum_f32, minimum_i8, minimum_i16, minimum_u8, mul_f32, mul_i8, mul_i16, mul_u8, sub_f32, sub_i8,
    sub_i16, sub_u8,
};
pub use broadcast::Broadcast;
pub use conv::{Conv, ConvF32, ConvI8, ConvI16, ConvLayer, ConvU8, conv2d_f32, conv2d_i8, conv2d_i16, conv2d_u8};
pub use copy::{LutRuns, RescaleRuns, Runs, copy_1, copy_2, copy_4, copy_lut_i8, copy_lut_u8, copy_rescale_i16};
pub use curve::{Curve, sigmoid_i16, tanh_i16};
pub use dense::{Dense, DenseF32, DenseI8, DenseI16, DenseLayer, DenseU8, dense_f32, dense_i8, dense_i16, dense_u8};
pub use depthwise::{
    Depthwise, DepthwiseF32, DepthwiseI8, DepthwiseI16, DepthwiseLayer, DepthwiseU8, depthwise_conv2d_f32,
    depthwise_conv2d_i8, depthwise_conv2d_i16, depthwise_conv2d_u8,
};
pub use elements::{Bytes, Elements, Rows, Sink};
pub use embedding::{Embedding, embedding_1, embedding_2, embedding_4};
pub use fixed_point::Requantize;
pub use fold::{folded_bias, widened_bias};
pub use integer::{Byte, Integer};
pub use layer_norm::LayerNorm;
#[cfg(feature = "libm")]
pub use layer_norm::layer_norm_f32;
pub use matmul::{Matmul, MatmulI8, matmul_f32, matmul_i8};
pub use pad::{Pad, PadAxis, pad_1, pad_2, pad_4};
pub use pool::{
    Pool, PoolF32, PoolInt, avg_pool2d_f32, avg_pool2d_i8, avg_pool2d_i16, avg_pool2d_u8, max_pool2d_f32,
    max_pool2d_i8, max_pool2d_i16, max_pool2d_u8,
};
pub use quantize::{dequantize_i8, dequantize_i16, dequantize_u8, quantize_i8, quantize_i16, quantize_u8};
pub use reduce::{Reduce, SumF32, SumInt, max_f32, max_i8, max_i16, max_u8, sum_f32, sum_i8, sum_i16, sum_u8};
pub use rescale::{
    Rescale, rescale_i8_i16, rescale_i8_i32, rescale_i16, rescale_i16_i8, rescale_i16_i32, rescale_i16_u8, rescale_i32,
    rescale_i32_i8, rescale_i32_i16, rescale_i32_u8, rescale_u8_i16, rescale_u8_i32,
};
pub use resize::{ResizeNearest, resize_nearest_1, resize_nearest_2, resize_nearest_4};
pub use slide::{Slide, Taps};
#[cfg(feature = "libm")]
pub use softmax::softmax_f32;
pub use softmax::{Softmax, SoftmaxI8, SoftmaxI16, softmax_i8, softmax_i16, softmax_u8};
pub use strides::Axis;
pub use unary::{
    Clamp, ClampInt, LeakyRelu, Lut, Pure, clamp_f32, clamp_i8, clamp_i16, clamp_u8, leaky_relu_f32, lut_i8, lut_i8_u8,
    lut_u8, lut_u8_i8,
};
#[cfg(feature = "libm")]
pub use unary::{sigmoid_f32, tanh_f32};
pub use weights::{WeightsF32, WeightsI8, WeightsI16, WeightsU8};

#[cfg(test)]
mod tests {
    use super::*;
    use static_assertions::assert_impl_all;

    // Generated code holds parameters in statics, and kernels keep copies in registers.
    assert_impl_all!((Affine, AddInt, ArithmeticF32, MulInt, Term): Sync, Copy);
    assert_impl_all!((Broadcast, LutRuns, RescaleRuns, Runs, Pad, PadAxis, ResizeNearest, Embedding): Sync, Copy);
    assert_impl_all!((Conv, ConvF32, ConvI8, ConvU8, ConvI16, Depthwise, DepthwiseF32, DepthwiseI8, Slide, Taps): Sync, Copy);
    assert_impl_all!((Dense, DenseF32, DenseI8, Matmul, MatmulI8, Requantize): Sync, Copy);
    assert_impl_all!((Pool, PoolF32, PoolInt, Reduce, SumF32, SumInt): Sync, Copy);
    assert_impl_all!((LayerNorm, Softmax, SoftmaxI8, SoftmaxI16, Clamp, ClampInt, Curve, LeakyRelu, Lut, Pure, Rescale): Sync, Copy);
}
