//! `depthwise_conv2d`: filters for each channel alone.

use super::activation::{ACT, bounds};
use super::blocked;
use super::conv2d::packed_convolution;
use super::depthwise_ring::{RING, Ring};
use super::hybrid::{self, ASYMMETRIC};
use super::kernel::by_type;
use super::lead::{Lead, before_last_block, beside};
use super::packed::{PORTABLE_DEPTHWISE_COST, packed_3x3, packed_depthwise};
use super::slide::{DILATION, PADDING, STRIDE, Slide};
use super::weights::{self, BIAS_ARG, Channels, WEIGHTS};
use super::{ArgSpec, Call, Lower, Lowered, Operator, Results, Role, Signature};
use crate::diagnostic::{Diagnostic, Kind};
use crate::dtype::DType;
use crate::emit::{Struct, Value};
use crate::model::TensorType;
use crate::variants::Variant;

/// The kernels by type.
const KERNELS: [&str; 4] =
    ["depthwise_conv2d_f32", "depthwise_conv2d_i8", "depthwise_conv2d_u8", "depthwise_conv2d_i16"];

/// See [`SIGNATURE`].
pub(super) struct DepthwiseConv2d;

static SIGNATURE: Signature = Signature {
    name: "depthwise_conv2d",
    doc: "Slides filters over each channel of an image alone.",
    args: &[
        ArgSpec { name: "x", role: Role::Any, doc: "f32, i8, u8 or i16 `[batch, height, width, channel]`" },
        ArgSpec {
            name: "filter",
            role: Role::Param,
            doc: "`[1, height, width, output]`, the same number of outputs for each channel, side by side",
        },
        BIAS_ARG,
    ],
    attrs: &[STRIDE, DILATION, PADDING, ACT, ASYMMETRIC],
    results: Results::One,
};

impl Operator for DepthwiseConv2d {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        call.want_rank(0, &[4])?;
        call.want_rank(WEIGHTS, &[4])?;
        let (x, filter) = (&call.arg(0).shape, &call.arg(WEIGHTS).shape);
        if filter[0] != 1 || !filter[3].is_multiple_of(x[3]) {
            let dtype = call.arg(WEIGHTS).dtype;
            return Err(call
                .arg_error(Kind::Shape, WEIGHTS, "`filter` has the wrong shape")
                .got(call.arg(WEIGHTS).to_string())
                .wanted(format!("{dtype}[1, height, width, a multiple of {} channels]", x[3])));
        }
        let slide = slide(call)?;
        let shape = call.shape([x[0], slide.y.output, slide.x.output, filter[3]])?;
        weights::infer(call, channels(call), shape)
    }

    fn macs(&self, call: &Call<'_>) -> u64 {
        let filter = &call.arg(WEIGHTS).shape;
        (call.result(0).shape.elements() * filter[1] * filter[2]) as u64
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let (slide, channels) = (slide(lower)?, channels(lower));
        let (x, outputs) = (lower.arg(0).clone(), channels.count);
        let [batch, inputs] = [x.shape[0], x.shape[3]];
        let shape = ("shape", shape(slide, batch, [inputs, outputs]));
        let units = batch * slide.y.output;
        let multiplier = outputs / inputs;
        let in_pixel = if multiplier == 1 {
            Lead::channels(lower, inputs, before_last_block(inputs) == 0)
        } else {
            let cell = [1, multiplier];
            Lead::cell(lower, 0, cell, before_last_block(multiplier)).parts(inputs, cell)
        };
        let lead = slide.lead(in_pixel, batch, [inputs, outputs]);
        let ring = (multiplier == 1 && !hybrid::is(lower)).then(|| Ring::new(lower, slide, batch, inputs));
        let others = others(lower, lead, ring.as_ref());
        if multiplier == 1
            && let Some(depthwise) = blocked::depthwise(lower, slide, channels, &others)?
        {
            return Ok(depthwise);
        }
        let is_open = |lower: &Lower<'_>| multiplier == 1 && lower.variants.all.is_empty();
        if is_open(lower)
            && let saturates = saturates(lower)
            && suits_3x3(slide, inputs, saturates)
            && let lead = slide.lead(Lead::new(lower, 0), batch, [inputs, outputs]).by_channels(inputs)
            && let Some(layer) = packed_3x3(lower, channels, beside(lower, 0, lead.both()), &others, saturates)?
        {
            let params = Struct { name: "DepthwisePackedI8", fields: vec![shape, ("layer", layer)] };
            return Ok(Lowered::one("depthwise_conv2d_3x3_i8", params, vec![0], units).lead(lower, 0, lead));
        }
        if is_open(lower)
            && let lead = slide.lead(Lead::channels(lower, inputs, false), batch, [inputs, outputs])
            && let Some(packed) = packed_depthwise(lower, channels, beside(lower, 0, lead.both()), &others)?
        {
            let params = Struct { name: "DepthwisePackedI8", fields: vec![shape, ("layer", packed.layer.clone())] };
            return Ok(packed.call("depthwise_conv2d_packed_i8", params, units).lead(lower, 0, lead));
        }
        if inputs == 1
            && lower.variants.all.is_empty()
            && let Some(convolution) = packed_convolution(lower, slide, channels)?
        {
            return Ok(convolution);
        }
        if lower.variants.all.is_empty() && others.len() > 1 {
            lower.choose(others);
        }
        let layer = weights::lower(lower, channels)?;
        if hybrid::is(lower) {
            let kernel = ("depthwise_conv2d_hybrid_f32", "DepthwiseHybrid");
            return Ok(hybrid::calls(lower, batch, kernel, [shape.1, layer], units));
        }
        let kernel = by_type(x.dtype, KERNELS);
        let name = by_type(x.dtype, ["DepthwiseF32", "DepthwiseI8", "DepthwiseU8", "DepthwiseI16"]);
        let params = Struct { name, fields: vec![shape, ("layer", layer)] };
        if let Some(ring) = ring
            && lower.variants.chosen().is_some_and(|variant| variant.name == RING)
        {
            return Ok(ring.call(lower, params));
        }
        Ok(Lowered::one(kernel, params, vec![0], units).lead(lower, 0, lead))
    }
}

