//! What `max_pool2d` and `avg_pool2d` have in common.

use super::activation::{ACT, bounds, bounds_f32};
use super::kernel::by_type;
use super::lead::Lead;
use super::slide::{PADDING, Slide};
use super::{ArgSpec, AttrSpec, AttrValue, Call, Form, Lower, Lowered, Role};
use crate::diagnostic::{Diagnostic, Kind};
use crate::dtype::DType;
use crate::emit::{Struct, Value};
use crate::model::TensorType;
use std::borrow::Cow;

/// The arguments of a pool.
pub(super) const ARGS: &[ArgSpec] =
    &[ArgSpec { name: "x", role: Role::Any, doc: "f32, i8, u8 or i16 `[batch, height, width, channel]`" }];

/// Channels that the kernels compute together; those that are left over, one by one.
const BLOCK: usize = 4;

/// The attributes of a pool.
pub(super) const ATTRS: &[AttrSpec] = &[
    AttrSpec { name: "filter", form: Form::Pair(1, 1 << 16), default: None, doc: "rows and columns of the window" },
    AttrSpec {
        name: "stride",
        form: Form::Pair(1, 1 << 16),
        default: Some(AttrValue::Ints(Cow::Borrowed(&[]))),
        doc: "pixels from one position of the window to the next; by default the size of the window",
    },
    PADDING,
    ACT,
];

/// The type of a pool's result: its argument's quantisation.
///
/// # Errors
/// What does not fit, or a window that can miss the image.
pub(super) fn infer(call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
    let dtype = call.want_dtype(0, &DType::REAL)?;
    call.want_rank(0, &[4])?;
    let slide = slide(call)?;
    if !(slide.y.all_inside() && slide.x.all_inside()) {
        return Err(call
            .attr_error(Kind::Attribute, "padding", "the window lies wholly in the padding at some position")
            .help("use less padding or a larger window"));
    }
    let quant = if dtype == DType::F32 { None } else { Some(call.fixed_quant(0, call.quant(0)?)?) };
    let x = &call.arg(0).shape;
    let shape = call.shape([x[0], slide.y.output, slide.x.output, x[3]])?;
    Ok(vec![TensorType { dtype, shape, quant }])
}

/// The call of one of `kernels`, for f32, i8, u8 and i16.
///
/// # Errors
/// None after inference.
pub(super) fn lower(lower: &Lower<'_>, kernels: [&'static str; 4]) -> Result<Lowered, Diagnostic> {
    let slide = slide(lower)?;
    let x = lower.arg(0);
    let [batch, channels] = [x.shape[0], x.shape[3]];
    let shape = vec![("slide", slide.value(batch, [channels, channels])), ("channels", Value::size(channels))];
    let shape = ("shape", Value::Struct(Struct { name: "Pool", fields: shape }));
    let units = batch * slide.y.output;
    let kernel = by_type(x.dtype, kernels);
    let lead = slide.lead(Lead::channels(lower, channels, matches!(channels, 1 | BLOCK)), batch, [channels, channels]);
    let Some(quant) = &lower.result(0).quant else {
        let [min, max] = bounds_f32(lower);
        let clamp = Struct { name: "Clamp", fields: vec![("min", Value::F32(min)), ("max", Value::F32(max))] };
        let params = Struct { name: "PoolF32", fields: vec![shape, ("result", Value::Struct(clamp))] };
        return Ok(Lowered::one(kernel, params, vec![0], units).lead(lower, 0, lead));
    };
    let [min, max] = bounds(lower, quant, x.dtype).map(|bound| Value::Int(bound.into()));
    let params = Struct { name: "PoolInt", fields: vec![shape, ("min", min), ("max", max)] };
    Ok(Lowered::one(kernel, params, vec![0], units).lead(lower, 0, lead))
}

/// Multiply-accumulates are additions or comparisons here.
pub(super) fn macs(call: &Call<'_>) -> u64 {
    let [rows, columns] = call.pair("filter");
    (call.result(0).shape.elements() * rows * columns) as u64
}

fn slide(call: &Call<'_>) -> Result<Slide, Diagnostic> {
    let filter = call.pair("filter");
    let stride = if call.ints("stride").is_empty() { filter } else { call.pair("stride") };
    Slide::new(call, filter, stride, [1, 1])
}
