//! Builtin operators as ours, a file a family.

mod activation;
mod arithmetic;
mod convolution;
mod dense;
mod parts;
mod pool;
mod quantize;
mod reduce;
mod refused;
mod resize;
mod shape;
mod weights;

use super::fold;
use super::graph::Graph;
use super::schema::Operator;
use crate::diagnostic::Diagnostics;
use crate::ops::AttrValue;
use std::borrow::Cow;

/// Adds the nodes that compute what `op` computes.
///
/// # Errors
/// Why it cannot be had, its attributes and types included.
pub(super) fn convert(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    if fold::fold(graph, op)? {
        return Ok(());
    }
    match op.kind.unwrap_or_default() {
        "ABS" => arithmetic::unary(graph, op, "abs"),
        "ADD" => arithmetic::add(graph, op),
        "AVERAGE_POOL_2D" => pool::pool(graph, op, "avg_pool2d"),
        "BATCH_MATMUL" => dense::batch_matmul(graph, op),
        "CEIL" => arithmetic::unary(graph, op, "ceil"),
        "CONCATENATION" => parts::concatenation(graph, op),
        "CONV_2D" => convolution::conv2d(graph, op),
        "COS" => arithmetic::unary(graph, op, "cos"),
        "DEPTHWISE_CONV_2D" => convolution::depthwise_conv2d(graph, op),
        "DEQUANTIZE" => quantize::dequantize(graph, op),
        "DIV" => arithmetic::div(graph, op),
        "ELU" => arithmetic::unary(graph, op, "elu"),
        "EMBEDDING_LOOKUP" => parts::embedding_lookup(graph, op),
        "EXP" => arithmetic::unary(graph, op, "exp"),
        "EXPAND_DIMS" => shape::expand_dims(graph, op),
        "FLOOR" => arithmetic::unary(graph, op, "floor"),
        "FLOOR_DIV" => arithmetic::binary(graph, op, "floor_div"),
        "FLOOR_MOD" => arithmetic::binary(graph, op, "floor_mod"),
        "FULLY_CONNECTED" => dense::fully_connected(graph, op),
        "GATHER" => parts::gather(graph, op),
        "GELU" => activation::gelu(graph, op),
        "HARD_SWISH" => arithmetic::unary(graph, op, "hard_swish"),
        "L2_POOL_2D" => pool::pool(graph, op, "l2_pool2d"),
        "LEAKY_RELU" => activation::leaky_relu(graph, op),
        "LOG" => arithmetic::unary(graph, op, "log"),
        "LOGISTIC" => arithmetic::unary(graph, op, "sigmoid"),
        "LOG_SOFTMAX" => arithmetic::unary(graph, op, "log_softmax"),
        "MAXIMUM" => arithmetic::binary(graph, op, "maximum"),
        "MAX_POOL_2D" => pool::pool(graph, op, "max_pool2d"),
        "MEAN" => reduce::reduce(graph, op, "mean"),
        "MINIMUM" => arithmetic::binary(graph, op, "minimum"),
        "MUL" => arithmetic::mul(graph, op),
        "NEG" => arithmetic::unary(graph, op, "neg"),
        "PACK" => parts::pack(graph, op),
        "PAD" => parts::pad(graph, op),
        "PADV2" => parts::pad_v2(graph, op),
        "POW" => arithmetic::binary(graph, op, "pow"),
        "PRELU" => arithmetic::binary(graph, op, "prelu"),
        "QUANTIZE" => quantize::quantize(graph, op),
        "REDUCE_MAX" => reduce::reduce(graph, op, "max"),
        "REDUCE_MIN" => reduce::reduce(graph, op, "min"),
        "RELU" => arithmetic::unary(graph, op, "relu"),
        "RELU6" => arithmetic::unary(graph, op, "relu6"),
        "RELU_N1_TO_1" => arithmetic::unary(graph, op, "relu_n1_to_1"),
        "RESHAPE" => shape::reshape(graph, op),
        "RESIZE_NEAREST_NEIGHBOR" => resize::nearest(graph, op),
        "ROUND" => arithmetic::unary(graph, op, "round"),
        "RSQRT" => arithmetic::unary(graph, op, "rsqrt"),
        "SIN" => arithmetic::unary(graph, op, "sin"),
        "SLICE" => parts::slice(graph, op),
        "SOFTMAX" => activation::softmax(graph, op),
        "SPLIT" => parts::split(graph, op),
        "SPLIT_V" => parts::split_v(graph, op),
        "SQRT" => arithmetic::unary(graph, op, "sqrt"),
        "SQUARE" => arithmetic::unary(graph, op, "square"),
        "SQUARED_DIFFERENCE" => arithmetic::binary(graph, op, "squared_difference"),
        "SQUEEZE" => shape::squeeze(graph, op),
        "STRIDED_SLICE" => parts::strided_slice(graph, op),
        "SUB" => arithmetic::sub(graph, op),
        "SUM" => reduce::reduce(graph, op, "sum"),
        "TANH" => arithmetic::unary(graph, op, "tanh"),
        "TRANSPOSE" => shape::transpose(graph, op),
        "UNPACK" => parts::unpack(graph, op),
        _ => Err(refused::refuse(graph, op).into()),
    }
}

/// A list of integers as an attribute.
fn ints(values: impl Into<Vec<i64>>) -> AttrValue {
    AttrValue::Ints(Cow::Owned(values.into()))
}

/// A name as an attribute.
fn name(name: &'static str) -> AttrValue {
    AttrValue::Name(Cow::Borrowed(name))
}
