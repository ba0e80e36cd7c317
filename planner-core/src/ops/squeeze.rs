//! `squeeze`: dimensions of size 1 left out.

use super::{ArgSpec, AttrSpec, AttrValue, Call, Form, Lower, Lowered, Operator, Results, Role, Signature, copy};
use crate::diagnostic::{Diagnostic, Kind};
use crate::model::TensorType;
use std::borrow::Cow;

/// See [`SIGNATURE`].
pub(super) struct Squeeze;

static SIGNATURE: Signature = Signature {
    name: "squeeze",
    doc: "Dimensions of size 1 left out. A view: costs nothing.",
    args: &[ArgSpec { name: "x", role: Role::Any, doc: "any tensor" }],
    attrs: &[AttrSpec {
        name: "axes",
        form: Form::Axes,
        default: Some(AttrValue::Ints(Cow::Borrowed(&[]))),
        doc: "the dimensions to leave out; by default all of size 1",
    }],
    results: Results::One,
};

impl Operator for Squeeze {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        let x = call.arg(0);
        let axes = call.axes("axes", x.shape.rank())?;
        if let Some(&axis) = axes.iter().find(|&&axis| x.shape[axis] != 1) {
            return Err(call
                .attr_error(Kind::Shape, "axes", format!("dimension {axis} is {}, not 1", x.shape[axis]))
                .got(x.to_string())
                .help("`flatten` and `reshape` merge dimensions of any size"));
        }
        let stays = |axis: usize, size: usize| if axes.is_empty() { size != 1 } else { !axes.contains(&axis) };
        let dims = x.shape.iter().enumerate().filter(|(axis, size)| stays(*axis, **size)).map(|(_, size)| *size);
        let shape = call.shape(dims.collect::<Vec<_>>())?;
        Ok(vec![copy::reshaped(call, 0, shape)?])
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        Ok(copy::same_elements(lower))
    }
}
