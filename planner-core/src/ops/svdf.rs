//! `svdf`: a layer that remembers the last results of its first half.

use super::activation::{ACT, bounds, bounds_f32};
use super::folded::{Fold, centred, folded};
use super::hybrid::{self, ASYMMETRIC, Quantize};
use super::{ArgSpec, AttrSpec, AttrValue, Call, Form, Lower, Lowered, Operator, Results, Role, Signature};
use crate::diagnostic::{Diagnostic, Kind};
use crate::dtype::DType;
use crate::emit::{self, Operand, Struct, Value};
use crate::fixed_point::Multiplier;
use crate::model::TensorType;
use crate::quant::Quant;
use crate::steps::Sharing;

/// See [`SIGNATURE`].
pub(super) struct Svdf;

const FEATURES: usize = 1;
const TIME: usize = 2;
const STATE: usize = 3;
const BIAS: usize = 4;

static SIGNATURE: Signature = Signature {
    name: "svdf",
    doc: "A dense layer, and a sum over its last results: a singular value decomposition filter.",
    args: &[
        ArgSpec { name: "x", role: Role::Any, doc: "f32 or i8 `[batch, input]`" },
        ArgSpec {
            name: "features",
            role: Role::Param,
            doc: "`[filter, input]`: i8 with a scale, or f32 in a layer of that",
        },
        ArgSpec { name: "time", role: Role::Param, doc: "`[filter, memory]`; i8 or i16 in an i8 layer" },
        ArgSpec { name: "state", role: Role::Any, doc: "`[batch, filter * memory]`, of the type of `time`" },
        ArgSpec { name: "bias", role: Role::OptionalParam, doc: "one for each output; i32 in an i8 layer" },
    ],
    attrs: &[
        AttrSpec {
            name: "rank",
            form: Form::Int(1, 1 << 20),
            default: Some(AttrValue::Int(1)),
            doc: "filters that make an output",
        },
        ACT,
        ASYMMETRIC,
    ],
    results: Results::States(1),
};

impl Operator for Svdf {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        call.want_rank(0, &[2])?;
        call.want_rank(FEATURES, &[2])?;
        call.want_rank(TIME, &[2])?;
        let dtype = call.want_dtype(0, &[DType::F32, DType::I8])?;
        call.want_dtype(FEATURES, if dtype == DType::F32 { &[DType::F32, DType::I8] } else { &[DType::I8] })?;
        hybrid::check(call)?;
        let memory_types: &[DType] = if dtype == DType::I8 { &[DType::I8, DType::I16] } else { &[DType::F32] };
        let memory_type = call.want_dtype(TIME, memory_types)?;
        call.want_dtype(STATE, &[memory_type])?;
        let (batch, inputs) = (call.arg(0).shape[0], call.arg(0).shape[1]);
        let (filters, memory) = (call.arg(FEATURES).shape[0], call.arg(TIME).shape[1]);
        call.want_shape(FEATURES, &[filters, inputs])?;
        call.want_shape(TIME, &[filters, memory])?;
        call.want_shape(STATE, &[batch, filters.saturating_mul(memory)])?;
        let rank = call.size("rank");
        if !filters.is_multiple_of(rank) {
            let error = call.attr_error(Kind::Shape, "rank", format!("{filters} filters are no multiple of the rank"));
            return Err(error.got(rank.to_string()));
        }
        let outputs = filters / rank;
        if call.opt_arg(BIAS).is_some() {
            call.want_dtype(BIAS, &[if dtype == DType::I8 { DType::I32 } else { dtype }])?;
            call.want_shape(BIAS, &[outputs])?;
        }
        let shape = call.shape([batch, outputs])?;
        let state = call.arg(STATE);
        if dtype == DType::F32 {
            if hybrid::is(call) {
                centred(call, FEATURES, 1)?;
            }
            return Ok(vec![TensorType { dtype, shape, quant: None }, state.clone()]);
        }
        call.quant(0)?;
        centred(call, FEATURES, 1)?;
        centred(call, TIME, 1)?;
        let quant = call.fixed_quant(1, call.quant(STATE)?)?;
        let next = TensorType { quant: Some(quant), ..state.clone() };
        Ok(vec![TensorType { dtype, shape, quant: Some(call.declared_quant(0)?) }, next])
    }

    fn macs(&self, call: &Call<'_>) -> u64 {
        let batch = call.arg(0).shape[0];
        (batch * (call.arg(FEATURES).shape.elements() + call.arg(TIME).shape.elements())) as u64
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let (features, time) = (lower.arg(FEATURES).shape.clone(), lower.arg(TIME).shape.clone());
        let outputs = features[0] / lower.size("rank");
        let shape = Struct {
            name: "Svdf",
            fields: vec![
                ("inputs", Value::size(features[1])),
                ("outputs", Value::size(outputs)),
                ("rank", Value::size(lower.size("rank"))),
                ("memory", Value::size(time[1])),
            ],
        };
        let mut fields = vec![("shape", Value::Struct(shape)), ("features", Value::Slice(lower.weights(FEATURES)))];
        let result = lower.result(0).clone();
        let Some(quant) = &result.quant else { return floats(lower, fields) };
        let (x, state) = (lower.quant(0)?.clone(), lower.quant(STATE)?.clone());
        let [features_scale, time_scale] = [lower.quant(FEATURES)?.scale(0), lower.quant(TIME)?.scale(0)];
        let offsets = Fold { weights: FEATURES, bias: None, zero_point: x.zero_point(), channels: features[0] };
        let bias = Fold { weights: TIME, bias: Some(BIAS), zero_point: state.zero_point(), channels: outputs };
        // Products of scales are f32 throughout, as TensorFlow Lite Micro has them here.
        let remembered = f64::from(x.scale(0) * features_scale / state.scale(0));
        let made = f64::from(state.scale(0) * time_scale / quant.scale(0));
        let memory_type = lower.arg(STATE).dtype;
        let range = memory_type.range().unwrap_or(0..=0);
        fields.extend([
            ("offsets", folded(lower, offsets)?),
            ("time", Value::Slice(lower.weights(TIME))),
            ("bias", folded(lower, bias)?),
            ("remembered", scaled(lower, remembered, &state, [*range.start(), *range.end()])?),
            ("result", scaled(lower, made, quant, bounds(lower, quant, result.dtype))?),
        ]);
        let kernel = if memory_type == DType::I8 { ("svdf_i8", "SvdfI8") } else { ("svdf_i16", "SvdfI16") };
        Ok(lowered(vec![layer(lower, kernel, fields, Operand::Read(0))]))
    }
}

