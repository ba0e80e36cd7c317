//! `max_pool2d`: the largest of each window of an image.

use super::pool::{self, ARGS, ATTRS};
use super::{Call, Lower, Lowered, Operator, Results, Signature};
use crate::diagnostic::Diagnostic;
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct MaxPool2d;

static SIGNATURE: Signature = Signature {
    name: "max_pool2d",
    doc: "The largest of each window of an image, channel by channel; padding does not count.",
    args: ARGS,
    attrs: ATTRS,
    results: Results::One,
};

impl Operator for MaxPool2d {
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
        pool::lower(lower, ["max_pool2d_f32", "max_pool2d_i8", "max_pool2d_u8", "max_pool2d_i16"])
    }
}
