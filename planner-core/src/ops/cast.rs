//! `cast`: the same numbers in another type.

use super::{ArgSpec, AttrSpec, Call, Form, Lower, Lowered, Operator, Results, Role, Signature, copy, unary};
use crate::diagnostic::{Diagnostic, Kind};
use crate::dtype::DType;
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct Cast;

static SIGNATURE: Signature = Signature {
    name: "cast",
    doc: "The same numbers in another type: floats towards zero, as near as the type has them, integers by their low \
          bits, truth as 0 or 1. What integers stand for is lost; see `quantize` and `dequantize`.",
    args: &[ArgSpec { name: "x", role: Role::Any, doc: "any tensor; one side is f32 or i32" }],
    attrs: &[AttrSpec {
        name: "to",
        form: Form::Choice(&["f32", "i8", "u8", "i16", "i32", "bool"]),
        default: None,
        doc: "the type of the result",
    }],
    results: Results::One,
};

impl Operator for Cast {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        let (x, to) = (call.arg(0), to(call));
        if x.dtype != to && kernel(x.dtype, to).is_none() {
            return Err(call
                .attr_error(Kind::DType, "to", format!("{} does not become {to} at once", x.dtype))
                .got(x.to_string())
                .help("go by i32: `cast(to = i32)` first"));
        }
        Ok(vec![TensorType { dtype: to, shape: x.shape.clone(), quant: call.declared(0).quant.clone() }])
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let (x, to) = (lower.arg(0), to(lower));
        let Some(kernel) = kernel(x.dtype, to).filter(|_| x.dtype != to) else {
            return Ok(copy::same_elements(lower));
        };
        let call = if x.dtype.bytes() == to.bytes() { unary::elementwise } else { unary::converting };
        Ok(call(lower, kernel, unary::pure()))
    }
}

fn to(call: &Call<'_>) -> DType {
    call.name("to").and_then(DType::from_name).unwrap_or(DType::F32)
}

fn kernel(from: DType, to: DType) -> Option<&'static str> {
    use DType::{Bool, F32, I8, I16, I32, U8};
    Some(match (from, to) {
        (I8, F32) => "cast_i8_f32",
        (U8 | Bool, F32) => "cast_u8_f32",
        (I16, F32) => "cast_i16_f32",
        (I32, F32) => "cast_i32_f32",
        (I8, I32) => "cast_i8_i32",
        (U8 | Bool, I32) => "cast_u8_i32",
        (I16, I32) => "cast_i16_i32",
        (F32, I32) => "cast_f32_i32",
        (F32, I8) => "cast_f32_i8",
        (F32, U8) => "cast_f32_u8",
        (F32, I16) => "cast_f32_i16",
        (F32, Bool) => "cast_f32_bool",
        (I32, I8) => "cast_i32_i8",
        (I32, U8) => "cast_i32_u8",
        (I32, I16) => "cast_i32_i16",
        (I32, Bool) => "cast_i32_bool",
        _ => return None,
    })
}
