//! `reverse`: dimensions from their end to their start.

use super::{ArgSpec, AttrSpec, Call, Form, Lower, Lowered, Operator, Results, Role, Signature, copy};
use crate::diagnostic::Diagnostic;
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct Reverse;

static SIGNATURE: Signature = Signature {
    name: "reverse",
    doc: "Dimensions from their end to their start.",
    args: &[ArgSpec { name: "x", role: Role::Any, doc: "any tensor" }],
    attrs: &[AttrSpec { name: "axes", form: Form::Axes, default: None, doc: "the dimensions to turn" }],
    results: Results::One,
};

impl Operator for Reverse {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        let shape = &call.arg(0).shape;
        call.axes("axes", shape.rank())?;
        Ok(vec![copy::reshaped(call, 0, shape.clone())?])
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let shape = &lower.arg(0).shape;
        let mut moved = copy::Block::whole(shape);
        for axis in lower.axes("axes", shape.rank())? {
            moved.turn(axis);
        }
        Ok(Lowered::moving().cut(lower, 0, &moved))
    }
}
