//! What conv, depthwise and dense have in common: weights, a bias, an activation.

use super::activation::{bounds, bounds_f32};
use super::{ArgSpec, Call, Lower, Role};
use crate::diagnostic::{Diagnostic, Kind};
use crate::dtype::DType;
use crate::emit::{Struct, Value};
use crate::fixed_point::Multiplier;
use crate::model::TensorType;
use crate::quant::Quant;
use crate::shape::Shape;

/// The place of the weights.
pub(super) const WEIGHTS: usize = 1;
/// The place of the bias.
pub(super) const BIAS: usize = 2;

/// The argument `bias`.
pub(super) const BIAS_ARG: ArgSpec =
    ArgSpec { name: "bias", role: Role::OptionalParam, doc: "one for each output channel; i32 in an i8 layer" };

/// How the weights of the output channels lie.
#[derive(Clone, Copy, Debug)]
pub(super) struct Channels {
    /// Their dimension in the weights, for scales per channel.
    pub(super) axis: usize,
    /// Their number.
    pub(super) count: usize,
    /// Whether TensorFlow Lite multiplies the scales of argument and weights in f32 when the weights have one scale.
    pub(super) single_product: bool,
}

/// Checks element types, bias and quantisation; the type of a result of `shape`.
///
/// # Errors
/// The first that does not fit.
pub(super) fn infer(call: &Call<'_>, channels: Channels, shape: Shape) -> Result<Vec<TensorType>, Diagnostic> {
    let dtype = call.want_dtype(0, &[DType::F32, DType::I8])?;
    call.want_dtype(WEIGHTS, &[dtype])?;
    if call.opt_arg(BIAS).is_some() {
        call.want_dtype(BIAS, &[if dtype == DType::I8 { DType::I32 } else { dtype }])?;
        call.want_shape(BIAS, &[channels.count])?;
    }
    let quant = if dtype == DType::I8 {
        call.quant(0)?;
        weight_quant(call, channels)?;
        Some(call.declared_quant(0)?)
    } else {
        None
    };
    Ok(vec![TensorType { dtype, shape, quant }])
}

/// The quantisation of i8 weights: zero points 0, one scale or one for each output channel.
fn weight_quant<'a>(call: &Call<'a>, channels: Channels) -> Result<&'a Quant, Diagnostic> {
    let ty = call.arg(WEIGHTS);
    let error = |message: &str| {
        let message = format!("`{}` {message}", call.arg_name(WEIGHTS));
        call.arg_error(Kind::Quantization, WEIGHTS, message).got(ty.to_string())
    };
    let wanted = format!("`q(scale, 0)`, or `q([{} scales], axis = {})`", channels.count, channels.axis);
    let Some(quant) = &ty.quant else { return Err(error("has no quantisation").wanted(wanted)) };
    if quant.axis().is_some_and(|axis| axis != channels.axis) {
        return Err(error("has a scale for each index of another dimension than its output channels").wanted(wanted));
    }
    if quant.axis().is_some() && quant.scales().len() != channels.count {
        return Err(error("has another number of scales than output channels").wanted(wanted));
    }
    if quant.zero_points().iter().any(|zero| *zero != 0) {
        return Err(error("has a zero point other than 0").wanted(wanted));
    }
    Ok(quant)
}

/// The parameter structure of the layer's weights: `WeightsF32` or `WeightsI8`.
///
/// # Errors
/// Scales so far apart that no multiplier bridges them.
pub(super) fn lower(lower: &mut Lower<'_>, channels: Channels) -> Result<Value, Diagnostic> {
    let weights = Value::Slice(lower.weights(WEIGHTS));
    let result = lower.result(0).clone();
    let Some(quant) = &result.quant else {
        let bias = bias(lower);
        let [min, max] = bounds_f32(lower);
        let clamp = Struct { name: "Clamp", fields: vec![("min", Value::F32(min)), ("max", Value::F32(max))] };
        let fields = vec![("weights", weights), ("bias", bias), ("result", Value::Struct(clamp))];
        return Ok(Value::Struct(Struct { name: "WeightsF32", fields }));
    };
    let zero_point = lower.quant(0)?.zero_point();
    let factors = factors(lower, channels, quant)?;
    let bounds = bounds(lower, quant, result.dtype);
    let fields = vec![
        ("weights", weights.clone()),
        ("bias", folded_bias(lower, channels, weights, zero_point)),
        ("zero_point", Value::Int(zero_point.into())),
        ("result", requantize(lower, &factors, quant, bounds)?),
    ];
    Ok(Value::Struct(Struct { name: "WeightsI8", fields }))
}

