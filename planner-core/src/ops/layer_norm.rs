//! `layer_norm`: rows of mean 0 and variance 1.

use super::{ArgSpec, AttrSpec, AttrValue, Call, Form, Lower, Lowered, Operator, Results, Role, Signature};
use crate::diagnostic::{Diagnostic, Kind};
use crate::dtype::DType;
use crate::emit::{Struct, Value};
use crate::model::TensorType;
use crate::steps::Sharing;
use std::borrow::Cow;

/// See [`SIGNATURE`].
pub(super) struct LayerNorm;

static SIGNATURE: Signature = Signature {
    name: "layer_norm",
    doc: "`(x - mean) / sqrt(variance + epsilon) * gamma + beta` over the last dimensions.",
    args: &[
        ArgSpec { name: "x", role: Role::Any, doc: "f32" },
        ArgSpec { name: "gamma", role: Role::OptionalParam, doc: "f32 factors, of the shape of `axes`; else 1" },
        ArgSpec { name: "beta", role: Role::OptionalParam, doc: "f32 terms, of the shape of `axes`; else 0" },
    ],
    attrs: &[
        AttrSpec {
            name: "axes",
            form: Form::Axes,
            default: Some(AttrValue::Ints(Cow::Borrowed(&[-1]))),
            doc: "the dimensions over which mean and variance are taken, the last ones",
        },
        AttrSpec {
            name: "epsilon",
            form: Form::Float,
            default: Some(AttrValue::Float(1e-3)),
            doc: "added to the variance, positive",
        },
    ],
    results: Results::One,
};

impl Operator for LayerNorm {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        let x = call.arg(0);
        call.want_dtype(0, &[DType::F32])?;
        let row = &x.shape[first_axis(call)?..];
        let epsilon = call.float("epsilon");
        if epsilon <= 0.0 {
            let error = call.attr_error(Kind::Attribute, "epsilon", "`epsilon` is not positive");
            return Err(error.got(epsilon.to_string()));
        }
        for index in [1, 2] {
            if call.tensor(index).is_some() {
                call.want_dtype(index, &[DType::F32])?;
                call.want_shape(index, row)?;
            }
        }
        Ok(vec![x.clone()])
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let shape = lower.arg(0).shape.clone();
        let first = first_axis(lower)?;
        let mut optional = |index| {
            if lower.tensor(index).is_some() { Value::Slice(lower.weights(index)) } else { Value::Empty }
        };
        let (gamma, beta) = (optional(1), optional(2));
        let fields = vec![
            ("width", Value::size(shape[first..].iter().product())),
            ("epsilon", Value::F32(lower.float("epsilon"))),
            ("gamma", gamma),
            ("beta", beta),
        ];
        let rows = shape[..first].iter().product();
        let params = Struct { name: "LayerNorm", fields };
        Ok(Lowered::one("layer_norm_f32", params, vec![0], rows).sharing(Sharing::InPlace { arg: 0, result: 0 }))
    }
}

/// The first dimension of a row.
fn first_axis(call: &Call<'_>) -> Result<usize, Diagnostic> {
    let rank = call.arg(0).shape.rank();
    let axes = call.axes("axes", rank)?;
    let first = rank - axes.len();
    if axes.is_empty() || axes[0] != first {
        return Err(call
            .attr_error(Kind::Unsupported, "axes", "the axes are not the last ones")
            .got(format!("{axes:?} of {}", call.arg(0)))
            .help("`transpose` them to the end"));
    }
    Ok(first)
}
