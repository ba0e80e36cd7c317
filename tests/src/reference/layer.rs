//! Sums of products with weights, from the indices of what is multiplied.

use super::activation::quantized;
use super::fixed_point::{multiplier, multiply};
use planner_core::quant::Quant;

/// For each element of a result, the indices of argument and weights that it multiplies.
pub type Products = Vec<Vec<[usize; 2]>>;

/// The bounds that an activation puts on reals.
#[must_use]
pub fn bounds(act: &str) -> [f32; 2] {
    match act {
        "relu" => [0.0, f32::INFINITY],
        "relu6" => [0.0, 6.0],
        "relu_n1_to_1" => [-1.0, 1.0],
        _ => [f32::NEG_INFINITY, f32::INFINITY],
    }
}

/// `real` between the bounds of `act`, and how much it may be off: f32 rounds each of `terms`.
#[must_use]
pub fn layer_f32(products: &Products, x: &[f32], w: &[f32], bias: Option<&[f32]>, act: &str) -> Vec<[f64; 2]> {
    let result = |(index, products): (usize, &Vec<[usize; 2]>)| {
        let bias = bias.map_or(0.0, |bias| f64::from(bias[index % bias.len()]));
        let terms = products.iter().map(|&[i, j]| f64::from(x[i]) * f64::from(w[j]));
        let magnitude = terms.clone().map(f64::abs).sum::<f64>() + bias.abs();
        let [min, max] = bounds(act).map(f64::from);
        [(terms.sum::<f64>() + bias).clamp(min, max), magnitude * 1e-5]
    };
    products.iter().enumerate().map(result).collect()
}

/// A quantised layer: its arguments' and its result's quantisation.
#[derive(Clone, Copy, Debug)]
pub struct LayerI8<'a> {
    /// Of the argument.
    pub x: &'a Quant,
    /// Of the weights.
    pub w: &'a Quant,
    /// Of the result.
    pub y: &'a Quant,
    /// Weights with one scale: the scales are multiplied in f32.
    pub single_product: bool,
}

impl LayerI8<'_> {
    /// What sums of products of `channel` are multiplied with.
    fn factor(&self, channel: usize) -> f64 {
        let (x, w) = (self.x.scale(0), self.w.scale(channel));
        let product = if self.single_product { f64::from(x * w) } else { f64::from(x) * f64::from(w) };
        product / f64::from(self.y.scale(0))
    }

    /// `ConvPerChannel`, `DepthwiseConvPerChannel`, `FullyConnected`.
    #[must_use]
    pub fn results(&self, products: &Products, x: &[i8], w: &[i8], bias: Option<&[i32]>, act: &str) -> Vec<i8> {
        let channels = bias.map_or(self.w.scales().len(), <[i32]>::len);
        let [min, max] = bounds(act).map(|bound| quantized(bound.clamp(-1e9, 1e9), self.y));
        let result = |(index, products): (usize, &Vec<[usize; 2]>)| {
            let channel = index % channels;
            let term = |&[i, j]: &[usize; 2]| (i64::from(x[i]) - i64::from(self.x.zero_point())) * i64::from(w[j]);
            let sum = products.iter().map(term).sum::<i64>() + bias.map_or(0, |bias| bias[channel].into());
            let scaled = multiply(sum, multiplier(self.factor(channel)));
            i8::try_from((scaled + i64::from(self.y.zero_point())).clamp(min, max)).expect("clamped")
        };
        products.iter().enumerate().map(result).collect()
    }
}