/// From sums of products to steps of the result, for each channel or for all.
fn factors(call: &Call<'_>, channels: Channels, result: &Quant) -> Result<Vec<f64>, Diagnostic> {
    let (from, weights) = (call.quant(0)?.scale(0), weight_quant(call, channels)?);
    let to = f64::from(result.scale(0));
    Ok(match weights.scales() {
        [scale] if channels.single_product => vec![f64::from(from * scale) / to],
        scales => scales.iter().map(|scale| f64::from(from) * f64::from(*scale) / to).collect(),
    })
}

/// The parameter structure `Requantize` for `factors`, one for each channel or one for all.
///
/// # Errors
/// A factor so large that no multiplier stands for it.
pub(super) fn requantize(
    lower: &mut Lower<'_>,
    factors: &[f64],
    result: &Quant,
    bounds: [i32; 2],
) -> Result<Value, Diagnostic> {
    let multipliers: Vec<Multiplier> = factors.iter().map(|factor| Multiplier::new(*factor)).collect();
    if let Some(index) = multipliers.iter().position(|m| m.shift > Multiplier::MAX_SHIFT) {
        return Err(lower
            .error(Kind::Quantization, "the result's scale is too small for its arguments' scales")
            .got(format!("a factor of {:e} between sums and results", factors[index]))
            .wanted("a factor below 2^30"));
    }
    Ok(requantize_by(lower, &multipliers, result, bounds))
}

/// The parameter structure `Requantize` for `multipliers`, one for each channel or one for all.
pub(super) fn requantize_by(
    lower: &mut Lower<'_>,
    multipliers: &[Multiplier],
    result: &Quant,
    [min, max]: [i32; 2],
) -> Value {
    let all_equal = multipliers.windows(2).all(|pair| pair[0] == pair[1]);
    let multipliers = if all_equal { &multipliers[..1] } else { multipliers };
    let values: Vec<i32> = multipliers.iter().map(|m| m.value).collect();
    let shifts: Vec<i8> = multipliers.iter().map(|m| i8::try_from(m.shift).unwrap_or(0)).collect();
    let name = lower.result_name().to_owned();
    let fields = vec![
        ("multipliers", Value::Slice(lower.static_i32(format!("{name}_multipliers"), &values, false))),
        ("shifts", Value::Slice(lower.static_i8(format!("{name}_shifts"), &shifts, false))),
        ("zero_point", Value::Int(result.zero_point().into())),
        ("min", Value::Int(min.into())),
        ("max", Value::Int(max.into())),
    ];
    Value::Struct(Struct { name: "Requantize", fields })
}

/// The bias as it is.
fn bias(lower: &mut Lower<'_>) -> Value {
    if lower.opt_arg(BIAS).is_some() { Value::Slice(lower.weights(BIAS)) } else { Value::Empty }
}

/// The bias of each channel minus the argument's zero point times the sum of its weights,
/// left to the compiler of the user's crate where only that can read the numbers.
fn folded_bias(lower: &mut Lower<'_>, channels: Channels, weights: Value, zero_point: i32) -> Value {
    if zero_point == 0 {
        return bias(lower);
    }
    let dims = &lower.arg(WEIGHTS).shape;
    let count = dims.elements() / channels.count;
    let [channel, step] = if channels.axis == 0 { [count, 1] } else { [1, channels.count] };
    let name = format!("{}_folded", lower.static_name(BIAS));
    let old = if lower.opt_arg(BIAS).is_some() { lower.known_i32(BIAS) } else { Ok(vec![0; channels.count]) };
    if let (Ok(bias), Ok(weights)) = (old, lower.known_i8(WEIGHTS)) {
        let sum = |c: usize| (0..count).map(|i| i32::from(weights[c * channel + i * step])).fold(0, i32::wrapping_add);
        let fold = |(c, bias): (usize, &i32)| bias.wrapping_sub(zero_point.wrapping_mul(sum(c)));
        let folded: Vec<i32> = bias.iter().enumerate().map(fold).collect();
        return Value::Slice(lower.static_i32(name, &folded, true));
    }
    let sizes = [count, channel, step].map(Value::size);
    let args = [bias(lower), weights, Value::Int(zero_point.into())].into_iter().chain(sizes).collect();
    Value::Slice(lower.static_fn(name, DType::I32, channels.count, "folded_bias", args))
}
