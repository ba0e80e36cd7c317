//! `mean`: the mean over dimensions.

use super::reduce::{self, ARGS, ATTRS};
use super::{Call, Lower, Lowered, Operator, Results, Signature};
use crate::diagnostic::Diagnostic;
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct Mean;

static SIGNATURE: Signature = Signature {
    name: "mean",
    doc: "The mean over dimensions. An i8 result is quantised as its argument unless declared otherwise; of i32 towards zero.",
    args: ARGS,
    attrs: ATTRS,
    results: Results::One,
};

impl Operator for Mean {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        reduce::infer(call, &reduce::axes(call)?, || reduce::mean_quant(call))
    }

    fn macs(&self, call: &Call<'_>) -> u64 {
        call.arg(0).shape.elements() as u64
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let axes = reduce::axes(lower)?;
        reduce::lower_sum(lower, &axes, true)
    }
}
