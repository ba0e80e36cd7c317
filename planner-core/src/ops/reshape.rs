//! `reshape`: the same elements under other dimensions.

use super::{ArgSpec, AttrSpec, Call, Form, Lower, Lowered, Operator, Results, Role, Signature};
use crate::diagnostic::{Diagnostic, Kind};
use crate::emit::{Struct, Value};
use crate::model::TensorType;
use crate::steps::Sharing;

/// See [`SIGNATURE`].
pub(super) struct Reshape;

static SIGNATURE: Signature = Signature {
    name: "reshape",
    doc: "The same elements under other dimensions; one of them may be -1 and follows from the rest.",
    args: &[ArgSpec { name: "x", role: Role::Any, doc: "any tensor" }],
    attrs: &[AttrSpec { name: "shape", form: Form::Ints(-1, i64::MAX), default: None, doc: "the new dimensions" }],
    results: Results::One,
};

impl Operator for Reshape {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        let x = call.arg(0);
        let wanted = call.ints("shape");
        let known: usize = wanted.iter().filter(|d| **d >= 0).map(|d| usize::try_from(*d).unwrap_or(0)).product();
        let open = wanted.iter().filter(|d| **d < 0).count();
        let elements = x.shape.elements();
        if open > 1 || known == 0 || (open == 1 && elements % known != 0) || (open == 0 && elements != known) {
            return Err(call
                .attr_error(Kind::Shape, "shape", format!("{known} != {elements} elements"))
                .got(x.to_string())
                .wanted(format!("{wanted:?}")));
        }
        let dims: Vec<usize> = wanted.iter().map(|d| usize::try_from(*d).unwrap_or(elements / known)).collect();
        let shape = call.shape(dims)?;
        retyped(call, shape)
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        Ok(copy(lower))
    }
}

/// `x` under another shape, its quantisation unchanged.
pub(super) fn retyped(call: &Call<'_>, shape: crate::shape::Shape) -> Result<Vec<TensorType>, Diagnostic> {
    let x = call.arg(0);
    let quant = x.quant.as_ref().map(|quant| call.fixed_quant(0, quant)).transpose()?;
    Ok(vec![TensorType { dtype: x.dtype, shape, quant }])
}

/// A view of argument 0, or a copy where views are off.
pub(super) fn copy(lower: &Lower<'_>) -> Lowered {
    let ty = lower.arg(0);
    let elements = ty.shape.elements();
    let kernel = if ty.dtype.bytes() == 1 { "copy_1" } else { "copy_4" };
    let params = Struct {
        name: "Runs",
        fields: vec![
            ("runs", Value::Int(1)),
            ("run", Value::size(elements)),
            ("from", Value::Int(0)),
            ("from_stride", Value::size(elements)),
            ("to", Value::Int(0)),
            ("to_stride", Value::size(elements)),
        ],
    };
    let mut lowered = Lowered::one(kernel, params, vec![0], 1).sharing(Sharing::View { result: 0, arg: 0, offset: 0 });
    lowered.calls[0].elided_by = Some(0);
    lowered
}
