//! What conv, depthwise and dense have in common: weights, a bias, an activation.

use super::activation::{bounds, bounds_f32};
use super::{ArgSpec, Call, Lower, Role, hybrid};
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
pub(super) const BIAS_ARG: ArgSpec = ArgSpec {
    name: "bias",
    role: Role::OptionalParam,
    doc: "one for each output channel; i32 in a layer of i8 or u8, i64 or i32 in one of i16",
};

/// How the weights of the output channels lie.
#[derive(Clone, Copy, Debug)]
pub(super) struct Channels {
    /// Their dimension in the weights, for scales per channel.
    pub(super) axis: usize,
    /// Their number.
    pub(super) count: usize,
    /// Whether it is a dense layer: TensorFlow Lite multiplies the scales of argument and weights in f32 if the weights
    /// have one scale, and rounds sums of u8 once.
    pub(super) dense: bool,
}

impl Channels {
    /// Weights from one channel to the next, and from one of the `count` of a channel to the next.
    fn steps(self, count: usize) -> [usize; 2] {
        if self.axis == 0 { [count, 1] } else { [1, self.count] }
    }

    /// The weights of each channel.
    pub(super) fn filters(self, weights: &[i8]) -> Vec<Vec<i8>> {
        let count = weights.len() / self.count;
        let [channel, step] = self.steps(count);
        (0..self.count).map(|c| (0..count).map(|i| weights[c * channel + i * step]).collect()).collect()
    }
}

/// Checks element types, bias and quantisation; the type of a result of `shape`.
///
/// # Errors
/// The first that does not fit.
pub(super) fn infer(call: &Call<'_>, channels: Channels, shape: Shape) -> Result<Vec<TensorType>, Diagnostic> {
    let dtype = call.want_dtype(0, &DType::REAL)?;
    let of_weights: &[DType] = match dtype {
        DType::F32 if hybrid::is_known_to(call) => &[DType::F32, DType::I8],
        DType::F32 => &[DType::F32],
        DType::U8 => &[DType::U8],
        _ => &[DType::I8],
    };
    call.want_dtype(WEIGHTS, of_weights)?;
    hybrid::check(call)?;
    if let Some(bias) = call.opt_arg(BIAS) {
        let dtypes: &[DType] = match dtype {
            DType::F32 => &[DType::F32],
            DType::I16 => &[DType::I64, DType::I32],
            _ => &[DType::I32],
        };
        call.want_dtype(BIAS, dtypes)?;
        call.want_shape(BIAS, &[channels.count])?;
        if bias.quant.is_some() {
            let error = call.arg_error(Kind::Quantization, BIAS, "`bias` has a scale of its own").got(bias.to_string());
            return Err(error.help("leave it out: it is the product of those of the argument and the weights"));
        }
    }
    let quant = if dtype == DType::F32 {
        if hybrid::is(call) {
            weight_quant(call, channels)?;
        }
        None
    } else {
        call.symmetric_quant(0)?;
        weight_quant(call, channels)?;
        Some(call.declared_symmetric_quant(0, dtype)?)
    };
    Ok(vec![TensorType { dtype, shape, quant }])
}

/// The quantisation of weights: one scale or one for each output channel; of i8 with zero points 0, of u8 one.
fn weight_quant<'a>(call: &Call<'a>, channels: Channels) -> Result<&'a Quant, Diagnostic> {
    let ty = call.arg(WEIGHTS);
    let error = |message: &str| {
        let message = format!("`{}` {message}", call.arg_name(WEIGHTS));
        call.arg_error(Kind::Quantization, WEIGHTS, message).got(ty.to_string())
    };
    if ty.dtype == DType::U8 {
        return call.quant(WEIGHTS);
    }
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

/// The parameter structure of the layer's weights: `WeightsF32`, `WeightsHybrid`, `WeightsI8`, `WeightsU8` or
/// `WeightsI16`.
///
/// # Errors
/// Scales so far apart that no multiplier bridges them, or values that are needed and that only the compiler can read.
pub(super) fn lower(lower: &mut Lower<'_>, channels: Channels) -> Result<Value, Diagnostic> {
    lower_as(lower, channels, true)
}

/// As [`lower`], with the bias alone: the kernel takes the argument's zero point from each element.
///
/// # Errors
/// As those of [`lower`].
pub(super) fn lower_unfolded(lower: &mut Lower<'_>, channels: Channels) -> Result<Value, Diagnostic> {
    lower_as(lower, channels, false)
}

