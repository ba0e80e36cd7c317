//! Rewrites of a checked model into one that computes the same with less.
//!
//! A pass leaves what it no longer needs behind; the last one removes it.

pub mod dead_channels;
mod fold_batch_norm;
mod fold_dilation;
mod fold_pad;
mod fuse_activation;
mod remove_unused;

use crate::diagnostic::Diagnostics;
use crate::model::{Data, Declared, Model, Node, Origin, Param, Tensor, TensorId, TensorType, TypedModel};
use crate::ops::{AttrValue, Call};
use crate::options::Options;
use std::borrow::Cow;

/// Runs every pass that `options` allow, in order.
///
/// # Errors
/// What a pass finds that no earlier phase could; none does yet.
pub fn rewrite(mut typed: TypedModel, options: &Options) -> Result<TypedModel, Diagnostics> {
    fold_batch_norm::run(&mut typed);
    fold_dilation::run(&mut typed);
    fuse_activation::run(&mut typed.model, &typed.types);
    fold_pad::run(&mut typed);
    if options.elimination {
        typed = dead_channels::run(typed);
    }
    Ok(remove_unused::run(typed))
}

/// The node whose only result is the first argument of node `index`, if nothing else reads that
/// result and the node has not applied an activation to it.
fn feeder(model: &Model, index: usize) -> Option<usize> {
    sole_maker(model, index).filter(|&node| act(&model.nodes[node]).is_some_and(|place| *place == NO_ACT))
}

/// The node whose only result is the first argument of node `index`, if nothing else reads that result.
fn sole_maker(model: &Model, index: usize) -> Option<usize> {
    let tensor = model.nodes[index].args.first().copied().flatten()?;
    let readers = model.nodes.iter().flat_map(|node| node.args.iter().flatten()).filter(|id| **id == tensor).count();
    let Origin::Result { node, .. } = model.tensor(tensor).origin else { return None };
    let alone = readers == 1 && !model.leaves(tensor) && model.nodes[node].results.len() == 1;
    alone.then_some(node)
}

/// The node of operator `name` that makes the first argument of node `index`.
fn maker(model: &Model, index: usize, name: &str) -> Option<usize> {
    let tensor = model.nodes[index].args.first().copied().flatten()?;
    let Origin::Result { node, .. } = model.tensor(tensor).origin else { return None };
    (model.nodes[node].op.signature().name == name).then_some(node)
}

/// The attribute `name` of `node`, if it has one.
fn attr<'a>(node: &'a Node, name: &str) -> Option<&'a AttrValue> {
    node.op.signature().attr(name).map(|place| &node.attrs[place])
}

/// The list attribute `name` of `node`.
fn list<'a>(node: &'a Node, name: &str) -> Option<&'a [i64]> {
    match attr(node, name)? {
        AttrValue::Ints(list) => Some(list),
        _ => None,
    }
}

/// Gives the list attribute `name` of `node` another value.
fn set_list(node: &mut Node, name: &str, list: Vec<i64>) {
    if let Some(place) = node.op.signature().attr(name) {
        node.attrs[place] = AttrValue::Ints(Cow::Owned(list));
    }
}

/// `node` computes tensors of the types that its results have.
fn is_typed(model: &Model, node: &Node, types: &[TensorType]) -> bool {
    let known: Vec<Option<TensorType>> = types.iter().cloned().map(Some).collect();
    let inferred = node.op.infer(&Call { model, node, types: &known });
    inferred.is_ok_and(|inferred| inferred.iter().eq(node.results.iter().map(|id| &types[id.0])))
}

/// Adds a parameter of `bytes` under `name`, or one like it that is free, defined where `from` is.
fn add_param(
    typed: &mut TypedModel,
    mut name: String,
    ty: TensorType,
    bytes: Vec<u8>,
    placeholder: bool,
    from: TensorId,
) -> TensorId {
    let model = &mut typed.model;
    while model.tensors.iter().any(|tensor| tensor.name == name) {
        name.push('_');
    }
    let tensor = TensorId(model.tensors.len());
    let src = model.tensor(from).src;
    let TensorType { dtype, shape, quant } = ty.clone();
    let declared = Declared { dtype: Some(dtype), shape: Some(shape), quant, src };
    let origin = Origin::Param(model.params.len());
    model.tensors.push(Tensor { name, src, declared, origin, may_be_unused: true });
    typed.types.push(ty);
    model.params.push(Param { tensor, data: Data::Bytes(bytes.into()), placeholder, src });
    tensor
}

const NO_ACT: AttrValue = AttrValue::Name(Cow::Borrowed("none"));

/// The activation of a node that can have one.
fn act(node: &Node) -> Option<&AttrValue> {
    attr(node, "act")
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
