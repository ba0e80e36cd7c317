//! Operators of two tensors that pair up under numpy's rules.

use super::activation::{ACT, bounds, bounds_f32};
use super::kernel::by_number;
use super::lead::Lead;
use super::strides::{Axis, merged, outer, signed};
use super::{ArgSpec, AttrSpec, Call, Lower, Lowered, Role, weighted};
use crate::diagnostic::{Diagnostic, Kind};
use crate::dtype::DType;
use crate::emit::{Struct, Value};
use crate::fixed_point::Multiplier;
use crate::model::TensorType;
use crate::quant::Quant;
use crate::shape::Shape;
use crate::steps::Sharing;

/// The arguments of them all.
pub(super) const ARGS: &[ArgSpec] = &[
    ArgSpec { name: "a", role: Role::Any, doc: "f32, i8, u8, i16 or i32" },
    ArgSpec { name: "b", role: Role::Any, doc: "of the same element type, of a shape that broadcasts" },
];

/// The attributes of arithmetic.
pub(super) const ATTRS: &[AttrSpec] = &[ACT];

/// Element type and shape of the result.
///
/// # Errors
/// Types that differ, or shapes that do not broadcast.
pub(super) fn paired(call: &Call<'_>) -> Result<(DType, Shape), Diagnostic> {
    let (dtype, shape) = paired_of(call, &DType::NUMBERS)?;
    let act = call.has_attr("act") && call.name("act") != Some("none");
    if dtype == DType::I32 && act {
        return Err(call.attr_error(Kind::Attribute, "act", "sums of i32 have no activation"));
    }
    Ok((dtype, shape))
}

/// As [`paired`], for elements of `dtypes`.
///
/// # Errors
/// As for [`paired`].
pub(super) fn paired_of(call: &Call<'_>, dtypes: &[DType]) -> Result<(DType, Shape), Diagnostic> {
    let dtype = call.want_dtype(0, dtypes)?;
    call.want_dtype(1, &[dtype])?;
    let (a, b) = (call.arg(0), call.arg(1));
    let Some(shape) = a.shape.broadcast(&b.shape) else {
        return Err(call
            .arg_error(Kind::Broadcast, 1, "these shapes do not broadcast")
            .got(format!("{} and {}", a.shape, b.shape))
            .wanted("dimensions that, counted from the last, are equal or 1"));
    };
    Ok((dtype, shape))
}

/// The type of a result whose scale and zero point are the user's choice.
///
/// # Errors
/// As for [`paired`], or missing quantisation.
pub(super) fn declared(call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
    let (dtype, shape) = paired(call)?;
    if matches!(dtype, DType::F32 | DType::I32) {
        return Ok(vec![TensorType::plain(dtype, shape)]);
    }
    call.quant(0)?;
    call.quant(1)?;
    Ok(vec![TensorType { dtype, shape, quant: Some(call.declared_quant(0)?) }])
}

/// As [`declared`]; zero points of i16 are 0.
///
/// # Errors
/// As there, or another zero point.
pub(super) fn declared_symmetric(call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
    let types = declared(call)?;
    if types[0].dtype == DType::I16 {
        call.symmetric_quant(0)?;
        call.symmetric_quant(1)?;
        call.declared_symmetric_quant(0, DType::I16)?;
    }
    Ok(types)
}

/// The type of a result that is one of the arguments' elements.
///
/// # Errors
/// As for [`paired`], or quantisations that differ.
pub(super) fn selected(call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
    let (dtype, shape) = paired(call)?;
    if matches!(dtype, DType::F32 | DType::I32) {
        return Ok(vec![TensorType::plain(dtype, shape)]);
    }
    let (a, b) = (call.quant(0)?, call.quant(1)?);
    if a != b {
        return Err(call
            .arg_error(Kind::Quantization, 1, "the arguments differ in scale or zero point")
            .got(format!("{a} and {b}"))
            .help("`requantize` one of them"));
    }
    Ok(vec![TensorType { dtype, shape, quant: Some(call.fixed_quant(0, a)?) }])
}