fn lower_as(lower: &mut Lower<'_>, channels: Channels, folds: bool) -> Result<Value, Diagnostic> {
    let weights = Value::Slice(lower.weights(WEIGHTS));
    let result = lower.result(0).clone();
    let Some(quant) = &result.quant else {
        let [min, max] = bounds_f32(lower);
        let clamp = Struct { name: "Clamp", fields: vec![("min", Value::F32(min)), ("max", Value::F32(max))] };
        if hybrid::is(lower) {
            let scales = weight_quant(lower, channels)?.scales().to_vec();
            let sums = if folds && lower.bool(hybrid::ASYMMETRIC.name) {
                let weights: Vec<i32> = lower.known_i8(WEIGHTS)?.into_iter().map(i32::from).collect();
                // Minus the sums, plus nothing, times -1.
                fold(channels, &vec![0; channels.count], &weights, -1)
            } else {
                Vec::new()
            };
            return Ok(hybrid::weights(lower, &scales, &sums, Value::Struct(clamp)));
        }
        let bias = bias(lower);
        let fields = vec![("weights", weights), ("bias", bias), ("result", Value::Struct(clamp))];
        return Ok(Value::Struct(Struct { name: "WeightsF32", fields }));
    };
    let zero_point = lower.quant(0)?.zero_point();
    let factors = factors(lower, channels, quant)?;
    let bounds = bounds(lower, quant, result.dtype);
    match result.dtype {
        DType::U8 => return lower_u8(lower, channels, weights, &factors, quant, bounds, folds),
        DType::I16 => return lower_i16(lower, weights, &factors, quant, bounds),
        _ => {}
    }
    let fields = vec![
        ("weights", weights.clone()),
        ("bias", folded_bias(lower, channels, weights, if folds { zero_point } else { 0 })),
        ("zero_point", Value::Int(zero_point.into())),
        ("result", requantize(lower, &factors, quant, bounds)?),
    ];
    Ok(Value::Struct(Struct { name: "WeightsI8", fields }))
}

/// A layer of i8 in numbers.
pub(super) struct Quantised {
    /// The weights.
    pub(super) weights: Vec<i8>,
    /// The bias of each channel minus the argument's zero point times the sum of its weights.
    pub(super) bias: Vec<i32>,
    /// From sums to results, for each channel or one for all.
    pub(super) multipliers: Vec<Multiplier>,
    /// The argument's zero point.
    pub(super) from: i32,
    /// The result's zero point.
    pub(super) to: i32,
    /// Bounds of the result.
    pub(super) bounds: [i32; 2],
}

/// The numbers of a layer of i8; `None` of another type and where only the compiler can read them.
///
/// # Errors
/// As for [`lower`].
pub(super) fn quantised(lower: &Lower<'_>, channels: Channels) -> Result<Option<Quantised>, Diagnostic> {
    let result = lower.result(0);
    let (DType::I8, Some(quant)) = (result.dtype, &result.quant) else { return Ok(None) };
    let (Ok(bias), Ok(weights)) = (known_bias(lower, channels), lower.known_i8(WEIGHTS)) else { return Ok(None) };
    let wide: Vec<i32> = weights.iter().copied().map(i32::from).collect();
    let from = lower.quant(0)?.zero_point();
    Ok(Some(Quantised {
        bias: fold(channels, &bias, &wide, from),
        weights,
        multipliers: multipliers(lower, &factors(lower, channels, quant)?)?,
        from,
        to: quant.zero_point(),
        bounds: bounds(lower, quant, result.dtype),
    }))
}

fn lower_u8(
    lower: &mut Lower<'_>,
    channels: Channels,
    weights: Value,
    factors: &[f64],
    quant: &Quant,
    bounds: [i32; 2],
    folds: bool,
) -> Result<Value, Diagnostic> {
    let (zero_point, weights_zero_point) = (lower.quant(0)?.zero_point(), lower.quant(WEIGHTS)?.zero_point());
    let known = lower.known_bytes(WEIGHTS)?;
    let centred: Vec<i32> = known.iter().map(|weight| i32::from(*weight) - weights_zero_point).collect();
    let bias = known_bias(lower, channels)?;
    let folded = fold(channels, &bias, &centred, if folds { zero_point } else { 0 });
    let name = format!("{}_folded", lower.static_name(BIAS));
    let fields = vec![
        ("weights", weights),
        ("weights_zero_point", Value::Int(weights_zero_point.into())),
        ("bias", Value::Slice(lower.static_i32(name, &folded, true))),
        ("zero_point", Value::Int(zero_point.into())),
        ("once", Value::Bool(channels.dense)),
        ("result", requantize(lower, factors, quant, bounds)?),
    ];
    Ok(Value::Struct(Struct { name: "WeightsU8", fields }))
}

/// The most bits that the sums of an i16 layer may be shifted to the left, as TensorFlow Lite Micro has it.
const MAX_WIDE_SHIFT: i32 = 7;

