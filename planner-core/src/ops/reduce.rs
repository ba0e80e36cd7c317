//! What `sum`, `mean`, `max` and `global_avg_pool` have in common.

use super::kernel::by_number;
use super::lead::Lead;
use super::strides::{Axis, merged, outer, signed};
use super::weights::{requantize, requantize_by};
use super::{ArgSpec, AttrSpec, AttrValue, Call, Form, Lower, Lowered, Role};
use crate::diagnostic::{Diagnostic, Kind};
use crate::dtype::DType;
use crate::emit::{Struct, Value};
use crate::fixed_point::Multiplier;
use crate::model::TensorType;
use crate::quant::Quant;

/// The arguments of a reduction.
pub(super) const ARGS: &[ArgSpec] = &[ArgSpec { name: "x", role: Role::Any, doc: "f32, i8, u8, i16 or i32" }];

/// The attributes of a reduction.
pub(super) const ATTRS: &[AttrSpec] =
    &[AttrSpec { name: "axes", form: Form::Axes, default: None, doc: "the dimensions that go" }, KEEP_DIMS];

/// The attribute `keep_dims`.
pub(super) const KEEP_DIMS: AttrSpec = AttrSpec {
    name: "keep_dims",
    form: Form::Bool,
    default: Some(AttrValue::Bool(false)),
    doc: "the dimensions that go stay as 1",
};

/// The dimensions of the attribute `axes`, sorted.
///
/// # Errors
/// None, one that does not exist or one given twice.
pub(super) fn axes(call: &Call<'_>) -> Result<Vec<usize>, Diagnostic> {
    let axes = call.axes("axes", call.arg(0).shape.rank())?;
    if axes.is_empty() {
        return Err(call.attr_error(Kind::Attribute, "axes", "`axes` names no dimension"));
    }
    Ok(axes)
}

/// The type of a result without `axes`; `quant` is asked for that of an integer result.
///
/// # Errors
/// Types that cannot be reduced, or what `quant` finds.
pub(super) fn infer(
    call: &Call<'_>,
    axes: &[usize],
    quant: impl Fn() -> Result<Quant, Diagnostic>,
) -> Result<Vec<TensorType>, Diagnostic> {
    let dtype = call.want_dtype(0, &DType::NUMBERS)?;
    let quant = if dtype.is_quantized() { Some(quant()?) } else { None };
    let keep = call.bool("keep_dims");
    let mut dims = Vec::new();
    for (axis, &size) in call.arg(0).shape.iter().enumerate() {
        if !axes.contains(&axis) {
            dims.push(size);
        } else if keep {
            dims.push(1);
        }
    }
    Ok(vec![TensorType { dtype, shape: call.shape(dims)?, quant }])
}

/// The quantisation of a mean: as declared, else the argument's.
///
/// # Errors
/// An argument without one, or a declared one per channel.
pub(super) fn mean_quant(call: &Call<'_>) -> Result<Quant, Diagnostic> {
    let own = call.quant(0)?;
    if call.declared(0).quant.is_some() { call.declared_quant(0) } else { Ok(own.clone()) }
}

/// The parameter structure `Reduce` without `axes`, and the number of results.
pub(super) fn shape(lower: &Lower<'_>, axes: &[usize]) -> (Struct, usize) {
    let dims = &lower.arg(0).shape;
    let strides = dims.strides();
    let (gone, kept): (Vec<usize>, Vec<usize>) = (0..dims.rank()).partition(|axis| axes.contains(axis));
    let of = |list: &[usize], axes: &[usize]| -> Vec<usize> { axes.iter().map(|&axis| list[axis]).collect() };

    let kept_dims = of(dims, &kept);
    let results = kept_dims.iter().product();
    let to_strides: Vec<usize> = (0..kept.len()).map(|i| kept_dims[i + 1..].iter().product()).collect();
    let kept = merged(&kept_dims, [&of(&strides, &kept), &to_strides]);

    let gone_strides = of(&strides, &gone);
    let mut gone = merged(&of(dims, &gone), [&gone_strides, &gone_strides]);
    let inner = gone.pop().unwrap_or(Axis { size: 1, strides: [1, 1] });
    let fields = vec![
        ("kept", outer(&kept)),
        ("reduced", outer(&gone)),
        ("runs", Value::size(gone.iter().map(|axis| axis.size).product())),
        ("run", Value::size(inner.size)),
        ("step", inner.step()),
    ];
    (Struct { name: "Reduce", fields }, results)
}

