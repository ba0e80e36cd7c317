//! `batch_norm`: normalisation by the statistics of training.

use super::{ArgSpec, AttrSpec, AttrValue, Call, Form, Lower, Lowered, Operator, Results, Role, Signature};
use crate::diagnostic::{Diagnostic, Kind};
use crate::dtype::DType;
use crate::emit::{Struct, Value};
use crate::model::TensorType;
use crate::steps::Sharing;

/// See [`SIGNATURE`].
pub(super) struct BatchNorm;

static SIGNATURE: Signature = Signature {
    name: "batch_norm",
    doc: "(x - mean) / sqrt(variance + epsilon) * gamma + beta. Folded into the conv or dense layer before it.",
    args: &[
        ArgSpec { name: "x", role: Role::Any, doc: "f32 `[.., channel]`" },
        ArgSpec { name: "gamma", role: Role::Param, doc: "f32 `[channel]`" },
        ArgSpec { name: "beta", role: Role::Param, doc: "f32 `[channel]`" },
        ArgSpec { name: "mean", role: Role::Param, doc: "f32 `[channel]`" },
        ArgSpec { name: "variance", role: Role::Param, doc: "f32 `[channel]`" },
    ],
    attrs: &[AttrSpec {
        name: "epsilon",
        form: Form::Float,
        default: Some(AttrValue::Float(1e-3)),
        doc: "added to the variance",
    }],
    results: Results::One,
};

impl Operator for BatchNorm {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        call.want_dtype(0, &[DType::F32]).map_err(|d| d.help("fold it before you quantise"))?;
        let Some(&channels) = call.arg(0).shape.last() else {
            return Err(call.arg_error(Kind::Rank, 0, "`x` has no dimension").wanted("f32[.., channel]"));
        };
        for index in 1..5 {
            call.want_dtype(index, &[DType::F32])?;
            call.want_shape(index, &[channels])?;
        }
        if call.float("epsilon") < 0.0 {
            return Err(call.attr_error(Kind::Attribute, "epsilon", "`epsilon` is negative"));
        }
        Ok(vec![call.arg(0).clone()])
    }

    fn macs(&self, call: &Call<'_>) -> u64 {
        call.arg(0).shape.elements() as u64
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let statistics = [1, 2, 3, 4].map(|index| lower.known_f32(index));
        let [gamma, beta, mean, variance] = statistics;
        let affine = Affine::new(&gamma?, &beta?, &mean?, &variance?, lower.float("epsilon"));
        if !affine.is_finite() {
            return Err(lower.arg_error(Kind::Param, 4, "a variance plus `epsilon` is not positive"));
        }
        #[allow(clippy::cast_possible_truncation, reason = "rounded once, to f32")]
        let narrow = |list: &[f64]| list.iter().map(|v| *v as f32).collect::<Vec<f32>>();
        let name = lower.result_name().to_owned();
        let scale = lower.static_f32(format!("{name}_scale"), &narrow(&affine.scale), true);
        let offset = lower.static_f32(format!("{name}_offset"), &narrow(&affine.offset), true);
        let params =
            Struct { name: "Affine", fields: vec![("scale", Value::Slice(scale)), ("offset", Value::Slice(offset))] };
        let rows = lower.arg(0).shape.elements() / affine.scale.len();
        Ok(Lowered::one("affine_f32", params, vec![0], rows).sharing(Sharing::InPlace { arg: 0, result: 0 }))
    }
}

/// Batch normalisation as `x * scale + offset`, a pair for each channel.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Affine {
    /// Factors.
    pub(crate) scale: Vec<f64>,
    /// What is added to the products.
    pub(crate) offset: Vec<f64>,
}

impl Affine {
    /// The factors and offsets of a normalisation, in f64.
    pub(crate) fn new(gamma: &[f32], beta: &[f32], mean: &[f32], variance: &[f32], epsilon: f32) -> Self {
        let deviation = |variance: &f32| (f64::from(*variance) + f64::from(epsilon)).sqrt();
        let scale: Vec<f64> = gamma.iter().zip(variance).map(|(gamma, v)| f64::from(*gamma) / deviation(v)).collect();
        let offsets = beta.iter().zip(mean).zip(&scale);
        let offset = offsets.map(|((beta, mean), scale)| f64::from(*beta) - f64::from(*mean) * scale).collect();
        Self { scale, offset }
    }

    /// No number is infinite or none.
    pub(crate) fn is_finite(&self) -> bool {
        self.scale.iter().chain(&self.offset).all(|v| v.is_finite())
    }
}
