//! `dense`: a fully connected layer.

use super::activation::ACT;
use super::conv2d::pixels;
use super::hybrid::ASYMMETRIC;
use super::weights::{self, BIAS_ARG, Channels, WEIGHTS};
use super::{ArgSpec, Call, Lower, Lowered, Operator, Results, Role, Signature};
use crate::diagnostic::{Diagnostic, Kind};
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct Dense;

static SIGNATURE: Signature = Signature {
    name: "dense",
    doc: "Multiplies the last dimension with a matrix.",
    args: &[
        ArgSpec { name: "x", role: Role::Any, doc: "f32, i8, u8 or i16 `[.., input]`" },
        ArgSpec { name: "weights", role: Role::Param, doc: "`[output, input]`" },
        BIAS_ARG,
    ],
    attrs: &[ACT, ASYMMETRIC],
    results: Results::One,
};

impl Operator for Dense {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        call.want_rank(WEIGHTS, &[2])?;
        let (x, weights) = (call.arg(0), call.arg(WEIGHTS));
        let [outputs, inputs] = [weights.shape[0], weights.shape[1]];
        if x.shape.last() != Some(&inputs) {
            let d = call
                .arg_error(Kind::Shape, 0, format!("the last dimension of `x` is not {inputs}, as `weights` has it"))
                .got(format!("{x} and {weights}"))
                .wanted(format!("{}[.., {inputs}] and {weights}", x.dtype));
            return Err(if x.shape.elements() == inputs * x.shape.first().unwrap_or(&1) {
                d.help("flatten it first: `x.flatten()`")
            } else {
                d
            });
        }
        let mut dims = x.shape.to_vec();
        dims.pop();
        dims.push(outputs);
        let shape = call.shape(dims)?;
        weights::infer(call, channels(call), shape)
    }

    fn macs(&self, call: &Call<'_>) -> u64 {
        (call.result(0).shape.elements() * call.arg(WEIGHTS).shape[1]) as u64
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let (x, weights) = (lower.arg(0), &lower.arg(WEIGHTS).shape);
        let (count, sizes) = (x.shape.elements() / weights[1], [weights[1], weights[0]]);
        pixels(lower, count, count, sizes, channels(lower))
    }
}

pub(super) fn channels(call: &Call<'_>) -> Channels {
    Channels { axis: 0, count: call.arg(WEIGHTS).shape[0], dense: true }
}
