//! `transpose_conv2d`: transposed convolution, which makes images larger.

use super::activation::ACT;
use super::hybrid::{self, ASYMMETRIC};
use super::kernel::by_type;
use super::lead::Lead;
use super::slide::{PADDING, STRIDE, Slide, rows};
use super::strides::signed;
use super::weights::{self, BIAS_ARG, Channels, WEIGHTS};
use super::{ArgSpec, AttrSpec, AttrValue, Call, Form, Lower, Lowered, Operator, Results, Role, Signature};
use crate::diagnostic::{Diagnostic, Kind};
use crate::emit::{Struct, Value};
use crate::model::TensorType;
use std::borrow::Cow;

/// The kernels by type.
const KERNELS: [&str; 4] =
    ["transpose_conv2d_f32", "transpose_conv2d_i8", "transpose_conv2d_u8", "transpose_conv2d_i16"];

/// See [`SIGNATURE`].
pub(super) struct TransposeConv2d;

static SIGNATURE: Signature = Signature {
    name: "transpose_conv2d",
    doc: "The convolution that would make `x` of the result, turned around: \
          each pixel of `x` adds the filters times its channels to the result.",
    args: &[
        ArgSpec { name: "x", role: Role::Any, doc: "f32, i8, u8 or i16 `[batch, height, width, channel]`" },
        ArgSpec { name: "filter", role: Role::Param, doc: "`[output, height, width, channel]`" },
        BIAS_ARG,
    ],
    attrs: &[
        STRIDE,
        PADDING,
        AttrSpec {
            name: "size",
            form: Form::Pair(1, 1 << 20),
            default: Some(AttrValue::Ints(Cow::Borrowed(&[]))),
            doc: "height and width of the result; by default the least, but for `same` those of `x` times the stride",
        },
        ACT,
        ASYMMETRIC,
    ],
    results: Results::One,
};

impl Operator for TransposeConv2d {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        call.want_rank(0, &[4])?;
        call.want_rank(WEIGHTS, &[4])?;
        let (x, filter) = (&call.arg(0).shape, &call.arg(WEIGHTS).shape);
        call.want_shape(WEIGHTS, &[filter[0], filter[1], filter[2], x[3]])
            .map_err(|d| d.help("a filter lies `[output, height, width, channel]`"))?;
        let slide = slide(call)?;
        if [slide.y.output, slide.x.output] != x[1..3] {
            let [height, width] = [slide.y.input, slide.x.input];
            return Err(call
                .attr_error(Kind::Shape, "size", format!("no convolution makes `x` of {height} by {width} pixels"))
                .got(format!("{} by {} positions for {}", slide.y.output, slide.x.output, call.arg(0))));
        }
        let shape = call.shape([x[0], slide.y.input, slide.x.input, filter[0]])?;
        weights::infer(call, channels(call), shape)
    }

    fn macs(&self, call: &Call<'_>) -> u64 {
        let (x, filter) = (&call.arg(0).shape, &call.arg(WEIGHTS).shape);
        (x.elements() * (filter.elements() / filter[3])) as u64
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let slide = slide(lower)?;
        let layer = weights::lower_unfolded(lower, channels(lower))?;
        let (x, y) = (lower.arg(0).clone(), lower.result(0).shape.clone());
        let shape = vec![
            ("y", slide.y.value()),
            ("x", slide.x.value()),
            ("inputs", Value::size(x.shape[3])),
            ("outputs", Value::size(y[3])),
            ("from", rows(x.shape[2] * x.shape[3], x.shape[0] * x.shape[1])),
            ("to", rows(y[2] * y[3], y[0] * y[1])),
        ];
        let shape = Value::Struct(Struct { name: "TransposeConv", fields: shape });
        if hybrid::is(lower) {
            let kernel = ("transpose_conv2d_hybrid_f32", "TransposeConvHybrid");
            return Ok(hybrid::calls(lower, x.shape[0], kernel, [shape, layer], y[0] * y[1]));
        }
        let fields = vec![("shape", shape), ("layer", layer)];
        let kernel = by_type(x.dtype, KERNELS);
        let name = by_type(x.dtype, ["TransposeConvF32", "TransposeConvI8", "TransposeConvU8", "TransposeConvI16"]);
        let pixel = [x.shape[3], y[3]];
        let lead = Lead::cell(lower, 0, pixel, y[3] - 1).turned(&slide.x, pixel);
        let [from, to] = [x.shape[2] * x.shape[3], y[2] * y[3]];
        let lead = lead.turned(&slide.y, [from, to]).along(x.shape[0], [x.shape[1] * from, y[1] * to].map(signed));
        Ok(Lowered::one(kernel, Struct { name, fields }, vec![0], y[0] * y[1]).lead(lower, 0, lead))
    }
}

/// The convolution that is turned around: over the result, with a position for each pixel of the argument.
fn slide(call: &Call<'_>) -> Result<Slide, Diagnostic> {
    let (x, filter) = (&call.arg(0).shape, &call.arg(WEIGHTS).shape);
    let (stride, taps) = (call.pair("stride"), [filter[1], filter[2]]);
    let cut = |side: usize| match call.name("padding") {
        Some(_) => 0,
        None => call.ints("padding")[2 * side..][..2].iter().map(|&v| usize::try_from(v).unwrap_or(0)).sum(),
    };
    let size = |side: usize| match (call.ints("size"), call.name("padding")) {
        (&[height, width], _) => usize::try_from([height, width][side]).unwrap_or(0),
        (_, Some("same")) => x[1 + side].saturating_mul(stride[side]),
        _ => ((x[1 + side] - 1).saturating_mul(stride[side]).saturating_add(taps[side])).saturating_sub(cut(side)),
    };
    Slide::over(call, [size(0), size(1)], taps, stride, [1, 1])
}

fn channels(call: &Call<'_>) -> Channels {
    Channels { axis: 0, count: call.arg(WEIGHTS).shape[0], dense: false }
}