/// A sum over `axes`, or a mean.
///
/// # Errors
/// Scales so far apart that no multiplier bridges them.
pub(super) fn lower_sum(lower: &mut Lower<'_>, axes: &[usize], mean: bool) -> Result<Lowered, Diagnostic> {
    let (shape, results) = shape(lower, axes);
    let shape = ("shape", Value::Struct(shape));
    let count = lower.arg(0).shape.elements() / results;
    let result = lower.result(0).clone();
    let kernel = by_number(result.dtype, ["sum_f32", "sum_i8", "sum_u8", "sum_i16", "sum_i32"]);
    if result.dtype == DType::I32 {
        let divisor = Value::size(if mean { count } else { 1 });
        let params = Struct { name: "SumI32", fields: vec![shape, ("divisor", divisor)] };
        return Ok(Lowered::one(kernel, params, vec![0], results).lead(lower, 0, lead(lower, axes)));
    }
    let Some(quant) = &result.quant else {
        #[allow(clippy::cast_precision_loss, reason = "as TensorFlow Lite divides")]
        let divisor = if mean { count as f32 } else { 1.0 };
        let params = Struct { name: "SumF32", fields: vec![shape, ("divisor", Value::F32(divisor))] };
        return Ok(Lowered::one(kernel, params, vec![0], results).lead(lower, 0, lead(lower, axes)));
    };
    let range = result.dtype.range().unwrap_or(0..=0);
    let bounds = [*range.start(), *range.end()];
    let from = lower.quant(0)?;
    let factor = f64::from(from.scale(0)) / f64::from(quant.scale(0));
    let requantize = if mean && Multiplier::new(factor).shift <= Multiplier::MAX_SHIFT {
        requantize_by(lower, &[mean_multiplier(Multiplier::new(factor), count)], quant, bounds)
    } else {
        requantize(lower, &[factor], quant, bounds)?
    };
    #[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "sums wrap as well")]
    let zero_points = from.zero_point().wrapping_mul(count as i32);
    let fields = vec![shape, ("zero_points", Value::Int(zero_points.into())), ("result", requantize)];
    Ok(Lowered::one(kernel, Struct { name: "SumInt", fields }, vec![0], results).lead(lower, 0, lead(lower, axes)))
}

/// How far the writes of a reduction over `axes` run ahead of its reads.
pub(super) fn lead(lower: &Lower<'_>, axes: &[usize]) -> Lead {
    let dims = &lower.arg(0).shape;
    let reach = dims.iter().zip(dims.strides()).enumerate().filter(|(axis, _)| axes.contains(axis));
    let reach: usize = reach.map(|(_, (&size, stride))| (size - 1) * stride).sum();
    let kept = dims.iter().zip(dims.strides()).enumerate().filter(|(axis, _)| !axes.contains(axis));
    let (sizes, strides): (Vec<usize>, Vec<isize>) = kept.map(|(_, (&size, stride))| (size, signed(stride))).unzip();
    Lead::new(lower, 0).over(&sizes, &strides).reaching(reach)
}

/// `multiplier / count`, as TensorFlow Lite's `QuantizedMeanOrSum` divides it.
fn mean_multiplier(multiplier: Multiplier, count: usize) -> Multiplier {
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    let shift = (63 - count.leading_zeros().cast_signed()).min(32).min(31 + multiplier.shift);
    let value = (i64::from(multiplier.value) << shift) / count;
    Multiplier { value: i32::try_from(value).unwrap_or(0), shift: multiplier.shift - shift }
}
