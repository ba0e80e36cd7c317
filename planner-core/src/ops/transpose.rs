//! `transpose`: dimensions in another order.

use super::{ArgSpec, AttrSpec, Call, Form, Lower, Lowered, Operator, Results, Role, Signature, copy};
use crate::diagnostic::{Diagnostic, Kind};
use crate::model::TensorType;
use crate::shape::MAX_RANK;

/// See [`SIGNATURE`].
pub(super) struct Transpose;

#[allow(clippy::cast_possible_wrap, reason = "a small constant")]
static SIGNATURE: Signature = Signature {
    name: "transpose",
    doc: "Dimensions in another order. A view where only dimensions of size 1 move.",
    args: &[ArgSpec { name: "x", role: Role::Any, doc: "any tensor" }],
    attrs: &[AttrSpec {
        name: "perm",
        form: Form::Ints(0, MAX_RANK as i64 - 1),
        default: None,
        doc: "the argument's dimension in each place of the result",
    }],
    results: Results::One,
};

impl Operator for Transpose {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        let x = call.arg(0);
        let perm = permutation(call);
        let mut sorted = perm.clone();
        sorted.sort_unstable();
        if !sorted.into_iter().eq(0..x.shape.rank()) {
            return Err(call
                .attr_error(Kind::Attribute, "perm", format!("is no order of the {} dimensions", x.shape.rank()))
                .got(format!("{perm:?} for {x}"))
                .wanted(format!("each of {:?} once", (0..x.shape.rank()).collect::<Vec<_>>())));
        }
        let dims: Vec<usize> = perm.iter().map(|&axis| x.shape[axis]).collect();
        Ok(vec![copy::reshaped(call, 0, call.shape(dims)?)?])
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let from = copy::strides(&lower.arg(0).shape);
        let mut moved = copy::Block::whole(&lower.result(0).shape);
        moved.from_strides = permutation(lower).into_iter().map(|axis| from[axis]).collect();
        Ok(Lowered::moving().cut(lower, 0, &moved))
    }
}

fn permutation(call: &Call<'_>) -> Vec<usize> {
    call.ints("perm").iter().map(|&axis| usize::try_from(axis).unwrap_or(MAX_RANK)).collect()
}
