//! `prod`: the product over dimensions.

use super::reduce::{self, ATTRS};
use super::{ArgSpec, Call, Lower, Lowered, Operator, Results, Role, Signature};
use crate::diagnostic::Diagnostic;
use crate::dtype::DType;
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct Prod;

static SIGNATURE: Signature = Signature {
    name: "prod",
    doc: "The product over dimensions; of i32 it wraps around.",
    args: &[ArgSpec { name: "x", role: Role::Any, doc: "f32 or i32" }],
    attrs: ATTRS,
    results: Results::One,
};

impl Operator for Prod {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        call.want_dtype(0, &[DType::F32, DType::I32])?;
        reduce::infer(call, &reduce::axes(call)?, || call.declared_quant(0))
    }

    fn macs(&self, call: &Call<'_>) -> u64 {
        call.arg(0).shape.elements() as u64
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let axes = reduce::axes(lower)?;
        let (shape, results) = reduce::shape(lower, &axes);
        let kernel = if lower.arg(0).dtype == DType::I32 { "prod_i32" } else { "prod_f32" };
        Ok(Lowered::one(kernel, shape, vec![0], results).lead(lower, 0, reduce::lead(lower, &axes)))
    }
}
