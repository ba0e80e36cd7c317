//! Lets an operator apply the activation that follows it, where that gives the same bits.

use super::{absorb, feeder};
use crate::model::{Model, TensorType};
use crate::ops::AttrValue;
use std::borrow::Cow;

/// Activations that stand alone and as an attribute.
const NAMES: [&str; 3] = ["relu", "relu6", "relu_n1_to_1"];

/// Fuses every activation into the operator before it that nothing else reads.
///
/// An activation with a quantisation of its own stays: it rounds once more.
pub(super) fn run(model: &mut Model, types: &[TensorType]) {
    for index in 0..model.nodes.len() {
        let name = model.nodes[index].op.signature().name;
        if !NAMES.contains(&name) {
            continue;
        }
        let Some(before) = feeder(model, index) else { continue };
        let (x, y) = (model.nodes[before].results[0], model.nodes[index].results[0]);
        if types[x.0] == types[y.0] {
            let node = &mut model.nodes[before];
            if let Some(place) = node.op.signature().attr("act") {
                node.attrs[place] = AttrValue::Name(Cow::Borrowed(name));
            }
            absorb(model, before, index);
        }
    }
}
