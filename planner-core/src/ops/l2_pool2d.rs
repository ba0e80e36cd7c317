//! `l2_pool2d`: the root of the mean square of each window of an image.

use super::pool::{self, ATTRS};
use super::{ArgSpec, Call, Lower, Lowered, Operator, Results, Role, Signature};
use crate::diagnostic::Diagnostic;
use crate::dtype::DType;
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct L2Pool2d;

static SIGNATURE: Signature = Signature {
    name: "l2_pool2d",
    doc: "The root of the mean square of each window of an image, channel by channel; padding does not count.",
    args: &[ArgSpec { name: "x", role: Role::Any, doc: "f32 `[batch, height, width, channel]`" }],
    attrs: ATTRS,
    results: Results::One,
};

impl Operator for L2Pool2d {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        call.want_dtype(0, &[DType::F32])?;
        pool::infer(call)
    }

    fn macs(&self, call: &Call<'_>) -> u64 {
        pool::macs(call)
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        pool::lower(lower, ["l2_pool2d_f32"; 4])
    }
}
