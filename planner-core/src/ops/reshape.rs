//! `reshape`: the same elements under other dimensions.

use super::{ArgSpec, AttrSpec, Call, Form, Lower, Lowered, Operator, Results, Role, Signature, copy};
use crate::diagnostic::{Diagnostic, Kind};
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct Reshape;

static SIGNATURE: Signature = Signature {
    name: "reshape",
    doc: "The same elements under other dimensions. A view: costs nothing.",
    args: &[ArgSpec { name: "x", role: Role::Any, doc: "any tensor" }],
    attrs: &[AttrSpec {
        name: "shape",
        form: Form::Ints(-1, i64::MAX),
        default: None,
        doc: "the new dimensions; one may be -1 and follows from the rest",
    }],
    results: Results::One,
};

impl Operator for Reshape {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        let x = call.arg(0);
        let wanted = call.ints("shape");
        let sizes = wanted.iter().map(|d| usize::try_from(*d).ok());
        let known = sizes.clone().flatten().fold(1, usize::saturating_mul);
        let open = wanted.iter().filter(|d| **d < 0).count();
        let elements = x.shape.elements();
        let error = |message: String| {
            call.attr_error(Kind::Shape, "shape", message).got(x.to_string()).wanted(format!("{wanted:?}"))
        };
        if open > 1 {
            return Err(error("only one dimension may be -1".into()));
        }
        if open == 0 && known != elements {
            return Err(error(format!("{elements} != {known} elements")));
        }
        if open == 1 && elements.checked_rem(known) != Some(0) {
            return Err(error(format!("{elements} elements cannot be divided by {known}")));
        }
        let dims: Vec<usize> = sizes.map(|size| size.unwrap_or(elements / known)).collect();
        Ok(vec![copy::reshaped(call, 0, call.shape(dims)?)?])
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        Ok(copy::same_elements(lower))
    }
}