/// A call of `kernel`, in place over either argument that has the result's shape.
pub(super) fn pairwise(lower: &Lower<'_>, kernel: &'static str, params: Struct) -> Lowered {
    pairwise_of(lower, kernel, params, [0, 1])
}

/// As [`pairwise`], of `args` in their order.
pub(super) fn pairwise_of(lower: &Lower<'_>, kernel: &'static str, params: Struct, args: [usize; 2]) -> Lowered {
    let result = lower.result(0);
    Lowered::one(kernel, params, args.to_vec(), result.shape.elements()).over_arguments(lower)
}

impl Lowered {
    /// With its result in the place of an argument of its shape and size, or over one of another.
    pub(super) fn over_arguments(self, lower: &Lower<'_>) -> Self {
        let result = lower.result(0);
        self.reads.clone().into_iter().enumerate().fold(self, |lowered, (read, arg)| {
            let ty = lower.arg(arg);
            if same_places(ty, result) {
                return lowered.sharing(Sharing::InPlace { arg: read, result: 0 });
            }
            let strides: Vec<isize> = broadcast_strides(&ty.shape, &result.shape).into_iter().map(signed).collect();
            lowered.lead_forward(lower, read, Lead::new(lower, arg).over(&result.shape, &strides))
        })
    }
}

/// Each element of `arg` lies where the one of `result` does that it meets.
pub(super) fn same_places(arg: &TensorType, result: &TensorType) -> bool {
    arg.shape.elements() == result.shape.elements() && arg.dtype.bytes() == result.dtype.bytes()
}

/// The structure that says which elements meet.
pub(super) fn pairs(lower: &Lower<'_>) -> Struct {
    pairs_of(lower, [0, 1])
}

/// As [`pairs`], of `args` in their order.
pub(super) fn pairs_of(lower: &Lower<'_>, args: [usize; 2]) -> Struct {
    let result = &lower.result(0).shape;
    let strides = args.map(|arg| broadcast_strides(&lower.arg(arg).shape, result));
    run_of(result, [&strides[0], &strides[1]])
}

/// The structure `Broadcast` for a result of shape `result`, by the strides of both arguments along it.
pub(super) fn run_of(result: &Shape, strides: [&[usize]; 2]) -> Struct {
    let mut axes = merged(result, strides);
    let inner = axes.pop().unwrap_or(Axis { size: 1, strides: [1, 1] });
    Struct {
        name: "Broadcast",
        fields: vec![("run", Value::size(inner.size)), ("steps", Value::ints(inner.strides)), ("axes", outer(&axes))],
    }
}

/// The strides of `shape` along the dimensions of `result`: 0 where one element serves all.
pub(super) fn broadcast_strides(shape: &Shape, result: &Shape) -> Vec<usize> {
    let own = shape.iter().zip(shape.strides()).map(|(&size, stride)| if size == 1 { 0 } else { stride });
    std::iter::repeat_n(0, result.rank() - shape.rank()).chain(own).collect()
}

/// The parameters of f32 arithmetic.
pub(super) fn arithmetic_f32(lower: &Lower<'_>) -> Struct {
    let [min, max] = bounds_f32(lower);
    let fields = vec![("pairs", Value::Struct(pairs(lower))), ("min", Value::F32(min)), ("max", Value::F32(max))];
    Struct { name: "ArithmeticF32", fields }
}

/// The parameters of arithmetic of f32 or i32.
fn plain(lower: &Lower<'_>) -> Struct {
    if lower.result(0).dtype == DType::I32 { pairs(lower) } else { arithmetic_f32(lower) }
}

/// One or the other of each pair.
pub(super) fn selection(lower: &Lower<'_>, kernels: [&'static str; 5]) -> Lowered {
    pairwise(lower, by_number(lower.result(0).dtype, kernels), pairs(lower))
}

