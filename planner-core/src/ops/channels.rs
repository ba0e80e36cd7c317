//! How the channels of an operator's tensors, their last dimensions, hang together.

use super::slide::Slide;
use super::weights::{BIAS, Channels, WEIGHTS};
use super::{Call, conv1d, conv2d, dense, depthwise_conv2d};
use crate::diagnostic::Diagnostic;
use crate::model::{Data, TensorType};

/// How channels of arguments become channels of results.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Flow {
    /// Those of argument 0 meet in weights: each of the result depends on all.
    Layer(Layer),
    /// Each of argument 0 has as many of the result, side by side, by weights of its own.
    Depthwise(Layer),
    /// All have their places in every tensor; an argument with a single one serves them all.
    Along,
    /// The elements stay in order under dimensions of which the last is a multiple of the argument's, or divides it.
    Reshaped,
    /// Those of the arguments follow one another.
    Joined,
}

/// An operator with weights whose numbers are known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layer {
    pub(super) channels: Channels,
    /// Some of its windows reach into padding, which counts as the argument's zero point.
    pub(crate) padded: bool,
}

/// The channels of a tensor of `ty`: of integers that stand for reals.
pub(crate) fn count(ty: &TensorType) -> Option<usize> {
    if ty.dtype.is_quantized() { ty.shape.last().copied() } else { None }
}

/// How channels run through `call`; `None` if any result may depend on all of an argument's, or where numbers that
/// this hangs on are not known.
pub(crate) fn flow(call: &Call<'_>) -> Option<Flow> {
    let (x, y) = (count(call.opt_arg(0)?)?, count(call.result(0))?);
    match call.node.op.signature().name {
        "conv1d" => layer(call, Some(conv1d::slide(call)), conv1d::channels(call)).map(Flow::Layer),
        "conv2d" if call.size("groups") == 1 => {
            layer(call, Some(conv2d::slide(call)), conv2d::channels(call)).map(Flow::Layer)
        }
        "dense" => layer(call, None, dense::channels(call)).map(Flow::Layer),
        "depthwise_conv2d" => {
            let slide = Some(depthwise_conv2d::slide(call));
            layer(call, slide, depthwise_conv2d::channels(call)).map(Flow::Depthwise)
        }
        "expand_dims" | "flatten" | "reshape" | "squeeze" => {
            (x.is_multiple_of(y) || y.is_multiple_of(x)).then_some(Flow::Reshaped)
        }
        "concat" if is_last(call, "axis") => Some(Flow::Joined),
        name if ALONG.contains(&name) => is_along(call, name, y).then_some(Flow::Along),
        _ => None,
    }
}

/// The operators through which channels pass alone, some only under conditions.
const ALONG: [&str; 33] = [
    "abs",
    "add",
    "avg_pool2d",
    "concat",
    "cos",
    "elu",
    "exp",
    "global_avg_pool",
    "hard_swish",
    "leaky_relu",
    "log",
    "max",
    "max_pool2d",
    "maximum",
    "mean",
    "min",
    "minimum",
    "mul",
    "neg",
    "pad",
    "relu",
    "relu6",
    "relu_n1_to_1",
    "requantize",
    "resize_nearest",
    "rsqrt",
    "sigmoid",
    "sin",
    "split",
    "sqrt",
    "square",
    "sub",
    "sum",
];

/// All tensors of `call` have `channels`, or a single one that serves them all, and no attribute tells them apart.
fn is_along(call: &Call<'_>, name: &str, channels: usize) -> bool {
    let apart = match name {
        "split" => is_last(call, "axis"),
        "max" | "mean" | "min" | "sum" => {
            let rank = call.arg(0).shape.rank();
            call.axes("axes", rank).is_ok_and(|axes| axes.contains(&(rank - 1)))
        }
        "pad" => !call.ints("paddings").ends_with(&[0, 0]),
        _ => false,
    };
    let all = (0..call.results()).map(|index| call.result(index)).all(|ty| count(ty) == Some(channels));
    all && !apart && call.args().all(|ty| count(ty).is_some_and(|own| own == channels || own == 1))
}

/// The attribute `name`, an axis, is the last one.
fn is_last(call: &Call<'_>, name: &str) -> bool {
    let rank = call.arg(0).shape.rank();
    call.axis(name, rank).is_ok_and(|axis| axis + 1 == rank)
}

/// The layer of `call`, if its weights and bias are known.
fn layer(call: &Call<'_>, slide: Option<Result<Slide, Diagnostic>>, channels: Channels) -> Option<Layer> {
    let known = |index: usize| match (call.tensor(index), call.param(index)) {
        (None, _) => true,
        (_, Some(param)) => matches!(param.data, Data::Bytes(_)) && !param.placeholder,
        _ => false,
    };
    let padded = match slide.transpose().ok()? {
        Some(slide) => !(slide.y.stays_inside() && slide.x.stays_inside()),
        None => false,
    };
    (known(WEIGHTS) && known(BIAS)).then_some(Layer { channels, padded })
}