/// Sums are wide unless the bias is i32.
fn lower_i16(
    lower: &mut Lower<'_>,
    weights: Value,
    factors: &[f64],
    quant: &Quant,
    bounds: [i32; 2],
) -> Result<Value, Diagnostic> {
    let bias_type = lower.opt_arg(BIAS).map(|ty| ty.dtype);
    let wide = bias_type != Some(DType::I32);
    if let Some(factor) = factors.iter().find(|factor| wide && Multiplier::new(**factor).shift > MAX_WIDE_SHIFT) {
        return Err(too_large(lower, *factor, MAX_WIDE_SHIFT));
    }
    let bias = match bias_type {
        None => Value::Empty,
        Some(DType::I64) => Value::Slice(lower.weights(BIAS)),
        Some(_) => {
            let name = format!("{}_wide", lower.static_name(BIAS));
            Value::Slice(match lower.known_i32(BIAS) {
                Ok(known) => lower.static_i64(name, &known.into_iter().map(i64::from).collect::<Vec<_>>(), true),
                Err(_) => {
                    let narrow = Value::Slice(lower.weights(BIAS));
                    let count = lower.arg(BIAS).shape.elements();
                    lower.static_fn(name, DType::I64, count, "widened_bias", vec![narrow])
                }
            })
        }
    };
    let fields = vec![
        ("weights", weights),
        ("bias", bias),
        ("wide", Value::Bool(wide)),
        ("result", requantize(lower, factors, quant, bounds)?),
    ];
    Ok(Value::Struct(Struct { name: "WeightsI16", fields }))
}

fn too_large(lower: &Lower<'_>, factor: f64, shift: i32) -> Diagnostic {
    lower
        .error(Kind::Quantization, "the result's scale is too small for its arguments' scales")
        .got(format!("a factor of {factor:e} between sums and results"))
        .wanted(format!("a factor below 2^{shift}"))
}

/// From sums of products to steps of the result, for each channel or for all.
pub(super) fn factors(call: &Call<'_>, channels: Channels, result: &Quant) -> Result<Vec<f64>, Diagnostic> {
    let (from, weights) = (call.quant(0)?.scale(0), weight_quant(call, channels)?);
    let to = f64::from(result.scale(0));
    Ok(match weights.scales() {
        [scale] if channels.dense || call.arg(0).dtype == DType::U8 => vec![f64::from(from * scale) / to],
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
    let multipliers = multipliers(lower, factors)?;
    Ok(requantize_by(lower, &multipliers, result, bounds))
}

/// The multipliers of `factors`.
pub(super) fn multipliers(lower: &Lower<'_>, factors: &[f64]) -> Result<Vec<Multiplier>, Diagnostic> {
    let multipliers: Vec<Multiplier> = factors.iter().map(|factor| Multiplier::new(*factor)).collect();
    match multipliers.iter().position(|m| m.shift > Multiplier::MAX_SHIFT) {
        Some(index) => Err(too_large(lower, factors[index], Multiplier::MAX_SHIFT)),
        None => Ok(multipliers),
    }
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
    // Those of channels come from the scales of their weights.
    let weights = multipliers.len() > 1;
    let values: Vec<i32> = multipliers.iter().map(|m| m.value).collect();
    let shifts: Vec<i8> = multipliers.iter().map(|m| i8::try_from(m.shift).unwrap_or(0)).collect();
    let name = lower.result_name().to_owned();
    let fields = vec![
        ("multipliers", Value::Slice(lower.static_i32(format!("{name}_multipliers"), &values, weights))),
        ("shifts", Value::Slice(lower.static_i8(format!("{name}_shifts"), &shifts, weights))),
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
    let name = format!("{}_folded", lower.static_name(BIAS));
    if let (Ok(bias), Ok(weights)) = (known_bias(lower, channels), lower.known_i8(WEIGHTS)) {
        let weights: Vec<i32> = weights.into_iter().map(i32::from).collect();
        let folded = fold(channels, &bias, &weights, zero_point);
        return Value::Slice(lower.static_i32(name, &folded, true));
    }
    let count = lower.arg(WEIGHTS).shape.elements() / channels.count;
    let [channel, step] = channels.steps(count);
    let sizes = [count, channel, step].map(Value::size);
    let args = [bias(lower), weights, Value::Int(zero_point.into())].into_iter().chain(sizes).collect();
    Value::Slice(lower.static_fn(name, DType::I32, channels.count, "folded_bias", args))
}

/// The bias of each channel, zeros if there is none.
fn known_bias(lower: &Lower<'_>, channels: Channels) -> Result<Vec<i32>, Diagnostic> {
    if lower.opt_arg(BIAS).is_some() { lower.known_i32(BIAS) } else { Ok(vec![0; channels.count]) }
}

/// The bias of each channel minus the argument's zero point times the sum of its weights.
fn fold(channels: Channels, bias: &[i32], weights: &[i32], zero_point: i32) -> Vec<i32> {
    let count = weights.len() / channels.count;
    let [channel, step] = channels.steps(count);
    let sum = |c: usize| (0..count).map(|i| weights[c * channel + i * step]).fold(0, i32::wrapping_add);
    bias.iter().enumerate().map(|(c, bias)| bias.wrapping_sub(zero_point.wrapping_mul(sum(c)))).collect()
}
