//! `global_avg_pool`: the mean of an image, channel by channel.

use super::reduce::{self, KEEP_DIMS};
use super::{ArgSpec, Call, Lower, Lowered, Operator, Results, Role, Signature};
use crate::diagnostic::Diagnostic;
use crate::model::TensorType;

/// Height and width.
const AXES: [usize; 2] = [1, 2];

/// See [`SIGNATURE`].
pub(super) struct GlobalAvgPool;

static SIGNATURE: Signature = Signature {
    name: "global_avg_pool",
    doc: "The mean of an image, channel by channel: `mean(x, axes = [1, 2])`.",
    args: &[ArgSpec { name: "x", role: Role::Any, doc: "f32, i8, u8, i16 or i32 `[batch, height, width, channel]`" }],
    attrs: &[KEEP_DIMS],
    results: Results::One,
};

impl Operator for GlobalAvgPool {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        call.want_rank(0, &[4])?;
        reduce::infer(call, &AXES, || reduce::mean_quant(call))
    }

    fn macs(&self, call: &Call<'_>) -> u64 {
        call.arg(0).shape.elements() as u64
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        reduce::lower_sum(lower, &AXES, true)
    }
}
