//! `conv2d`: two-dimensional convolution.

use super::activation::ACT;
use super::hybrid::{self, ASYMMETRIC};
use super::kernel::by_type;
use super::lead::{Lead, before_last_block};
use super::slide::{DILATION, PADDING, STRIDE, Slide, rows};
use super::strides::signed;
use super::weights::{self, BIAS_ARG, Channels, WEIGHTS};
use super::{ArgSpec, AttrSpec, AttrValue, Call, Form, Lower, Lowered, Operator, Results, Role, Signature};
use crate::diagnostic::{Diagnostic, Kind};
use crate::emit::{Struct, Value};
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct Conv2d;

static SIGNATURE: Signature = Signature {
    name: "conv2d",
    doc: "Slides filters over an image; each position gives one pixel of the result.",
    args: &[
        ArgSpec { name: "x", role: Role::Any, doc: "f32, i8, u8 or i16 `[batch, height, width, channel]`" },
        ArgSpec { name: "filter", role: Role::Param, doc: "`[output, height, width, channel / groups]`" },
        BIAS_ARG,
    ],
    attrs: &[
        STRIDE,
        DILATION,
        PADDING,
        AttrSpec {
            name: "groups",
            form: Form::Int(1, 1 << 16),
            default: Some(AttrValue::Int(1)),
            doc: "parts of the channels, input and output, that do not mix",
        },
        ACT,
        ASYMMETRIC,
    ],
    results: Results::One,
};

impl Operator for Conv2d {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        call.want_rank(0, &[4])?;
        call.want_rank(WEIGHTS, &[4])?;
        let (x, filter) = (&call.arg(0).shape, &call.arg(WEIGHTS).shape);
        let groups = call.size("groups");
        if !x[3].is_multiple_of(groups) || !filter[0].is_multiple_of(groups) {
            return Err(call
                .attr_error(Kind::Attribute, "groups", "`groups` does not divide the channels")
                .got(format!("{groups} groups of {} channels of `x` and {} of the result", x[3], filter[0])));
        }
        call.want_shape(WEIGHTS, &[filter[0], filter[1], filter[2], x[3] / groups])
            .map_err(|d| d.help("a filter lies `[output, height, width, channel / groups]`"))?;
        let slide = slide(call)?;
        let shape = call.shape([x[0], slide.y.output, slide.x.output, filter[0]])?;
        weights::infer(call, channels(call), shape)
    }

    fn macs(&self, call: &Call<'_>) -> u64 {
        let filter = &call.arg(WEIGHTS).shape;
        (call.result(0).shape.elements() * (filter.elements() / filter[0])) as u64
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let slide = slide(lower)?;
        let layer = weights::lower(lower, channels(lower))?;
        Ok(convolution(lower, slide, lower.size("groups"), layer))
    }
}

fn slide(call: &Call<'_>) -> Result<Slide, Diagnostic> {
    let filter = &call.arg(WEIGHTS).shape;
    Slide::new(call, [filter[1], filter[2]], call.pair("stride"), call.pair("dilation"))
}

fn channels(call: &Call<'_>) -> Channels {
    Channels { axis: 0, count: call.arg(WEIGHTS).shape[0], single_product: false }
}

/// The call of a convolution of argument 0; as a dense layer where each pixel stands alone.
pub(super) fn convolution(lower: &Lower<'_>, slide: Slide, groups: usize, layer: Value) -> Lowered {
    let (x, y) = (lower.arg(0), &lower.result(0).shape);
    let [batch, inputs, outputs] = [x.shape[0], x.shape[3], y[3]];
    if groups == 1 && slide.y.is_identity() && slide.x.is_identity() {
        return pixels(lower, batch, x.shape.elements() / inputs, [inputs, outputs], layer);
    }
    let shape = vec![
        ("slide", slide.value(batch, [inputs, outputs])),
        ("groups", Value::size(groups)),
        ("inputs", Value::size(inputs / groups)),
        ("outputs", Value::size(outputs / groups)),
    ];
    let shape = Value::Struct(Struct { name: "Conv", fields: shape });
    let units = batch * slide.y.output;
    if hybrid::is(lower) {
        return hybrid::calls(lower, batch, ("conv2d_hybrid_f32", "ConvHybrid"), [shape, layer], units);
    }
    let fields = vec![("shape", shape), ("layer", layer)];
    let kernel = by_type(x.dtype, ["conv2d_f32", "conv2d_i8", "conv2d_u8", "conv2d_i16"]);
    let name = by_type(x.dtype, ["ConvF32", "ConvI8", "ConvU8", "ConvI16"]);
    let lead = Lead::new(lower, 0).behind(before_last_block(outputs / groups));
    let lead = lead.along(groups, [inputs / groups, outputs / groups].map(signed));
    let lead = slide.lead(lead, batch, [inputs, outputs]);
    Lowered::one(kernel, Struct { name, fields }, vec![0], units).lead(0, lead)
}

/// The call that multiplies each of `count` rows of argument 0, in so many batches, with the weights.
pub(super) fn pixels(
    lower: &Lower<'_>,
    batches: usize,
    count: usize,
    [inputs, outputs]: [usize; 2],
    layer: Value,
) -> Lowered {
    let dtype = lower.arg(0).dtype;
    let shape = vec![
        ("inputs", Value::size(inputs)),
        ("outputs", Value::size(outputs)),
        ("from", rows(inputs, count)),
        ("to", rows(outputs, count)),
    ];
    let shape = Value::Struct(Struct { name: "Dense", fields: shape });
    if hybrid::is(lower) {
        return hybrid::calls(lower, batches, ("dense_hybrid_f32", "DenseHybrid"), [shape, layer], count);
    }
    let fields = vec![("shape", shape), ("layer", layer)];
    let kernel = by_type(dtype, ["dense_f32", "dense_i8", "dense_u8", "dense_i16"]);
    let name = by_type(dtype, ["DenseF32", "DenseI8", "DenseU8", "DenseI16"]);
    let lead = Lead::new(lower, 0).behind(before_last_block(outputs));
    let lead = lead.along(count, [inputs, outputs].map(signed));
    Lowered::one(kernel, Struct { name, fields }, vec![0], count).lead(0, lead)
}
