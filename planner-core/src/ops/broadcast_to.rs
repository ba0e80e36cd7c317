//! `broadcast_to`: dimensions of size 1 stretched to another size.

use super::broadcast::broadcast_strides;
use super::strides::signed;
use super::{ArgSpec, AttrSpec, Call, Form, Lower, Lowered, Operator, Results, Role, Signature, copy};
use crate::diagnostic::{Diagnostic, Kind};
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct BroadcastTo;

static SIGNATURE: Signature = Signature {
    name: "broadcast_to",
    doc: "A tensor of a larger shape, its elements repeated where it has no such dimension or one of size 1.",
    args: &[ArgSpec { name: "x", role: Role::Any, doc: "any tensor" }],
    attrs: &[AttrSpec {
        name: "shape",
        form: Form::Ints(1, i64::MAX),
        default: None,
        doc: "the dimensions of the result",
    }],
    results: Results::One,
};

impl Operator for BroadcastTo {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        let x = call.arg(0);
        let size = |&dim: &i64| usize::try_from(dim).unwrap_or(usize::MAX);
        let shape = call.shape(call.ints("shape").iter().map(size).collect::<Vec<_>>())?;
        if x.shape.broadcast(&shape).as_ref() != Some(&shape) {
            return Err(call
                .attr_error(Kind::Broadcast, "shape", format!("{} does not stretch to {shape}", x.shape))
                .wanted("dimensions that, counted from the last, are those of `x` or stand for a 1 there"));
        }
        Ok(vec![copy::reshaped(call, 0, shape)?])
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let shape = &lower.result(0).shape;
        let strides = broadcast_strides(&lower.arg(0).shape, shape).into_iter().map(signed).collect();
        Ok(Lowered::moving().cut(lower, 0, &copy::Block::gathered(shape.to_vec(), strides)))
    }
}
