//! `expand_dims`: a dimension of size 1 put in.

use super::{ArgSpec, AttrSpec, Call, Form, Lower, Lowered, Operator, Results, Role, Signature, copy};
use crate::diagnostic::Diagnostic;
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct ExpandDims;

static SIGNATURE: Signature = Signature {
    name: "expand_dims",
    doc: "A dimension of size 1 put in. A view: costs nothing.",
    args: &[ArgSpec { name: "x", role: Role::Any, doc: "any tensor" }],
    attrs: &[AttrSpec {
        name: "axis",
        form: Form::Axis,
        default: None,
        doc: "the place of the new dimension in the result; -1 is last",
    }],
    results: Results::One,
};

impl Operator for ExpandDims {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        let shape = &call.arg(0).shape;
        let mut dims = shape.to_vec();
        dims.insert(call.axis("axis", shape.rank() + 1)?, 1);
        Ok(vec![copy::reshaped(call, 0, call.shape(dims)?)?])
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        Ok(copy::same_elements(lower))
    }
}
