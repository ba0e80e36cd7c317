//! `pack`: tensors of one shape along a new dimension.

use super::{
    ArgSpec, AttrSpec, AttrValue, Call, Form, Lower, Lowered, Operator, Results, Role, Signature, concat, copy,
};
use crate::diagnostic::{Diagnostic, Kind};
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct Pack;

static SIGNATURE: Signature = Signature {
    name: "pack",
    doc: "Tensors of one type side by side along a new dimension. \
          Parts are produced in place where all dimensions before it are 1.",
    args: &[ArgSpec { name: "parts", role: Role::Variadic, doc: "any tensors of one shape" }],
    attrs: &[AttrSpec {
        name: "axis",
        form: Form::Axis,
        default: Some(AttrValue::Int(0)),
        doc: "the place of the new dimension in the result; -1 is last",
    }],
    results: Results::One,
};

impl Operator for Pack {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        let first = call.arg(0);
        for (index, part) in call.args().enumerate().skip(1) {
            call.want_dtype(index, &[first.dtype])?;
            call.want_shape(index, &first.shape)?;
            if part.quant != first.quant {
                return Err(call
                    .arg_error(Kind::Quantization, index, "parts differ in scale or zero point")
                    .got(part.to_string())
                    .wanted(first.to_string())
                    .help("`requantize` it"));
            }
        }
        let mut dims = first.shape.to_vec();
        dims.insert(call.axis("axis", first.shape.rank() + 1)?, call.len());
        Ok(vec![copy::reshaped(call, 0, call.shape(dims)?)?])
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let result = lower.result(0);
        let axis = lower.axis("axis", result.shape.rank())?;
        let mut strides = copy::strides(&result.shape);
        let stride = strides.remove(axis).unsigned_abs();
        let mut lowered = Lowered { reads: (0..lower.len()).collect(), ..Lowered::default() };
        for arg in 0..lower.len() {
            let mut moved = copy::Block::whole(&lower.arg(arg).shape);
            moved.to = arg * stride;
            moved.to_strides.clone_from(&strides);
            concat::place(&mut lowered, result.dtype, arg, &moved, [stride, lower.len() * stride]);
        }
        Ok(lowered)
    }
}
