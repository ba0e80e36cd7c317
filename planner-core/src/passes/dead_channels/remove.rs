//! Takes channels out of tensors, weights, biases and attributes.

use super::super::{add_param, set_list};
use crate::dtype::DType;
use crate::infer::types;
use crate::model::{Channel, Data, Reduced, TensorId, TensorType, TypedModel};
use crate::ops::channels::{Flow, count};
use crate::ops::ranges::biases;
use crate::quant::Quant;
use crate::shape::Shape;

const WEIGHTS: usize = 1;
const BIAS: usize = 2;

/// `typed` without the channels that are not kept; `None` where that cannot be said.
pub(super) fn remove(typed: &TypedModel, flows: &[Option<Flow>], dead: &[Option<Vec<Channel>>]) -> Option<TypedModel> {
    let mut out = typed.clone();
    for (index, flow) in flows.iter().enumerate() {
        let node = &typed.model.nodes[index];
        let touched = |id: &TensorId| dead[id.0].is_some();
        if !node.args.iter().flatten().chain(&node.results).any(touched) {
            continue;
        }
        match *flow {
            Some(Flow::Layer(_)) => layer(&mut out, index, dead, false)?,
            Some(Flow::Depthwise(_)) => layer(&mut out, index, dead, true)?,
            Some(Flow::Along | Flow::Joined | Flow::Reshaped) => {
                for place in 0..node.args.len() {
                    let Some(arg) = node.args[place] else { continue };
                    if let (Some(channels), Some(_)) = (&dead[arg.0], typed.model.param(arg)) {
                        out.model.nodes[index].args[place] = Some(cut(&mut out, arg, channels)?);
                    }
                }
                let y = node.results[0];
                let shape = with_size(&typed.ty(y).shape, typed.ty(y).shape.rank() - 1, staying(typed, y, dead).len())?;
                // That of a reshape.
                set_list(
                    &mut out.model.nodes[index],
                    "shape",
                    shape.iter().map(|size| i64::try_from(*size).unwrap_or(0)).collect(),
                );
            }
            None => {}
        }
    }
    for (index, channels) in dead.iter().enumerate() {
        let tensor = TensorId(index);
        if let (Some(channels), None) = (channels, typed.model.param(tensor)) {
            out.model.tensors[index].declared.shape = None;
            out.model.reduced.push(Reduced { tensor, channels: channels.clone() });
        }
    }
    let (inferred, found) = types(&out.model);
    out.types = inferred.into_iter().zip(&out.types).map(|(ty, old)| ty.unwrap_or_else(|| old.clone())).collect();
    let as_planned = |reduced: &Reduced| count(out.ty(reduced.tensor)) == Some(kept(&reduced.channels).len());
    (found.0.is_empty() && out.model.reduced.iter().all(as_planned)).then_some(out)
}

fn kept(channels: &[Channel]) -> Vec<usize> {
    (0..channels.len()).filter(|channel| channels[*channel] == Channel::Kept).collect()
}

/// The channels of `id` that stay.
fn staying(typed: &TypedModel, id: TensorId, dead: &[Option<Vec<Channel>>]) -> Vec<usize> {
    dead[id.0].as_ref().map_or_else(|| (0..count(typed.ty(id)).unwrap_or(0)).collect(), |channels| kept(channels))
}

/// Parameter `id`, along whose last dimension channels lie, without those that go.
fn cut(typed: &mut TypedModel, id: TensorId, channels: &[Channel]) -> Option<TensorId> {
    let param = typed.model.param(id)?;
    let (Data::Bytes(bytes), mut ty) = (param.data.clone(), typed.ty(id).clone()) else { return None };
    let kept = kept(channels);
    let size = ty.dtype.bytes();
    let rows = bytes.chunks(size * channels.len());
    let bytes =
        rows.flat_map(|row| kept.iter().flat_map(move |at| &row[at * size..(at + 1) * size])).copied().collect();
    ty.shape = with_size(&ty.shape, ty.shape.rank() - 1, kept.len())?;
    Some(add_live(typed, id, ty, bytes))
}

