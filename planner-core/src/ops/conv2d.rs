//! `conv2d`: two-dimensional convolution.

use super::activation::ACT;
use super::blocked;
use super::hybrid::{self, ASYMMETRIC};
use super::kernel::by_type;
use super::lead::{Lead, before_last_block};
use super::packed::packed;
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
        convolution(lower, slide, lower.size("groups"), channels(lower))
    }
}

pub(super) fn slide(call: &Call<'_>) -> Result<Slide, Diagnostic> {
    let filter = &call.arg(WEIGHTS).shape;
    Slide::new(call, [filter[1], filter[2]], call.pair("stride"), call.pair("dilation"))
}

pub(super) fn channels(call: &Call<'_>) -> Channels {
    Channels { axis: 0, count: call.arg(WEIGHTS).shape[0], dense: false }
}

/// The call of a convolution of argument 0; as a dense layer where each pixel stands alone.
///
/// # Errors
/// As for [`weights::lower`].
pub(super) fn convolution(
    lower: &mut Lower<'_>,
    slide: Slide,
    groups: usize,
    channels: Channels,
) -> Result<Lowered, Diagnostic> {
    let (x, outputs) = (lower.arg(0).clone(), channels.count);
    let [batch, inputs] = [x.shape[0], x.shape[3]];
    if groups == 1 && slide.y.is_identity() && slide.x.is_identity() {
        return pixels(lower, batch, x.shape.elements() / inputs, [inputs, outputs], channels);
    }
    if groups == 1
        && let Some(convolution) = packed_convolution(lower, slide, channels)?
    {
        return Ok(convolution);
    }
    let layer = weights::lower(lower, channels)?;
    let (shape, units) = (conv(slide, batch, groups, [inputs, outputs]), batch * slide.y.output);
    if hybrid::is(lower) {
        return Ok(hybrid::calls(lower, batch, ("conv2d_hybrid_f32", "ConvHybrid"), [shape, layer], units));
    }
    let kernel = by_type(x.dtype, ["conv2d_f32", "conv2d_i8", "conv2d_u8", "conv2d_i16"]);
    let name = by_type(x.dtype, ["ConvF32", "ConvI8", "ConvU8", "ConvI16"]);
    let group = [inputs, outputs].map(|channels| channels / groups);
    let lead = Lead::cell(lower, 0, group, before_last_block(group[1])).parts(groups, group);
    let lead = slide.lead(lead, batch, [inputs, outputs]);
    let params = Struct { name, fields: vec![("shape", shape), ("layer", layer)] };
    Ok(Lowered::one(kernel, params, vec![0], units).lead(lower, 0, lead))
}

/// The call of a convolution of argument 0 in one group with weights for a machine; `None` where the kernel has to be a
/// portable one.
///
/// # Errors
/// As for [`weights::lower`].
pub(super) fn packed_convolution(
    lower: &mut Lower<'_>,
    slide: Slide,
    channels: Channels,
) -> Result<Option<Lowered>, Diagnostic> {
    if let Some(convolution) = blocked::convolution(lower, slide, channels)? {
        return Ok(Some(convolution));
    }
    let [batch, inputs] = [0, 3].map(|axis| lower.arg(0).shape[axis]);
    // Neighbouring taps are neighbours in the image too.
    let run = if slide.x.dilation == 1 { slide.x.taps * inputs } else { inputs };
    let Some(packed) = packed(lower, channels, run, slide.x.output.min(2), false)? else { return Ok(None) };
    let shape = conv(slide, batch, 1, [inputs, channels.count]);
    let params = Struct { name: "ConvPackedI8", fields: vec![("shape", shape), ("layer", packed.layer.clone())] };
    let lead = slide.lead(Lead::cell(lower, 0, [inputs, channels.count], 0), batch, [inputs, channels.count]);
    let call = packed.call("conv2d_packed_i8", params, batch * slide.y.output);
    Ok(Some(call.lead(lower, 0, lead)))
}

/// The structure `Conv` of the kernels.
pub(super) fn conv(slide: Slide, batch: usize, groups: usize, [inputs, outputs]: [usize; 2]) -> Value {
    let fields = vec![
        ("slide", slide.value(batch, [inputs, outputs])),
        ("groups", Value::size(groups)),
        ("inputs", Value::size(inputs / groups)),
        ("outputs", Value::size(outputs / groups)),
    ];
    Value::Struct(Struct { name: "Conv", fields })
}

/// The call that multiplies each of `count` rows of argument 0, in so many batches, with the weights.
///
/// # Errors
/// As for [`weights::lower`].
pub(super) fn pixels(
    lower: &mut Lower<'_>,
    batches: usize,
    count: usize,
    [inputs, outputs]: [usize; 2],
    channels: Channels,
) -> Result<Lowered, Diagnostic> {
    let dtype = lower.arg(0).dtype;
    let shape = vec![
        ("inputs", Value::size(inputs)),
        ("outputs", Value::size(outputs)),
        ("from", rows(inputs, count)),
        ("to", rows(outputs, count)),
    ];
    let shape = ("shape", Value::Struct(Struct { name: "Dense", fields: shape }));
    if let Some(rows) = blocked::rows(lower, &shape.1, count, [inputs, outputs], channels)? {
        return Ok(rows);
    }
    let rows = [inputs, outputs].map(signed);
    // Scratch for the one row would often be more than the layer's own bytes.
    let direct = count == 1 && inputs.is_multiple_of(4);
    if let Some(packed) = packed(lower, channels, inputs, count.min(2), direct)? {
        let params = Struct { name: "DensePackedI8", fields: vec![shape, ("layer", packed.layer.clone())] };
        if packed.direct {
            let lead = Lead::cell(lower, 0, [inputs, outputs], outputs.saturating_sub(1));
            return Ok(Lowered::one("dense_direct_i8", params, vec![0], count).lead(lower, 0, lead));
        }
        let lead = Lead::cell(lower, 0, [inputs, outputs], 0).along(count, rows);
        return Ok(packed.call("dense_packed_i8", params, count).lead(lower, 0, lead));
    }
    let layer = weights::lower(lower, channels)?;
    if hybrid::is(lower) {
        return Ok(hybrid::calls(lower, batches, ("dense_hybrid_f32", "DenseHybrid"), [shape.1, layer], count));
    }
    let kernel = by_type(dtype, ["dense_f32", "dense_i8", "dense_u8", "dense_i16"]);
    let name = by_type(dtype, ["DenseF32", "DenseI8", "DenseU8", "DenseI16"]);
    let lead = Lead::cell(lower, 0, [inputs, outputs], before_last_block(outputs)).along(count, rows);
    let params = Struct { name, fields: vec![shape, ("layer", layer)] };
    Ok(Lowered::one(kernel, params, vec![0], count).lead(lower, 0, lead))
}
