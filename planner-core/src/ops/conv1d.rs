//! `conv1d`: convolution along time, a short form of `conv2d`.

use super::activation::ACT;
use super::conv2d::convolution;
use super::hybrid::ASYMMETRIC;
use super::slide::{PADDING, Slide};
use super::weights::{self, BIAS_ARG, Channels, WEIGHTS};
use super::{ArgSpec, AttrSpec, AttrValue, Call, Form, Lower, Lowered, Operator, Results, Role, Signature};
use crate::diagnostic::{Diagnostic, Kind};
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct Conv1d;

static SIGNATURE: Signature = Signature {
    name: "conv1d",
    doc: "Slides filters along the first of an image's two dimensions, of which the second is 1.",
    args: &[
        ArgSpec { name: "x", role: Role::Any, doc: "f32, i8, u8 or i16 `[batch, time, 1, channel]`" },
        ArgSpec { name: "filter", role: Role::Param, doc: "`[output, time, channel]`" },
        BIAS_ARG,
    ],
    attrs: &[
        AttrSpec {
            name: "stride",
            form: Form::Int(1, 1 << 16),
            default: Some(AttrValue::Int(1)),
            doc: "steps from one position of the filter to the next",
        },
        AttrSpec {
            name: "dilation",
            form: Form::Int(1, 1 << 16),
            default: Some(AttrValue::Int(1)),
            doc: "steps from one tap of the filter to the next",
        },
        PADDING,
        ACT,
        ASYMMETRIC,
    ],
    results: Results::One,
};

impl Operator for Conv1d {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        call.want_rank(0, &[4])?;
        call.want_rank(WEIGHTS, &[3])?;
        let (x, filter) = (&call.arg(0).shape, &call.arg(WEIGHTS).shape);
        if x[2] != 1 {
            return Err(call
                .arg_error(Kind::Shape, 0, "`x` has more than one column")
                .got(call.arg(0).to_string())
                .wanted(format!("{}[{}, {}, 1, {}]", call.arg(0).dtype, x[0], x[1], x[3]))
                .help("`conv2d` slides along both dimensions"));
        }
        call.want_shape(WEIGHTS, &[filter[0], filter[1], x[3]])?;
        let slide = slide(call)?;
        if slide.x.output != 1 {
            return Err(call
                .attr_error(Kind::Attribute, "padding", "there is no room beside a single column")
                .wanted("`[before, after, 0, 0]`"));
        }
        let shape = call.shape([x[0], slide.y.output, 1, filter[0]])?;
        weights::infer(call, channels(call), shape)
    }

    fn macs(&self, call: &Call<'_>) -> u64 {
        let filter = &call.arg(WEIGHTS).shape;
        (call.result(0).shape.elements() * filter[1] * filter[2]) as u64
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let slide = slide(lower)?;
        convolution(lower, slide, 1, channels(lower))
    }
}

pub(super) fn slide(call: &Call<'_>) -> Result<Slide, Diagnostic> {
    let taps = call.arg(WEIGHTS).shape[1];
    Slide::new(call, [taps, 1], [call.size("stride"), 1], [call.size("dilation"), 1])
}

pub(super) fn channels(call: &Call<'_>) -> Channels {
    Channels { axis: 0, count: call.arg(WEIGHTS).shape[0], dense: false }
}
