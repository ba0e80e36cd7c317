//! `cumsum`: running sums along a dimension.

use super::arg_max::lines;
use super::{ArgSpec, AttrSpec, AttrValue, Call, Form, Lower, Lowered, Operator, Results, Role, Signature, broadcast};
use crate::diagnostic::Diagnostic;
use crate::dtype::DType;
use crate::emit::{Struct, Value};
use crate::fixed_point::Multiplier;
use crate::model::TensorType;
use crate::steps::Sharing;

/// See [`SIGNATURE`].
pub(super) struct Cumsum;

static SIGNATURE: Signature = Signature {
    name: "cumsum",
    doc: "Running sums along a dimension. An i8 result is quantised as its argument unless declared otherwise.",
    args: &[ArgSpec { name: "x", role: Role::Any, doc: "f32, i32 or i8" }],
    attrs: &[
        AttrSpec { name: "axis", form: Form::Axis, default: None, doc: "the dimension" },
        AttrSpec {
            name: "exclusive",
            form: Form::Bool,
            default: Some(AttrValue::Bool(false)),
            doc: "an element's own value is not part of its sum",
        },
        AttrSpec {
            name: "reverse",
            form: Form::Bool,
            default: Some(AttrValue::Bool(false)),
            doc: "from the end to the start",
        },
    ],
    results: Results::One,
};

impl Operator for Cumsum {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        let dtype = call.want_dtype(0, &[DType::F32, DType::I32, DType::I8])?;
        let x = call.arg(0);
        call.axis("axis", x.shape.rank())?;
        let quant = match dtype {
            DType::I8 if call.declared(0).quant.is_some() => Some(call.declared_quant(0)?),
            DType::I8 => Some(call.quant(0)?.clone()),
            _ => None,
        };
        Ok(vec![TensorType { dtype, shape: x.shape.clone(), quant }])
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let x = lower.arg(0);
        let (lines, units) = lines(lower)?;
        let fields = vec![
            ("lines", Value::Struct(lines)),
            ("exclusive", Value::Bool(lower.bool("exclusive"))),
            ("reverse", Value::Bool(lower.bool("reverse"))),
        ];
        let sums = Struct { name: "Cumsum", fields };
        let (kernel, params) = match &lower.result(0).quant {
            None if x.dtype == DType::I32 => ("cumsum_i32", sums),
            None => ("cumsum_f32", sums),
            Some(to) => {
                let from = lower.quant(0)?;
                let result =
                    Multiplier::new(2.0 * f64::from(from.scale(0)) / (f64::from(1 << 20) * f64::from(to.scale(0))));
                if result.shift > 0 {
                    return Err(broadcast::out_of_range(lower, to));
                }
                let half = Multiplier::new(0.5);
                let term = vec![
                    ("zero_point", Value::Int(from.zero_point().into())),
                    ("multiplier", Value::Int(half.value.into())),
                    ("shift", Value::Int(half.shift.into())),
                ];
                let fields = vec![
                    ("sums", Value::Struct(sums)),
                    ("x", Value::Struct(Struct { name: "Term", fields: term })),
                    ("multiplier", Value::Int(result.value.into())),
                    ("shift", Value::Int(result.shift.into())),
                    ("zero_point", Value::Int(to.zero_point().into())),
                ];
                ("cumsum_i8", Struct { name: "CumsumI8", fields })
            }
        };
        Ok(Lowered::one(kernel, params, vec![0], units).sharing(Sharing::InPlace { arg: 0, result: 0 }))
    }
}