/// `a + b` or `a - b`.
///
/// # Errors
/// Scales so far apart that the result cannot be computed.
pub(super) fn sum(lower: &mut Lower<'_>, kernels: [&'static str; 5]) -> Result<Lowered, Diagnostic> {
    let dtype = lower.result(0).dtype;
    let kernel = by_number(dtype, kernels);
    let Some(quant) = &lower.result(0).quant else {
        return Ok(pairwise(lower, kernel, plain(lower)));
    };
    let bits = if dtype == DType::I16 { 15u8 } else { 20 };
    let args = [lower.quant(0)?, lower.quant(1)?];
    let scales = args.map(|arg| arg.scale(0));
    let common = 2.0 * f64::from(scales[0].max(scales[1]));
    let result = common / (f64::from(1 << bits) * f64::from(quant.scale(0)));
    if result >= 1.0 {
        return Err(out_of_range(lower, quant));
    }
    let result = Multiplier::new(result);
    if matches!(kernel, "add_i8" | "sub_i8")
        && let Some(params) = weighted::params(lower, args, common, result, kernel == "sub_i8")
    {
        return Ok(pairwise(lower, "add_weighted_i8", params));
    }
    Ok(pairwise(lower, kernel, add_int(lower, args, common, bits, requantized(lower, quant, result))))
}

/// The structure `AddInt`: both arguments with `bits` fractional bits of the scale `common`, then `result`.
pub(super) fn add_int(
    lower: &Lower<'_>,
    args: [&Quant; 2],
    common: f64,
    bits: u8,
    result: [(&'static str, Value); 5],
) -> Struct {
    let [a, b] = args.map(|arg| {
        let multiplier = Multiplier::new(f64::from(arg.scale(0)) / common);
        let fields = vec![
            ("zero_point", Value::Int(arg.zero_point().into())),
            ("multiplier", Value::Int(multiplier.value.into())),
            ("shift", Value::Int(multiplier.shift.into())),
        ];
        Value::Struct(Struct { name: "Term", fields })
    });
    let mut fields =
        vec![("pairs", Value::Struct(pairs(lower))), ("bits", Value::Int(bits.into())), ("a", a), ("b", b)];
    fields.extend(result);
    Struct { name: "AddInt", fields }
}

/// `a * b`.
///
/// # Errors
/// Scales so far apart that the result cannot be computed.
pub(super) fn product(lower: &Lower<'_>) -> Result<Lowered, Diagnostic> {
    let dtype = lower.result(0).dtype;
    let kernel = by_number(dtype, ["mul_f32", "mul_i8", "mul_u8", "mul_i16", "mul_i32"]);
    let Some(quant) = &lower.result(0).quant else {
        return Ok(pairwise(lower, kernel, plain(lower)));
    };
    let args = [lower.quant(0)?, lower.quant(1)?];
    let scales = args.map(|arg| arg.scale(0));
    let factor = if dtype == DType::U8 {
        // TensorFlow Lite, which u8 comes from, computes in f32.
        f64::from(scales[0] * scales[1] / quant.scale(0))
    } else {
        f64::from(scales[0]) * f64::from(scales[1]) / f64::from(quant.scale(0))
    };
    let result = Multiplier::new(factor);
    // A product has 16 bits and a sign, or all that there are.
    if result.shift > if dtype == DType::I16 { 0 } else { 14 } {
        return Err(out_of_range(lower, quant));
    }
    let zero_points = args.map(Quant::zero_point);
    let mut fields = vec![("pairs", Value::Struct(pairs(lower))), ("arg_zero_points", Value::ints(zero_points))];
    fields.extend(requantized(lower, quant, result));
    Ok(pairwise(lower, kernel, Struct { name: "MulInt", fields }))
}

/// The fields that bring an accumulator to the result's type.
pub(super) fn requantized(lower: &Lower<'_>, quant: &Quant, multiplier: Multiplier) -> [(&'static str, Value); 5] {
    let [min, max] = bounds(lower, quant, lower.result(0).dtype);
    [
        ("multiplier", multiplier.value),
        ("shift", multiplier.shift),
        ("zero_point", quant.zero_point()),
        ("min", min),
        ("max", max),
    ]
    .map(|(name, value)| (name, Value::Int(value.into())))
}

pub(super) fn out_of_range(lower: &Lower<'_>, quant: &Quant) -> Diagnostic {
    lower.error(Kind::Quantization, "the result's scale is too small for those of the arguments").got(format!(
        "{} and {} to {quant}",
        lower.arg(0),
        lower.arg(1)
    ))
}
