//! `arg_max` and `arg_min`: where the largest or smallest elements along a dimension are.

use super::kernel::by_number;
use super::{ArgSpec, AttrSpec, AttrValue, Call, Form, Lower, Lowered, Operator, Results, Role, Signature, reduce};
use crate::diagnostic::Diagnostic;
use crate::dtype::DType;
use crate::emit::{Struct, Value};
use crate::model::TensorType;

/// See [`ARG_MAX`] and [`ARG_MIN`].
pub(super) struct Arg {
    signature: &'static Signature,
    /// For f32, i8, u8, i16 and i32.
    kernels: [&'static str; 5],
}

const ARGS: &[ArgSpec] = &[ArgSpec { name: "x", role: Role::Any, doc: "f32, i8, u8, i16 or i32" }];
const ATTRS: &[AttrSpec] = &[
    AttrSpec { name: "axis", form: Form::Axis, default: Some(AttrValue::Int(-1)), doc: "the dimension, which goes" },
    AttrSpec {
        name: "keep_dims",
        form: Form::Bool,
        default: Some(AttrValue::Bool(false)),
        doc: "the dimension stays as 1",
    },
];

/// `arg_max`.
pub(super) static ARG_MAX: Arg = Arg {
    signature: &Signature {
        name: "arg_max",
        doc: "The index of the largest element along a dimension, as i32; the first of several.",
        args: ARGS,
        attrs: ATTRS,
        results: Results::One,
    },
    kernels: ["arg_max_f32", "arg_max_i8", "arg_max_u8", "arg_max_i16", "arg_max_i32"],
};

/// `arg_min`.
pub(super) static ARG_MIN: Arg = Arg {
    signature: &Signature {
        name: "arg_min",
        doc: "The index of the smallest element along a dimension, as i32; the first of several.",
        args: ARGS,
        attrs: ATTRS,
        results: Results::One,
    },
    kernels: ["arg_min_f32", "arg_min_i8", "arg_min_u8", "arg_min_i16", "arg_min_i32"],
};

impl Operator for Arg {
    fn signature(&self) -> &'static Signature {
        self.signature
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        call.want_dtype(0, &DType::NUMBERS)?;
        let mut dims = call.arg(0).shape.to_vec();
        let axis = call.axis("axis", dims.len())?;
        if call.bool("keep_dims") {
            dims[axis] = 1;
        } else {
            dims.remove(axis);
        }
        Ok(vec![TensorType::plain(DType::I32, call.shape(dims)?)])
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let (lines, units) = lines(lower)?;
        let axis = lower.axis("axis", lower.arg(0).shape.rank())?;
        let kernel = by_number(lower.arg(0).dtype, self.kernels);
        Ok(Lowered::one(kernel, lines, vec![0], units).lead(lower, 0, reduce::lead(lower, &[axis])))
    }
}

/// The structure `Lines` of argument 0 along the attribute `axis`, and their number.
///
/// # Errors
/// An axis that is out of range.
pub(super) fn lines(lower: &Lower<'_>) -> Result<(Struct, usize), Diagnostic> {
    let shape = &lower.arg(0).shape;
    let axis = lower.axis("axis", shape.rank())?;
    let fields = vec![("size", Value::size(shape[axis])), ("stride", Value::size(shape.strides()[axis]))];
    Ok((Struct { name: "Lines", fields }, shape.elements() / shape[axis]))
}
