//! Functions of i16, as 513 samples computed here with TensorFlow Lite's arithmetic.

use super::{Lower, Lowered, unary};
use crate::emit::{Struct, Value};
use crate::quant::Quant;

/// Argument 0 through `function` of the real number that it stands for.
pub(super) fn by(lower: &mut Lower<'_>, from: &Quant, to: &Quant, function: impl Fn(f32) -> f32) -> Lowered {
    let samples = sampled((from.scale(0), from.zero_point()), to.scale(0), function);
    let table = lower.static_i16(format!("{}_samples", lower.result_name()), &samples);
    let params = Struct { name: "Samples", fields: vec![("table", Value::Slice(table))] };
    unary::elementwise(lower, "samples_i16", params)
}

/// 513 samples of `function` over all of i16, for a result in steps of `to`, each moved so that the middle between it
/// and the next is half as wrong (`LUTPopulate`).
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "f32 throughout, as the reference")]
#[allow(clippy::manual_midpoint, reason = "rounded as the reference rounds")]
pub(super) fn sampled((scale, zero_point): (f32, i32), to: f32, function: impl Fn(f32) -> f32) -> Vec<i16> {
    const STEPS: u16 = 512;
    let [min, max] = [-32768, 32767].map(|x: i32| scale * (x - zero_point) as f32);
    let [result_min, result_max] = [-32768.0f32, 32767.0].map(|y| to * y);
    let step = (max - min) / f32::from(STEPS);
    let inverse = 65536.0 / (result_max - result_min);
    let clamped = |y: f32| y.clamp(-32768.0, 32767.0) as i16;
    let sample = |i: u16| {
        let value = function(min + f32::from(i) * step);
        let middle = function(min + f32::from(i) * step + step / 2.0);
        let next = function(min + f32::from(i + 1) * step);
        let sample = (value * inverse).round();
        let between = ((next * inverse + sample) / 2.0).round();
        let error = between - (middle * inverse).round();
        clamped(sample - (error / 2.0).round())
    };
    (0..STEPS).map(sample).chain([clamped((function(max) * inverse).round())]).collect()
}
