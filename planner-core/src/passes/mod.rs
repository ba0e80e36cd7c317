//! Rewrites of a checked model into one that computes the same with less.
//!
//! A pass leaves what it no longer needs behind; the last one removes it.

mod fold_batch_norm;
mod fuse_activation;
mod remove_unused;

use crate::diagnostic::Diagnostics;
use crate::model::{Model, Node, Origin, TensorId, TypedModel};
use crate::ops::AttrValue;
use std::borrow::Cow;

/// Runs every pass, in order.
///
/// # Errors
/// What a pass finds that no earlier phase could; none does yet.
pub fn rewrite(mut typed: TypedModel) -> Result<TypedModel, Diagnostics> {
    fold_batch_norm::run(&mut typed);
    fuse_activation::run(&mut typed.model, &typed.types);
    Ok(remove_unused::run(typed))
}

/// The node whose only result is the first argument of node `index`, if nothing else reads that
/// result and the node has not applied an activation to it.
fn feeder(model: &Model, index: usize) -> Option<usize> {
    let tensor = model.nodes[index].args.first().copied().flatten()?;
    let readers = model.nodes.iter().flat_map(|node| node.args.iter().flatten()).filter(|id| **id == tensor).count();
    let Origin::Result { node, .. } = model.tensor(tensor).origin else { return None };
    let alone = readers == 1 && !model.leaves(tensor) && model.nodes[node].results.len() == 1;
    (alone && act(&model.nodes[node]).is_some_and(|place| *place == NO_ACT)).then_some(node)
}

const NO_ACT: AttrValue = AttrValue::Name(Cow::Borrowed("none"));

/// The activation of a node that can have one.
fn act(node: &Node) -> Option<&AttrValue> {
    node.op.signature().attr("act").map(|place| &node.attrs[place])
}

/// Node `first` computes the only result of node `second`, which computes nothing any more.
fn absorb(model: &mut Model, first: usize, second: usize) {
    let results: Vec<TensorId> = std::mem::take(&mut model.nodes[second].results);
    model.nodes[second].args.clear();
    for (index, &id) in results.iter().enumerate() {
        model.tensors[id.0].origin = Origin::Result { node: first, index };
    }
    model.nodes[first].results = results;
}
