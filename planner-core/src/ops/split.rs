//! `split`: a tensor in parts along one dimension.

use super::{ArgSpec, AttrSpec, AttrValue, Call, Form, Lower, Lowered, Operator, Results, Role, Signature, copy};
use crate::diagnostic::{Diagnostic, Kind};
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct Split;

static SIGNATURE: Signature = Signature {
    name: "split",
    doc: "Parts of a tensor along one dimension. Views where that is the outermost dimension that is not 1.",
    args: &[ArgSpec { name: "x", role: Role::Any, doc: "any tensor" }],
    attrs: &[
        AttrSpec { name: "parts", form: Form::Parts, default: None, doc: "how many results, or the size of each" },
        AttrSpec { name: "axis", form: Form::Axis, default: None, doc: "the dimension to cut" },
    ],
    results: Results::Attr("parts"),
};

impl Operator for Split {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        let shape = &call.arg(0).shape;
        let (axis, sizes) = parts(call)?;
        let part = |(result, size)| {
            let mut dims = shape.to_vec();
            dims[axis] = size;
            copy::reshaped(call, result, call.shape(dims)?)
        };
        sizes.into_iter().enumerate().map(part).collect()
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let (axis, sizes) = parts(lower)?;
        let strides = lower.arg(0).shape.strides();
        let mut from = 0;
        let mut lowered = Lowered::moving();
        for (result, size) in sizes.into_iter().enumerate() {
            let mut moved = copy::Block::whole(&lower.result(result).shape);
            moved.from_strides = copy::strides(&lower.arg(0).shape);
            moved.from = from;
            from += size * strides[axis];
            lowered = lowered.cut(lower, result, &moved);
        }
        Ok(lowered)
    }
}

/// The dimension to cut and the sizes of the parts.
fn parts(call: &Call<'_>) -> Result<(usize, Vec<usize>), Diagnostic> {
    let x = call.arg(0);
    let axis = call.axis("axis", x.shape.rank())?;
    let length = x.shape[axis];
    let error = |message| call.attr_error(Kind::Shape, "parts", message).got(x.to_string());
    let size = |v: &i64| usize::try_from(*v).unwrap_or(usize::MAX);
    let sizes = match call.value("parts") {
        AttrValue::Ints(sizes) => sizes.iter().map(size).collect(),
        _ if length.is_multiple_of(call.size("parts")) => vec![length / call.size("parts"); call.size("parts")],
        count => return Err(error(format!("dimension {axis} of {length} is not {count} equal parts"))),
    };
    let sum = sizes.iter().copied().fold(0, usize::saturating_add);
    if sum != length {
        return Err(error(format!("the parts sum to {sum}, not to the {length} of dimension {axis}")));
    }
    Ok((axis, sizes))
}
