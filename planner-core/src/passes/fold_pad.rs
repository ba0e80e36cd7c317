//! Lets a convolution or a pool pad its image itself, where that gives the same bits.

use super::{attr, is_typed, list, maker, set_list};
use crate::dtype::DType;
use crate::model::{Node, TensorType, TypedModel};
use crate::ops::AttrValue;
use crate::quant::Quant;

/// Folds every `pad` of rows and columns into the operators that read it; it stays for others.
pub(super) fn run(typed: &mut TypedModel) {
    for index in 0..typed.model.nodes.len() {
        while fold(typed, index).is_some() {}
    }
}

/// Makes node `index` read what the `pad` before it reads; `None` if it cannot.
fn fold(typed: &mut TypedModel, index: usize) -> Option<()> {
    let TypedModel { model, types } = typed;
    let (node, pad) = (&model.nodes[index], &model.nodes[maker(model, index, "pad")?]);
    let (x, padded) = (&types[pad.args[0]?.0], &types[pad.results[0].0]);
    let AttrValue::Float(value) = *attr(pad, "value")? else { return None };
    let left_out = match node.op.signature().name {
        // What is left out of a sum counts as zero, of a maximum as the least number.
        "conv1d" | "conv2d" | "depthwise_conv2d" => value == 0.0,
        "max_pool2d" => is_least(value, x),
        _ => false,
    };
    let [0, 0, top, bottom, left, right, 0, 0] = *list(pad, "paddings")? else { return None };
    if !left_out {
        return None;
    }
    let own = sides(node, padded, types)?;
    let mut folded = node.clone();
    folded.args[0] = pad.args[0];
    set_list(&mut folded, "padding", [top, bottom, left, right].iter().zip(own).map(|(a, b)| a + b).collect());
    // A pool does not take windows that lie in the padding alone.
    if !is_typed(model, &folded, types) {
        return None;
    }
    model.nodes[index] = folded;
    Some(())
}

/// No element of type `x` stands for less than `value`.
#[allow(clippy::cast_precision_loss, reason = "integers of 16 bits at most")]
fn is_least(value: f32, x: &TensorType) -> bool {
    let Some(range) = x.dtype.range() else { return x.dtype == DType::F32 && value <= f32::MIN };
    let (zero, scale) = x.quant.as_ref().map_or((0, 1.0), |quant| (Quant::zero_point(quant), quant.scale(0)));
    value <= (range.start() - zero) as f32 * scale
}

/// The padding that `node` puts around an image of type `x`: top, bottom, left, right.
fn sides(node: &Node, x: &TensorType, types: &[TensorType]) -> Option<[i64; 4]> {
    let same = match attr(node, "padding")? {
        AttrValue::Ints(sides) => return <[i64; 4]>::try_from(sides.as_ref()).ok(),
        AttrValue::Name(name) => name == "same",
        _ => return None,
    };
    if !same {
        return Some([0; 4]);
    }
    let y = types.get(node.results[0].0)?;
    let one_sided = node.op.signature().name == "conv1d";
    let along = |side: usize| -> Option<[i64; 2]> {
        let size = |dims: &[usize]| dims.get(1 + side).and_then(|&size| i64::try_from(size).ok());
        let taps = match list(node, "filter") {
            Some(filter) => filter[side],
            None if one_sided => [size(&types[node.args[1]?.0].shape)?, 1][side],
            None => size(&types[node.args[1]?.0].shape)?,
        };
        // By default a pool steps by its window.
        let stride = steps(node, "stride", side).unwrap_or(taps);
        let dilation = steps(node, "dilation", side).unwrap_or(1);
        let extent = (size(&y.shape)? - 1) * stride + (taps - 1) * dilation + 1;
        let total = (extent - size(&x.shape)?).max(0);
        Some([total / 2, total - total / 2])
    };
    let ([top, bottom], [left, right]) = (along(0)?, along(1)?);
    Some([top, bottom, left, right])
}

/// The entry of the attribute `name` for `side`; that of a layer with one such side is a number.
fn steps(node: &Node, name: &str, side: usize) -> Option<i64> {
    match attr(node, name)? {
        AttrValue::Int(steps) => Some(if side == 0 { *steps } else { 1 }),
        AttrValue::Ints(steps) => steps.get(side).copied(),
        _ => None,
    }
}
