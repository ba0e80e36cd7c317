//! `flatten`: the trailing dimensions as one.

use super::{ArgSpec, AttrSpec, AttrValue, Call, Form, Lower, Lowered, Operator, Results, Role, Signature, copy};
use crate::diagnostic::Diagnostic;
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct Flatten;

static SIGNATURE: Signature = Signature {
    name: "flatten",
    doc: "The dimensions from one on as a single one. A view: costs nothing.",
    args: &[ArgSpec { name: "x", role: Role::Any, doc: "any tensor" }],
    attrs: &[AttrSpec {
        name: "from",
        form: Form::Axis,
        default: Some(AttrValue::Int(1)),
        doc: "the first dimension of those that become one",
    }],
    results: Results::One,
};

impl Operator for Flatten {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        let shape = &call.arg(0).shape;
        let from = call.axis("from", shape.rank())?;
        let mut dims = shape[..from].to_vec();
        dims.push(shape[from..].iter().product());
        Ok(vec![copy::reshaped(call, 0, call.shape(dims)?)?])
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        Ok(copy::same_elements(lower))
    }
}
