//! `select`: elements of one tensor or another.

use super::broadcast::{broadcast_strides, run_of};
use super::kernel::by_size;
use super::{ArgSpec, Call, Lower, Lowered, Operator, Results, Role, Signature};
use crate::diagnostic::{Diagnostic, Kind};
use crate::dtype::DType;
use crate::emit::{Struct, Value};
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct Select;

static SIGNATURE: Signature = Signature {
    name: "select",
    doc: "`a` where the condition is true, else `b`, broadcast.",
    args: &[
        ArgSpec { name: "condition", role: Role::Any, doc: "bool" },
        ArgSpec { name: "a", role: Role::Any, doc: "any type, of a shape that broadcasts" },
        ArgSpec { name: "b", role: Role::Any, doc: "of the type of `a`, of a shape that broadcasts" },
    ],
    attrs: &[],
    results: Results::One,
};

impl Operator for Select {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        call.want_dtype(0, &[DType::Bool])?;
        let (condition, a, b) = (call.arg(0), call.arg(1), call.arg(2));
        call.want_dtype(2, &[a.dtype])?;
        if a.quant != b.quant {
            return Err(call
                .arg_error(Kind::Quantization, 2, "`a` and `b` differ in scale or zero point")
                .got(format!("{a} and {b}"))
                .help("`requantize` one of them"));
        }
        let shape = a.shape.broadcast(&b.shape).and_then(|shape| shape.broadcast(&condition.shape));
        let shape = shape.ok_or_else(|| {
            call.error(Kind::Broadcast, "these shapes do not broadcast")
                .got(format!("{}, {} and {}", condition.shape, a.shape, b.shape))
                .wanted("dimensions that, counted from the last, are equal or 1")
        })?;
        Ok(vec![super::copy::reshaped_of(call, 0, 1, shape)?])
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let result = lower.result(0).clone();
        let strides = [0, 1, 2].map(|arg| broadcast_strides(&lower.arg(arg).shape, &result.shape));
        let [condition, a, b] = &strides;
        let first = Value::Struct(run_of(&result.shape, [condition, a]));
        let second = Value::Struct(run_of(&result.shape, [b, b]));
        let params = Struct { name: "Select", fields: vec![("first", first), ("second", second)] };
        let kernel = by_size(result.dtype, ["select_1", "select_2", "select_4"]);
        Ok(Lowered::one(kernel, params, vec![0, 1, 2], result.shape.elements()).over_arguments(lower))
    }
}