/// Gives layer `index` the weights and the bias that are left.
fn layer(typed: &mut TypedModel, index: usize, dead: &[Option<Vec<Channel>>], depthwise: bool) -> Option<()> {
    let node = typed.model.nodes[index].clone();
    let (x, weights, y) = (node.args[0]?, node.args[WEIGHTS]?, node.results[0]);
    let Data::Bytes(bytes) = typed.model.param(weights)?.data.clone() else { return None };
    let (inputs, outputs) = (staying(typed, x, dead), staying(typed, y, dead));
    let (of_x, of_weights) = (typed.ty(x).clone(), typed.ty(weights).clone());
    let all = count(typed.ty(y))?;

    let mut sums = match node.args.get(BIAS).copied().flatten() {
        Some(bias) => match &typed.model.param(bias)?.data {
            Data::Bytes(bytes) => biases(typed.ty(bias).dtype, bytes),
            Data::External(_) => return None,
        },
        None => vec![0; all],
    };
    let left: Vec<u8> = if depthwise {
        bytes.chunks(all).flat_map(|taps| outputs.iter().map(|output| taps[*output])).collect()
    } else {
        let zero_points = [&of_x, &of_weights].map(|ty| ty.quant.as_ref().map_or(0, Quant::zero_point));
        let channels = count(&of_x)?;
        let constants = dead[x.0].iter().flatten().enumerate().filter_map(|(channel, fate)| match fate {
            Channel::Constant(constant) => Some((channel, i64::from(constant - zero_points[0]))),
            _ => None,
        });
        let constants: Vec<(usize, i64)> = constants.filter(|(_, steps)| *steps != 0).collect();
        let weight = |byte: u8| {
            let weight = if of_weights.dtype == DType::U8 { i32::from(byte) } else { byte.cast_signed().into() };
            i64::from(weight - zero_points[1])
        };
        let filters: Vec<&[u8]> = bytes.chunks(bytes.len() / all).collect();
        for (sum, filter) in sums.iter_mut().zip(&filters) {
            for pixel in filter.chunks(channels) {
                for (channel, steps) in &constants {
                    *sum = sum.checked_add(weight(pixel[*channel]) * steps)?;
                }
            }
        }
        let pixels = outputs.iter().flat_map(|output| filters[*output].chunks(channels));
        pixels.flat_map(|pixel| inputs.iter().map(|input| pixel[*input])).collect()
    };

    let (first, last) = (0, of_weights.shape.rank() - 1);
    let axis = if depthwise { last } else { first };
    let mut ty = of_weights.clone();
    ty.shape = with_size(&ty.shape, axis, outputs.len())?;
    if !depthwise {
        ty.shape = with_size(&ty.shape, last, inputs.len())?;
    }
    if let Some(quant) = ty.quant.as_ref().filter(|quant| quant.axis().is_some()) {
        let of = |list: &[i32]| outputs.iter().map(|output| list[*output]).collect::<Vec<_>>();
        let scales = outputs.iter().map(|output| quant.scales()[*output]).collect();
        ty.quant = Some(Quant::new(scales, of(quant.zero_points()), quant.axis()).ok()?);
    }
    let left = add_live(typed, weights, ty, left);
    typed.model.nodes[index].args[WEIGHTS] = Some(left);

    let sums: Vec<i64> = outputs.iter().map(|output| sums[*output]).collect();
    let old = node.args.get(BIAS).copied().flatten();
    if old.is_none() && sums.iter().all(|sum| *sum == 0) {
        return Some(());
    }
    let dtype = match old {
        Some(bias) => typed.ty(bias).dtype,
        None if of_x.dtype == DType::I16 => DType::I64,
        None => DType::I32,
    };
    let bytes: Option<Vec<u8>> = match dtype {
        DType::I64 => Some(sums.iter().flat_map(|sum| sum.to_le_bytes()).collect()),
        _ => sums
            .iter()
            .map(|sum| i32::try_from(*sum).ok().map(i32::to_le_bytes))
            .collect::<Option<Vec<_>>>()
            .map(|all| all.concat()),
    };
    let ty = TensorType::plain(dtype, Shape::new([outputs.len()]).ok()?);
    let bias = add_live(typed, old.unwrap_or(y), ty, bytes?);
    typed.model.nodes[index].args[BIAS] = Some(bias);
    Some(())
}

/// A parameter of what is left of `from`, or what it has become.
fn add_live(typed: &mut TypedModel, from: TensorId, ty: TensorType, bytes: Vec<u8>) -> TensorId {
    let suffix = if typed.model.param(from).is_some() { "live" } else { "bias" };
    let name = format!("{}_{suffix}", typed.model.tensor(from).name);
    add_param(typed, name, ty, bytes, false, from)
}

/// `shape` with `size` along `axis`.
fn with_size(shape: &Shape, axis: usize, size: usize) -> Option<Shape> {
    let mut dims = shape.to_vec();
    dims[axis] = size;
    Shape::new(dims).ok()
}
