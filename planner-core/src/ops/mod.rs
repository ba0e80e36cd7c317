//! The operators: one file each, one row each in [`TABLE`].
//!
//! An operator says what it takes (its [`Signature`]), what comes out
//! ([`Operator::infer`]), which kernels compute it ([`Operator::lower`]) and
//! which bytes its tensors may share. The table is the reference for the
//! language, the importers and the documentation.

mod activation;
mod add;
mod arg_max;
mod avg_pool2d;
pub(crate) mod batch_norm;
mod batch_to_space;
mod bind;
mod blocked;
mod blocks;
mod broadcast;
mod broadcast_to;
mod call;
mod cast;
pub(crate) mod channels;
mod concat;
mod conv1d;
mod conv2d;
mod copy;
mod cumsum;
mod curve;
mod dense;
mod depth_to_space;
mod depthwise_conv2d;
mod depthwise_ring;
mod dequantize;
mod div;
mod embedding;
mod evaluate;
mod expand_dims;
mod flatten;
mod folded;
mod functions;
mod gather;
mod gather_nd;
mod gelu;
mod global_avg_pool;
mod hybrid;
mod kernel;
mod l2_normalize;
mod l2_pool2d;
mod layer_norm;
mod lead;
mod leaky_relu;
mod log_softmax;
mod logical_not;
mod lower;
mod lstm;
mod lut;
mod matmul;
mod max;
mod max_pool2d;
mod maximum;
mod mean;
mod min;
mod minimum;
mod mirror_pad;
mod mul;
mod pack;
mod packed;
mod pad;
mod pairs;
mod pool;
mod prelu;
mod prod;
mod quantize;
pub(crate) mod ranges;
mod reduce;
mod reference;
mod reinterpret;
mod relu;
mod relu6;
mod relu_n1_to_1;
mod requantize;
mod rescale;
mod reshape;
mod resize_bilinear;
mod resize_nearest;
mod reverse;
mod samples;
mod scaled;
mod select;
mod sigmoid;
mod signature;
mod slice;
mod slide;
mod softmax;
mod space_to_batch;
mod space_to_depth;
mod split;
mod squared_difference;
mod squeeze;
pub(crate) mod strided_slice;
mod strides;
mod sub;
mod sum;
mod svdf;
mod tanh;
mod tile;
mod transpose;
mod transpose_conv2d;
mod unary;
mod unpack;
mod weighted;
mod weights;

pub use bind::{Argument, bind};
pub use call::Call;
pub(crate) use copy::copy_whole;
pub(crate) use evaluate::evaluate;
pub use lower::{Lower, Lowered};
pub use reference::reference;
pub use signature::{ArgSpec, AttrSpec, AttrValue, Form, Results, Role, Signature};

use crate::diagnostic::Diagnostic;
use crate::model::TensorType;
use std::fmt;

/// Every operator, by name in alphabetical order.
pub static TABLE: &[&dyn Operator] = &[
    &functions::ABS,
    &add::Add,
    &arg_max::ARG_MAX,
    &arg_max::ARG_MIN,
    &avg_pool2d::AvgPool2d,
    &batch_norm::BatchNorm,
    &batch_to_space::BatchToSpace,
    &broadcast_to::BroadcastTo,
    &cast::Cast,
    &functions::CEIL,
    &concat::Concat,
    &conv1d::Conv1d,
    &conv2d::Conv2d,
    &functions::COS,
    &cumsum::Cumsum,
    &dense::Dense,
    &depth_to_space::DepthToSpace,
    &depthwise_conv2d::DepthwiseConv2d,
    &dequantize::Dequantize,
    &div::Div,
    &functions::ELU,
    &embedding::Embedding,
    &pairs::EQUAL,
    &functions::EXP,
    &expand_dims::ExpandDims,
    &flatten::Flatten,
    &functions::FLOOR,
    &pairs::FLOOR_DIV,
    &pairs::FLOOR_MOD,
    &gather::Gather,
    &gather_nd::GatherNd,
    &gelu::Gelu,
    &global_avg_pool::GlobalAvgPool,
    &pairs::GREATER,
    &pairs::GREATER_EQUAL,
    &functions::HARD_SWISH,
    &l2_normalize::L2Normalize,
    &l2_pool2d::L2Pool2d,
    &layer_norm::LayerNorm,
    &leaky_relu::LeakyRelu,
    &pairs::LESS,
    &pairs::LESS_EQUAL,
    &functions::LOG,
    &log_softmax::LogSoftmax,
    &pairs::LOGICAL_AND,
    &logical_not::LogicalNot,
    &pairs::LOGICAL_OR,
    &lstm::Lstm,
    &matmul::Matmul,
    &max::Max,
    &max_pool2d::MaxPool2d,
    &maximum::Maximum,
    &mean::Mean,
    &min::Min,
    &minimum::Minimum,
    &mirror_pad::MirrorPad,
    &mul::Mul,
    &functions::NEG,
    &pairs::NOT_EQUAL,
    &pack::Pack,
    &pad::Pad,
    &pairs::POW,
    &prelu::Prelu,
    &prod::Prod,
    &quantize::Quantize,
    &reinterpret::Reinterpret,
    &relu::Relu,
    &relu6::Relu6,
    &relu_n1_to_1::ReluN1To1,
    &requantize::Requantize,
    &reshape::Reshape,
    &resize_bilinear::ResizeBilinear,
    &resize_nearest::ResizeNearest,
    &reverse::Reverse,
    &functions::ROUND,
    &functions::RSQRT,
    &select::Select,
    &sigmoid::Sigmoid,
    &functions::SIN,
    &slice::Slice,
    &softmax::Softmax,
    &space_to_batch::SpaceToBatch,
    &space_to_depth::SpaceToDepth,
    &split::Split,
    &functions::SQRT,
    &functions::SQUARE,
    &squared_difference::SquaredDifference,
    &squeeze::Squeeze,
    &strided_slice::StridedSlice,
    &sub::Sub,
    &sum::Sum,
    &svdf::Svdf,
    &tanh::Tanh,
    &tile::Tile,
    &transpose::Transpose,
    &transpose_conv2d::TransposeConv2d,
    &unpack::Unpack,
];

/// The operator called `name`.
#[must_use]
pub fn find(name: &str) -> Option<&'static dyn Operator> {
    TABLE.iter().copied().find(|op| op.signature().name == name)
}

/// What an operator is.
pub trait Operator: Sync {
    /// Its name, arguments, attributes and results.
    fn signature(&self) -> &'static Signature;

    /// The types of its results, declared quantisation taken into account.
    ///
    /// Shapes and element types that the user wrote are compared afterwards.
    ///
    /// # Errors
    /// The first thing that does not fit.
    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic>;

    /// Multiply-accumulates.
    fn macs(&self, _call: &Call<'_>) -> u64 {
        0
    }

    /// The kernel calls that compute it, and its rules of sharing.
    ///
    /// # Errors
    /// A parameter whose values are needed but not known here, or a multiplier out of range.
    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic>;
}

impl fmt::Debug for dyn Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.signature().name)
    }
}
