//! `unpack`: the parts of a tensor along a dimension that goes.

use super::{ArgSpec, AttrSpec, AttrValue, Call, Form, Lower, Lowered, Operator, Results, Role, Signature, copy};
use crate::diagnostic::{Diagnostic, Kind};
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct Unpack;

static SIGNATURE: Signature = Signature {
    name: "unpack",
    doc: "The parts of a tensor along a dimension, which goes: the opposite of `pack`. \
          Views where that is the outermost dimension that is not 1.",
    args: &[ArgSpec { name: "x", role: Role::Any, doc: "any tensor" }],
    attrs: &[
        AttrSpec {
            name: "parts",
            form: Form::Int(1, 1 << 10),
            default: None,
            doc: "how many results: the size of the dimension",
        },
        AttrSpec { name: "axis", form: Form::Axis, default: Some(AttrValue::Int(0)), doc: "the dimension that goes" },
    ],
    results: Results::Attr("parts"),
};

impl Operator for Unpack {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        let x = call.arg(0);
        let axis = call.axis("axis", x.shape.rank())?;
        let mut dims = x.shape.to_vec();
        let size = dims.remove(axis);
        if size != call.size("parts") {
            return Err(call
                .attr_error(Kind::Shape, "parts", format!("dimension {axis} has {size} parts"))
                .got(format!("{} for {x}", call.size("parts")))
                .wanted(size.to_string()));
        }
        (0..size).map(|result| copy::reshaped(call, result, call.shape(dims.clone())?)).collect()
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let x = &lower.arg(0).shape;
        let axis = lower.axis("axis", x.rank())?;
        let mut strides = copy::strides(x);
        let stride = strides.remove(axis).unsigned_abs();
        let cut = |lowered: Lowered, part: usize| {
            let mut moved = copy::Block::whole(&lower.result(part).shape);
            moved.from = part * stride;
            moved.from_strides.clone_from(&strides);
            lowered.cut(lower, part, &moved)
        };
        Ok((0..x[axis]).fold(Lowered::moving(), cut))
    }
}
