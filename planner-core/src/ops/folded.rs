//! Zero points folded into sums at compile time, for layers with more than one matrix.

use super::{Call, Lower};
use crate::diagnostic::{Diagnostic, Kind};
use crate::dtype::DType;
use crate::emit::Value;

/// Sums over rows of weights, whose argument has a zero point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fold {
    /// The place of the weights, `[channel, ..]`.
    pub(super) weights: usize,
    /// The place of the bias of each channel; it may be left out.
    pub(super) bias: Option<usize>,
    /// The argument's zero point.
    pub(super) zero_point: i32,
    /// Rows, of one or more rows of the weights each.
    pub(super) channels: usize,
}

/// The bias of each channel minus the zero point times the sum of its weights; empty for zeros.
///
/// # Errors
/// i16 weights that only the compiler of the user's crate can read.
pub(super) fn folded(lower: &mut Lower<'_>, fold: Fold) -> Result<Value, Diagnostic> {
    let bias = fold.bias.filter(|&bias| lower.opt_arg(bias).is_some());
    if fold.zero_point == 0 {
        return Ok(bias.map_or(Value::Empty, |bias| Value::Slice(lower.weights(bias))));
    }
    let name = format!("{}_folded", lower.static_name(fold.bias.unwrap_or(fold.weights)));
    let count = lower.arg(fold.weights).shape.elements() / fold.channels;
    let known = bias.map_or(Ok(vec![0; fold.channels]), |bias| lower.known_i32(bias));
    if let (Ok(bias), Ok(weights)) = (&known, integers(lower, fold.weights)) {
        let sums = weights.chunks(count).map(|row| row.iter().copied().fold(0, i32::wrapping_add));
        let folded = bias.iter().zip(sums).map(|(bias, sum)| bias.wrapping_sub(fold.zero_point.wrapping_mul(sum)));
        let folded: Vec<i32> = folded.collect();
        return Ok(Value::Slice(lower.static_i32(name, &folded, true)));
    }
    if lower.arg(fold.weights).dtype != DType::I8 {
        lower.known_bytes(fold.weights)?;
        known?;
    }
    let old = bias.map_or(Value::Empty, |bias| Value::Slice(lower.weights(bias)));
    let weights = Value::Slice(lower.weights(fold.weights));
    let sizes = [count, count, 1].map(Value::size);
    let args = [old, weights, Value::Int(fold.zero_point.into())].into_iter().chain(sizes).collect();
    Ok(Value::Slice(lower.static_fn(name, DType::I32, fold.channels, "folded_bias", args)))
}

/// The elements of i8 or i16 parameter `index`.
fn integers(lower: &Lower<'_>, index: usize) -> Result<Vec<i32>, Diagnostic> {
    let bytes = lower.known_bytes(index)?;
    Ok(match lower.arg(index).dtype {
        DType::I16 => bytes.as_chunks().0.iter().map(|b| i32::from(i16::from_le_bytes(*b))).collect(),
        _ => bytes.iter().map(|b| i32::from(b.cast_signed())).collect(),
    })
}

/// The scales of weights whose zero points are 0: one, or with `count` above 1 one for each of so many along the
/// outermost dimension.
///
/// # Errors
/// Another quantisation.
pub(super) fn centred<'a>(call: &Call<'a>, index: usize, count: usize) -> Result<&'a [f32], Diagnostic> {
    let ty = call.arg(index);
    let fits = ty.quant.as_ref().filter(|quant| {
        let axis = if count > 1 { Some(0) } else { None };
        quant.axis() == axis && quant.scales().len() == count && quant.zero_points().iter().all(|zero| *zero == 0)
    });
    fits.map(crate::quant::Quant::scales).ok_or_else(|| {
        let wanted = if count > 1 { format!("`q([{count} scales], axis = 0)`") } else { "`q(scale, 0)`".into() };
        let message = format!("`{}` has another quantisation", call.arg_name(index));
        call.arg_error(Kind::Quantization, index, message).got(ty.to_string()).wanted(wanted)
    })
}
