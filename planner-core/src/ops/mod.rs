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
mod select;
mod sigmoid;
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

use crate::diagnostic::Diagnostic;
use crate::model::TensorType;
use std::borrow::Cow;
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

/// How an operator is written.
#[derive(Debug)]
pub struct Signature {
    /// Name in the language.
    pub name: &'static str,
    /// One line of documentation.
    pub doc: &'static str,
    /// Tensors, by position.
    pub args: &'static [ArgSpec],
    /// Attributes, by name.
    pub attrs: &'static [AttrSpec],
    /// How many tensors it defines.
    pub results: Results,
}

impl Signature {
    /// The index of the attribute called `name`.
    #[must_use]
    pub fn attr(&self, name: &str) -> Option<usize> {
        self.attrs.iter().position(|attr| attr.name == name)
    }

    /// How many tensors an application with these attributes defines.
    ///
    /// # Panics
    /// If `attrs` are not those of this operator.
    #[must_use]
    pub fn result_count(&self, attrs: &[AttrValue]) -> usize {
        match self.results {
            Results::One => 1,
            Results::States(count) => 1 + count,
            Results::Attr(name) => match &attrs[self.attr(name).expect("an operator counts by its own attribute")] {
                AttrValue::Int(count) => usize::try_from(*count).unwrap_or(0),
                AttrValue::Ints(sizes) => sizes.len(),
                other => unreachable!("{name} = {other}"),
            },
        }
    }
}

/// A tensor that an operator takes.
#[derive(Debug)]
pub struct ArgSpec {
    /// Name in messages and documentation.
    pub name: &'static str,
    /// What may stand there.
    pub role: Role,
    /// One line of documentation: shape and meaning.
    pub doc: &'static str,
}

/// What may stand in an argument's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Any tensor.
    Any,
    /// A parameter, whose values shape the generated code.
    Param,
    /// A parameter, or nothing.
    OptionalParam,
    /// One or more tensors; only in last place.
    Variadic,
}

/// How many tensors an operator defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Results {
    /// One.
    One,
    /// One, and the new values of so many states that it takes as arguments, each of the type of its state.
    States(usize),
    /// As many as the attribute of this name says: an integer, or the length of a list.
    Attr(&'static str),
}

/// An attribute of an operator.
#[derive(Debug)]
pub struct AttrSpec {
    /// Name.
    pub name: &'static str,
    /// What may be written.
    pub form: Form,
    /// The value when it is left out; `None` if it must be written.
    pub default: Option<AttrValue>,
    /// One line of documentation.
    pub doc: &'static str,
}

/// What may be written for an attribute.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// An integer in a range, both ends included.
    Int(i64, i64),
    /// `[y, x]` or one integer for both, each in the range.
    Pair(i64, i64),
    /// A list of integers, each in the range.
    Ints(i64, i64),
    /// A finite number.
    Float,
    /// `true` or `false`.
    Bool,
    /// One of these names.
    Choice(&'static [&'static str]),
    /// `same`, `valid` or `[top, bottom, left, right]`.
    Padding,
    /// A dimension's index, negative from the end.
    Axis,
    /// A list of such indices, or one.
    Axes,
    /// A number of equal parts, or a list of their sizes.
    Parts,
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum AttrValue {
    /// An integer.
    Int(i64),
    /// A list of integers.
    Ints(Cow<'static, [i64]>),
    /// A number.
    Float(f32),
    /// A truth value.
    Bool(bool),
    /// A name.
    Name(Cow<'static, str>),
}

impl fmt::Display for AttrValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(v) => write!(f, "{v}"),
            Self::Ints(v) => write!(f, "{v:?}"),
            Self::Float(v) => write!(f, "{v:?}"),
            Self::Bool(v) => write!(f, "{v}"),
            Self::Name(v) => f.write_str(v),
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(lo, hi) => write!(f, "an integer in {}", range(*lo, *hi)),
            Self::Pair(lo, hi) => write!(f, "`n` or `[y, x]`, each in {}", range(*lo, *hi)),
            Self::Ints(lo, hi) => write!(f, "a list of integers, each in {}", range(*lo, *hi)),
            Self::Float => f.write_str("a finite number"),
            Self::Bool => f.write_str("`true` or `false`"),
            Self::Choice(names) => {
                let names: Vec<String> = names.iter().map(|n| format!("`{n}`")).collect();
                write!(f, "one of {}", names.join(", "))
            }
            Self::Padding => f.write_str("`same`, `valid` or `[top, bottom, left, right]`"),
            Self::Axis => f.write_str("an axis, negative from the end"),
            Self::Axes => f.write_str("an axis or a list of axes, negative from the end"),
            Self::Parts => f.write_str("a number of equal parts or a list of sizes"),
        }
    }
}

fn range(lo: i64, hi: i64) -> String {
    if hi == i64::MAX { format!("{lo}..") } else { format!("{lo}..={hi}") }
}
