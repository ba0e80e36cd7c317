//! Folds batch normalisation into the weights and bias of the layer before it.

use super::{absorb, add_param, feeder};
use crate::model::{Data, Model, TensorId, TensorType, TypedModel};
use crate::ops::AttrValue;
use crate::ops::batch_norm::Affine;
use crate::shape::Shape;

/// The operators with weights, and the dimension of the output channels in them.
const LAYERS: [(&str, usize); 4] = [("conv1d", 0), ("conv2d", 0), ("dense", 0), ("depthwise_conv2d", 3)];
const WEIGHTS: usize = 1;
const BIAS: usize = 2;

/// Folds every normalisation that can be; the others stay operators of their own.
pub(super) fn run(typed: &mut TypedModel) {
    for index in 0..typed.model.nodes.len() {
        if typed.model.nodes[index].op.signature().name != "batch_norm" {
            continue;
        }
        let Some(before) = feeder(&typed.model, index) else { continue };
        let name = typed.model.nodes[before].op.signature().name;
        let Some((_, axis)) = LAYERS.iter().find(|layer| layer.0 == name) else { continue };
        if let Some(folded) = fold(&typed.model, &typed.types, before, index, *axis) {
            let [weights, bias] = folded.map(|param| add(typed, param));
            let args = &mut typed.model.nodes[before].args;
            args[WEIGHTS] = Some(weights);
            args[BIAS] = Some(bias);
            absorb(&mut typed.model, before, index);
        }
    }
}

/// A parameter made of others.
struct Folded {
    name: String,
    shape: Shape,
    values: Vec<f64>,
    placeholder: bool,
    /// The parameter, or what stands for one, whose place in the source it takes.
    from: TensorId,
}

/// Weights and bias of layer `before` with normalisation `index` in them, if all numbers are known.
fn fold(model: &Model, types: &[TensorType], before: usize, index: usize, axis: usize) -> Option<[Folded; 2]> {
    let (layer, norm) = (&model.nodes[before], &model.nodes[index]);
    let statistics: Vec<Vec<f32>> = norm.args[1..].iter().map(|id| values(model, (*id)?)).collect::<Option<_>>()?;
    let [gamma, beta, mean, variance] = statistics.as_slice() else { return None };
    let place = norm.op.signature().attr("epsilon")?;
    let AttrValue::Float(epsilon) = norm.attrs[place] else { return None };
    let affine = Affine::new(gamma, beta, mean, variance, epsilon);
    if !affine.is_finite() {
        return None;
    }
    let weights = layer.args[WEIGHTS]?;
    let bias = layer.args.get(BIAS).copied().flatten();
    let channels = affine.scale.len();
    let shape = &types[weights.0].shape;
    let stride: usize = shape[axis + 1..].iter().product();
    let scaled = values(model, weights)?.into_iter().enumerate();
    let scaled = scaled.map(|(i, w)| f64::from(w) * affine.scale[i / stride % channels]);
    let old = bias.map_or(Some(vec![0.0; channels]), |bias| values(model, bias))?;
    let moved = old.iter().zip(&affine.scale).zip(&affine.offset);
    let moved = moved.map(|((bias, scale), offset)| f64::from(*bias) * scale + offset);
    let params = norm.args[1..].iter().flatten().chain([&weights]).chain(&bias);
    let placeholder = params.filter_map(|id| model.param(*id)).any(|param| param.placeholder);
    let name = |id: TensorId, suffix: &str| format!("{}_{suffix}", model.tensor(id).name);
    let result = layer.results[0];
    Some([
        Folded {
            name: name(weights, "folded"),
            shape: shape.clone(),
            values: scaled.collect(),
            placeholder,
            from: weights,
        },
        Folded {
            name: bias.map_or_else(|| name(result, "bias"), |bias| name(bias, "folded")),
            shape: Shape::new([channels]).ok()?,
            values: moved.collect(),
            placeholder,
            from: bias.unwrap_or(result),
        },
    ])
}

/// The numbers of an f32 parameter, if they are known here.
fn values(model: &Model, id: TensorId) -> Option<Vec<f32>> {
    match &model.param(id)?.data {
        Data::Bytes(bytes) => Some(bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect()),
        Data::External(_) => None,
    }
}

/// Adds a parameter of the numbers of `folded`.
#[allow(clippy::cast_possible_truncation, reason = "rounded once, to f32")]
fn add(typed: &mut TypedModel, folded: Folded) -> TensorId {
    let ty = TensorType { shape: folded.shape, ..typed.types[folded.from.0].clone() };
    let bytes: Vec<u8> = folded.values.iter().flat_map(|v| (*v as f32).to_le_bytes()).collect();
    add_param(typed, folded.name, ty, bytes, folded.placeholder, folded.from)
}
