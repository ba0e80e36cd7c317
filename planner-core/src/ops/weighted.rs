//! Sums of i8 as weighted sums, where every pair of arguments proves that to be exact.

use super::Lower;
use super::activation::bounds;
use crate::arch::Arch;
use crate::dtype::DType;
use crate::emit::{Struct, Value};
use crate::fixed_point::Multiplier;
use crate::quant::Quant;

/// Sums are in 2^-20 of a step of the result, products of the weights in 2^-28.
const STEP: i64 = 1 << 20;
/// A sum is never this far from what the definition rounds: while a weight is less than eight steps, its product is
/// 1.25 off and the weights of [`TRIED`] are 4 more each; the definition's two arguments and its sum are 16 off each.
const NEAR: i64 = 128;
/// What weights are tried, beside those that are closest to the scales.
const TRIED: [i64; 7] = [0, 1, -1, 3, -3, 6, -6];

/// The structure `AddWeightedI8` of `a + b`, or of `a - b` where it is the `difference`: both brought to the scale
/// `common`, then by `result` to that of the result. `None` where no weights are exact, and on machines that have no
/// such kernel.
pub(super) fn params(
    lower: &Lower<'_>,
    args: [&Quant; 2],
    common: f64,
    result: Multiplier,
    difference: bool,
) -> Option<Struct> {
    if lower.arch == Arch::Portable || lower.arg(0).shape != lower.arg(1).shape || result.value == 0 {
        return None;
    }
    let quant = lower.result(0).quant.as_ref()?;
    let bounds = bounds(lower, quant, DType::I8);
    let sign = if difference { -1 } else { 1 };
    let definition = Definition {
        args: [(args[0], 1), (args[1], sign)].map(|(arg, sign)| {
            let factor = Multiplier::new(f64::from(arg.scale(0)) / common);
            values().map(|value| i64::from(sign * factor.apply((value - arg.zero_point()) << 20))).collect()
        }),
        result,
        zero_point: quant.zero_point(),
        bounds: bounds.map(i64::from),
    };
    let ratios = [(args[0], 1), (args[1], sign)]
        .map(|(arg, sign)| f64::from(sign) * f64::from(arg.scale(0)) / f64::from(quant.scale(0)));
    let zero_points = args.map(|arg| f64::from(arg.zero_point()));
    let (weights, offset) = definition.weights(ratios, zero_points)?;
    let fields = vec![
        ("weights", Value::ints(weights)),
        ("offset", Value::Int(offset)),
        ("min", Value::Int(bounds[0].into())),
        ("max", Value::Int(bounds[1].into())),
    ];
    Some(Struct { name: "AddWeightedI8", fields })
}

/// All values of i8.
fn values() -> impl Iterator<Item = i32> {
    -128..128
}

/// A sum as the portable kernel computes it.
struct Definition {
    /// What each value of an argument is on the common scale.
    args: [Vec<i64>; 2],
    result: Multiplier,
    zero_point: i32,
    bounds: [i64; 2],
}

impl Definition {
    /// Weights and an offset that give the same results, of arguments whose steps are `ratios` of the result's.
    #[allow(clippy::cast_possible_truncation, reason = "out of range is found below")]
    fn weights(&self, ratios: [f64; 2], zero_points: [f64; 2]) -> Option<([i32; 2], i64)> {
        let steps = f64::from(self.zero_point) + 0.5 - ratios[0] * zero_points[0] - ratios[1] * zero_points[1];
        let offset = (steps * f64::from(1 << 20)).round() as i64;
        let closest = ratios.map(|ratio| (ratio * f64::from(1 << 28)).round() as i64);
        TRIED.iter().flat_map(|a| TRIED.map(|b| [closest[0] + a, closest[1] + b])).find_map(|weights| {
            let [a, b] = weights.map(|weight| i32::try_from(weight).ok());
            Some(([a?, b?], self.offset(weights, offset)?))
        })
    }

    /// The middle of the offsets close to `offset` with which `weights` are exact.
    fn offset(&self, weights: [i64; 2], offset: i64) -> Option<i64> {
        let products = weights.map(|weight| values().map(|value| (i64::from(value) * weight) >> 8).collect::<Vec<_>>());
        let ends = |most: fn(i64, i64) -> i64| products.iter().map(|of| most(of[0], of[255])).sum::<i64>() + offset;
        if ends(i64::min) - NEAR < i32::MIN.into() || ends(i64::max) + NEAR > i32::MAX.into() {
            return None;
        }
        let (mut least, mut most) = (-NEAR, NEAR);
        let [first, second] = &products;
        let (mut a, mut b) = (0, 0);
        // As plain as it can be, for macros that are not optimised.
        while a < 256 && least <= most {
            let sum = first[a] + offset;
            while b < 256 {
                // Other sums lie so far from where a result changes that no offset within `NEAR` matters.
                if (sum + second[b] + NEAR) & (STEP - 1) <= 2 * NEAR {
                    let [min, max] = self.bounds;
                    let (wanted, sum) = (self.result(a, b), sum + second[b]);
                    least = if wanted > min { least.max(wanted * STEP - sum) } else { least };
                    most = if wanted < max { most.min((wanted + 1) * STEP - 1 - sum) } else { most };
                }
                b += 1;
            }
            (a, b) = (a + 1, 0);
        }
        (least <= most).then(|| offset + i64::midpoint(least, most))
    }

    /// The result for the values of two indices.
    #[allow(clippy::cast_possible_truncation, reason = "two numbers of 29 bits")]
    fn result(&self, a: usize, b: usize) -> i64 {
        let sum = self.args[0][a] + self.args[1][b];
        let [min, max] = self.bounds;
        i64::from(self.result.apply(sum as i32) + self.zero_point).clamp(min, max)
    }
}