/// The kernels in Rust: the portable one, which runs under `lead`, and the ring where that needs less memory.
fn others(lower: &Lower<'_>, lead: Lead, ring: Option<&Ring>) -> Vec<Variant> {
    let portable = lower.variant("portable", 0, PORTABLE_DEPTHWISE_COST, 0);
    let portable = Variant { beside: beside(lower, 0, lead.both()), ..portable };
    let ring = ring.map(|ring| ring.variant.clone()).filter(|ring| ring.bytes() < portable.bytes());
    [portable].into_iter().chain(ring).collect()
}

/// The structure `Depthwise` of the kernels.
pub(super) fn shape(slide: Slide, batch: usize, [inputs, outputs]: [usize; 2]) -> Value {
    let fields = vec![
        ("slide", slide.value(batch, [inputs, outputs])),
        ("channels", Value::size(inputs)),
        ("multiplier", Value::size(outputs / inputs)),
    ];
    Value::Struct(Struct { name: "Depthwise", fields })
}

/// Three by three taps as `depthwise_conv2d_3x3_i8` takes them, with at most one column outside the image at either
/// end, where it takes fewer instructions than other kernels: where four channels cannot be taken at once, or there are
/// enough pixels for what a channel costs. That is less where results saturate at the zero point; otherwise columns
/// have to serve three pixels each.
fn suits_3x3(Slide { x, y }: Slide, channels: usize, saturates: bool) -> bool {
    let reach = (x.output - 1) * x.stride + x.taps;
    let fits = [x.taps, y.taps, x.dilation] == [3, 3, 1] && x.stride <= 2 && x.before <= 1;
    let [least, stride] = if saturates { [4, 2] } else { [25, 1] };
    let pays = !channels.is_multiple_of(4) || x.stride <= stride && x.output * y.output >= least;
    fits && reach <= x.input + x.before + 1 && pays
}

/// Whether results saturate at the zero point, as those of `relu` do.
fn saturates(lower: &Lower<'_>) -> bool {
    lower.result(0).quant.as_ref().is_some_and(|quant| {
        quant.zero_point() == i8::MIN.into() && bounds(lower, quant, DType::I8) == [i8::MIN.into(), i8::MAX.into()]
    })
}

pub(super) fn slide(call: &Call<'_>) -> Result<Slide, Diagnostic> {
    let filter = &call.arg(WEIGHTS).shape;
    Slide::new(call, [filter[1], filter[2]], call.pair("stride"), call.pair("dilation"))
}

pub(super) fn channels(call: &Call<'_>) -> Channels {
    Channels { axis: 3, count: call.arg(WEIGHTS).shape[3], dense: false }
}
