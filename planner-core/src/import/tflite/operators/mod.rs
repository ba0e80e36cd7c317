//! Builtin operators as ours, a file a family.

mod activation;
mod arithmetic;
mod convolution;
mod dense;
mod parts;
mod pool;
mod quantize;
mod recurrent;
mod reduce;
mod refused;
mod resize;
mod shape;
mod variable;
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
#[allow(clippy::too_many_lines, reason = "a row an operator")]
pub(super) fn convert<'a>(graph: &mut Graph<'a>, op: &Operator<'a>) -> Result<(), Diagnostics> {
    if fold::fold(graph, op)? {
        return Ok(());
    }
    match op.kind.unwrap_or_default() {
        "ABS" => arithmetic::unary(graph, op, "abs"),
        "ADD" => arithmetic::add(graph, op),
        "ARG_MAX" => reduce::arg_max(graph, op),
        "ARG_MIN" => reduce::arg_min(graph, op),
        "ASSIGN_VARIABLE" => variable::assign(graph, op),
        "AVERAGE_POOL_2D" => pool::pool(graph, op, "avg_pool2d"),
        "BATCH_MATMUL" => dense::batch_matmul(graph, op),
        "BATCH_TO_SPACE_ND" => shape::batch_to_space(graph, op),
        "BROADCAST_TO" => parts::broadcast_to(graph, op),
        "CALL_ONCE" => variable::call_once(graph, op),
        "CAST" => quantize::cast(graph, op),
        "CEIL" => arithmetic::unary(graph, op, "ceil"),
        "CONCATENATION" => parts::concatenation(graph, op),
        "CONV_2D" => convolution::conv2d(graph, op),
        "COS" => arithmetic::unary(graph, op, "cos"),
        "CUMSUM" => reduce::cumsum(graph, op),
        "DEPTHWISE_CONV_2D" => convolution::depthwise_conv2d(graph, op),
        "DEPTH_TO_SPACE" => shape::depth_to_space(graph, op),
        "DEQUANTIZE" => quantize::dequantize(graph, op),
        "DIV" => arithmetic::div(graph, op),
        "ELU" => arithmetic::unary(graph, op, "elu"),
        "EMBEDDING_LOOKUP" => parts::embedding_lookup(graph, op),
        "EQUAL" => arithmetic::binary(graph, op, "equal"),
        "EXP" => arithmetic::unary(graph, op, "exp"),
        "EXPAND_DIMS" => shape::expand_dims(graph, op),
        "FILL" => parts::fill(graph, op),
        "FLOOR" => arithmetic::unary(graph, op, "floor"),
        "FLOOR_DIV" => arithmetic::binary(graph, op, "floor_div"),
        "FLOOR_MOD" => arithmetic::binary(graph, op, "floor_mod"),
        "FULLY_CONNECTED" => dense::fully_connected(graph, op),
        "GATHER" => parts::gather(graph, op),
        "GATHER_ND" => arithmetic::binary(graph, op, "gather_nd"),
        "GELU" => activation::gelu(graph, op),
        "GREATER" => arithmetic::binary(graph, op, "greater"),
        "GREATER_EQUAL" => arithmetic::binary(graph, op, "greater_equal"),
        "HARD_SWISH" => arithmetic::unary(graph, op, "hard_swish"),
        "L2_NORMALIZATION" => activation::l2_normalization(graph, op),
        "L2_POOL_2D" => pool::pool(graph, op, "l2_pool2d"),
        "LEAKY_RELU" => activation::leaky_relu(graph, op),
        "LESS" => arithmetic::binary(graph, op, "less"),
        "LESS_EQUAL" => arithmetic::binary(graph, op, "less_equal"),
        "LOG" => arithmetic::unary(graph, op, "log"),
        "LOGICAL_AND" => arithmetic::binary(graph, op, "logical_and"),
        "LOGICAL_NOT" => arithmetic::unary(graph, op, "logical_not"),
        "LOGICAL_OR" => arithmetic::binary(graph, op, "logical_or"),
        "LOGISTIC" => arithmetic::unary(graph, op, "sigmoid"),
        "LOG_SOFTMAX" => arithmetic::unary(graph, op, "log_softmax"),
        "MAXIMUM" => arithmetic::binary(graph, op, "maximum"),
        "MAX_POOL_2D" => pool::pool(graph, op, "max_pool2d"),
        "MEAN" => reduce::reduce(graph, op, "mean"),
        "MINIMUM" => arithmetic::binary(graph, op, "minimum"),
        "MIRROR_PAD" => parts::mirror_pad(graph, op),
        "MUL" => arithmetic::mul(graph, op),
        "NEG" => arithmetic::unary(graph, op, "neg"),
        "NOT_EQUAL" => arithmetic::binary(graph, op, "not_equal"),
        "PACK" => parts::pack(graph, op),
        "PAD" => parts::pad(graph, op),
        "PADV2" => parts::pad_v2(graph, op),
        "POW" => arithmetic::binary(graph, op, "pow"),
        "PRELU" => arithmetic::prelu(graph, op),
        "QUANTIZE" => quantize::quantize(graph, op),
        "READ_VARIABLE" => variable::read(graph, op),
        "REDUCE_MAX" => reduce::reduce(graph, op, "max"),
        "REDUCE_MIN" => reduce::reduce(graph, op, "min"),
        "REDUCE_PROD" => reduce::reduce(graph, op, "prod"),
        "RELU" => arithmetic::unary(graph, op, "relu"),
        "RELU6" => arithmetic::unary(graph, op, "relu6"),
        "RELU_N1_TO_1" => arithmetic::unary(graph, op, "relu_n1_to_1"),
        "RESHAPE" => shape::reshape(graph, op),
        "RESIZE_BILINEAR" => resize::bilinear(graph, op),
        "RESIZE_NEAREST_NEIGHBOR" => resize::nearest(graph, op),
        "REVERSE_V2" => parts::reverse(graph, op),
        "ROUND" => arithmetic::unary(graph, op, "round"),
        "RSQRT" => arithmetic::unary(graph, op, "rsqrt"),
        "SELECT" | "SELECT_V2" => arithmetic::select(graph, op),
        "SIN" => arithmetic::unary(graph, op, "sin"),
        "SLICE" => parts::slice(graph, op),
        "SOFTMAX" => activation::softmax(graph, op),
        "SPACE_TO_BATCH_ND" => shape::space_to_batch(graph, op),
        "SPACE_TO_DEPTH" => shape::space_to_depth(graph, op),
        "SPLIT" => parts::split(graph, op),
        "SPLIT_V" => parts::split_v(graph, op),
        "SQRT" => arithmetic::unary(graph, op, "sqrt"),
        "SQUARE" => arithmetic::unary(graph, op, "square"),
        "SQUARED_DIFFERENCE" => arithmetic::binary(graph, op, "squared_difference"),
        "SQUEEZE" => shape::squeeze(graph, op),
        "STRIDED_SLICE" => parts::strided_slice(graph, op),
        "SUB" => arithmetic::sub(graph, op),
        "SUM" => reduce::reduce(graph, op, "sum"),
        "SVDF" => recurrent::svdf(graph, op),
        "TANH" => arithmetic::unary(graph, op, "tanh"),
        "TILE" => parts::tile(graph, op),
        "TRANSPOSE" => shape::transpose(graph, op),
        "TRANSPOSE_CONV" => convolution::transpose_conv(graph, op),
        "UNIDIRECTIONAL_SEQUENCE_LSTM" => recurrent::lstm(graph, op),
        "UNPACK" => parts::unpack(graph, op),
        "VAR_HANDLE" => variable::handle(graph, op),
        "ZEROS_LIKE" => parts::zeros_like(graph, op),
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
