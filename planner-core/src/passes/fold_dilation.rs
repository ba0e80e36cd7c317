//! Turns a convolution of images that were taken apart, and are put together again, into a dilated one.
//!
//! `space_to_batch`, a convolution, `batch_to_space`: how TensorFlow writes dilation.

use super::{absorb, attr, is_typed, list, maker, set_list, sole_maker};
use crate::model::TypedModel;
use crate::ops::AttrValue;

/// Folds every such three.
pub(super) fn run(typed: &mut TypedModel) {
    for index in 0..typed.model.nodes.len() {
        if typed.model.nodes[index].op.signature().name == "batch_to_space" {
            fold(typed, index);
        }
    }
}

/// Makes the convolution before `batch_to_space` node `index` do the work of all three; `None` if it cannot.
fn fold(typed: &mut TypedModel, index: usize) -> Option<()> {
    let TypedModel { model, types } = typed;
    let conv = sole_maker(model, index)?;
    if !["conv2d", "depthwise_conv2d"].contains(&model.nodes[conv].op.signature().name) {
        return None;
    }
    let apart = maker(model, conv, "space_to_batch")?;
    let (apart, layer, together) = (&model.nodes[apart], &model.nodes[conv], &model.nodes[index]);
    let block = list(together, "block")?;
    let plain = list(layer, "stride")? == [1, 1] && list(layer, "dilation")? == [1, 1];
    let unpadded = match attr(layer, "padding")? {
        AttrValue::Name(name) => name == "valid",
        AttrValue::Ints(sides) => **sides == [0; 4],
        _ => false,
    };
    if block.len() != 2 || block != list(apart, "block")? || !plain || !unpadded {
        return None;
    }
    let sides = |list: &[i64]| if list.is_empty() { vec![0; 4] } else { list.to_vec() };
    let (added, cut) = (sides(list(apart, "paddings")?), sides(list(together, "crops")?));
    let padding: Vec<i64> = added.iter().zip(&cut).map(|(added, cut)| added - cut).collect();
    let mut dilated = layer.clone();
    set_list(&mut dilated, "dilation", block.to_vec());
    set_list(&mut dilated, "padding", padding.clone());
    dilated.args[0] = apart.args[0];
    dilated.results.clone_from(&together.results);
    if padding.iter().any(|side| *side < 0) || !is_typed(model, &dilated, types) {
        return None;
    }
    model.nodes[conv] = dilated;
    absorb(model, conv, index);
    Some(())
}
