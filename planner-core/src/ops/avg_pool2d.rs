//! `avg_pool2d`: the mean of each window of an image.

use super::pool::{self, ARGS, ATTRS};
use super::{Call, Lower, Lowered, Operator, Results, Signature};
use crate::diagnostic::Diagnostic;
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct AvgPool2d;

static SIGNATURE: Signature = Signature {
    name: "avg_pool2d",
    doc: "The mean of each window of an image, channel by channel; padding does not count.",
    args: ARGS,
    attrs: ATTRS,
    results: Results::One,
};

impl Operator for AvgPool2d {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        pool::infer(call)
    }

    fn macs(&self, call: &Call<'_>) -> u64 {
        pool::macs(call)
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        pool::lower(lower, ["avg_pool2d_f32", "avg_pool2d_i8", "avg_pool2d_u8", "avg_pool2d_i16"])
    }
}
