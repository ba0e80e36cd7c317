//! `sum`: the sum over dimensions.

use super::reduce::{self, ARGS, ATTRS};
use super::{Call, Lower, Lowered, Operator, Results, Signature};
use crate::diagnostic::Diagnostic;
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct Sum;

static SIGNATURE: Signature =
    Signature { name: "sum", doc: "The sum over dimensions.", args: ARGS, attrs: ATTRS, results: Results::One };

impl Operator for Sum {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        reduce::infer(call, &reduce::axes(call)?, || call.quant(0).and_then(|_| call.declared_quant(0)))
    }

    fn macs(&self, call: &Call<'_>) -> u64 {
        call.arg(0).shape.elements() as u64
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let axes = reduce::axes(lower)?;
        reduce::lower_sum(lower, &axes, false)
    }
}