fn lowered(calls: Vec<emit::Call>) -> Lowered {
    let lowered = Lowered { reads: vec![0, STATE], calls, ..Lowered::default() };
    lowered.sharing(Sharing::InPlace { arg: 1, result: 1 })
}

/// A layer of f32, from the fields that all layers have.
fn floats(lower: &mut Lower<'_>, mut fields: Vec<(&'static str, Value)>) -> Result<Lowered, Diagnostic> {
    let [min, max] = bounds_f32(lower);
    let clamp = Struct { name: "Clamp", fields: vec![("min", Value::F32(min)), ("max", Value::F32(max))] };
    let bias = if lower.opt_arg(BIAS).is_some() { Value::Slice(lower.weights(BIAS)) } else { Value::Empty };
    fields.extend([("time", Value::Slice(lower.weights(TIME))), ("bias", bias), ("result", Value::Struct(clamp))]);
    if !hybrid::is(lower) {
        return Ok(lowered(vec![layer(lower, ("svdf_f32", "SvdfF32"), fields, Operand::Read(0))]));
    }
    let Quantize { call, x, scratch } = hybrid::quantize(lower, lower.arg(0).shape[0]);
    let (scale, filters) = (centred(lower, FEATURES, 1)?[0], lower.arg(FEATURES).shape[0]);
    fields.extend([("x", x), ("scale", Value::F32(scale)), ("sums", hybrid::sums(lower, FEATURES, filters)?)]);
    let layer = layer(lower, ("svdf_hybrid_f32", "SvdfHybrid"), fields, Operand::Scratch);
    Ok(Lowered { scratch: Some(scratch), ..lowered(vec![call, layer]) })
}

/// The call of a kernel that takes the argument from `x`.
fn layer(
    lower: &Lower<'_>,
    (kernel, name): (&'static str, &'static str),
    fields: Vec<(&'static str, Value)>,
    x: Operand,
) -> emit::Call {
    let operands = vec![x, Operand::Read(1), Operand::Write(0), Operand::Write(1)];
    let units = lower.result(0).shape.elements();
    emit::Call { kernel, params: Struct { name, fields }, operands, units, elided_by: None }
}

/// The parameter structure `Scaled` for a factor.
///
/// # Errors
/// A factor so large that no multiplier stands for it.
pub(super) fn scaled(call: &Call<'_>, factor: f64, result: &Quant, [min, max]: [i32; 2]) -> Result<Value, Diagnostic> {
    let Multiplier { value, shift } = Multiplier::new(factor);
    if shift > Multiplier::MAX_SHIFT {
        return Err(call
            .error(Kind::Quantization, "a result's scale is too small for its arguments' scales")
            .got(format!("a factor of {factor:e} between sums and results"))
            .wanted("a factor below 2^30"));
    }
    let fields = vec![
        ("multiplier", Value::Int(value.into())),
        ("shift", Value::Int(shift.into())),
        ("zero_point", Value::Int(result.zero_point().into())),
        ("min", Value::Int(min.into())),
        ("max", Value::Int(max.into())),
    ];
    Ok(Value::Struct(Struct { name: "Scaled", fields }))
}
