//! Removes operators that no output depends on, and every tensor that nothing refers to.

use crate::model::{Model, Node, Origin, TensorId, TypedModel};

/// The model with what its outputs need, tensors numbered anew. Inputs stay: they are its interface.
pub(super) fn run(typed: TypedModel) -> TypedModel {
    let TypedModel { mut model, types } = typed;
    let needed = needed(&model);
    let used = |node: &Node| node.results.iter().any(|id| needed[id.0]);
    model.nodes.retain(used);

    let mut kept = needed;
    for &id in model.nodes.iter().flat_map(|node| &node.results).chain(model.inputs.iter().map(|input| &input.tensor)) {
        kept[id.0] = true;
    }
    model.params.retain(|param| kept[param.tensor.0]);
    model.states.retain(|state| kept[state.tensor.0]);
    model.file_tensors.retain(|(_, id)| kept[id.0]);
    model.reduced.retain(|reduced| kept[reduced.tensor.0]);
    let mut count = 0;
    let number = |kept: &bool| {
        let new = TensorId(count);
        count += usize::from(*kept);
        new
    };
    let new: Vec<TensorId> = kept.iter().map(number).collect();
    let mut keep = kept.iter().copied();
    model.tensors.retain(|_| keep.next().unwrap_or(false));
    let types = types.into_iter().zip(kept.iter().copied()).filter_map(|(ty, kept)| kept.then_some(ty)).collect();
    renumber(&mut model, &new);
    TypedModel { model, types }
}

/// Which tensors an output depends on, of this run or a later one.
fn needed(model: &Model) -> Vec<bool> {
    let mut needed = vec![false; model.tensors.len()];
    for output in &model.outputs {
        needed[output.tensor.0] = true;
    }
    loop {
        for node in model.nodes.iter().rev() {
            if node.results.iter().any(|id| needed[id.0]) {
                for id in node.args.iter().flatten() {
                    needed[id.0] = true;
                }
            }
        }
        // What a state is given in this run is read in the next.
        let next = model.states.iter().filter(|state| needed[state.tensor.0]).map(|state| state.next.0);
        let new: Vec<usize> = next.filter(|next| !needed[*next]).collect();
        if new.is_empty() {
            return needed;
        }
        for next in new {
            needed[next] = true;
        }
    }
}

/// Puts `new[old]` in the place of each old number, and origins right.
fn renumber(model: &mut Model, new: &[TensorId]) {
    let nodes = model.nodes.iter_mut().flat_map(|node| node.args.iter_mut().flatten().chain(&mut node.results));
    let inputs = model.inputs.iter_mut().map(|input| &mut input.tensor);
    let outputs = model.outputs.iter_mut().map(|output| &mut output.tensor);
    let params = model.params.iter_mut().map(|param| &mut param.tensor);
    let states = model.states.iter_mut().flat_map(|state| [&mut state.tensor, &mut state.next]);
    let file_tensors = model.file_tensors.iter_mut().map(|(_, id)| id);
    let reduced = model.reduced.iter_mut().map(|reduced| &mut reduced.tensor);
    for id in nodes.chain(inputs).chain(outputs).chain(params).chain(states).chain(file_tensors).chain(reduced) {
        *id = new[id.0];
    }
    for (index, input) in model.inputs.iter().enumerate() {
        model.tensors[input.tensor.0].origin = Origin::Input(index);
    }
    for (index, param) in model.params.iter().enumerate() {
        model.tensors[param.tensor.0].origin = Origin::Param(index);
    }
    for (index, state) in model.states.iter().enumerate() {
        model.tensors[state.tensor.0].origin = Origin::State(index);
    }
    for (node, results) in model.nodes.iter().map(|node| &node.results).enumerate() {
        for (index, id) in results.iter().enumerate() {
            model.tensors[id.0].origin = Origin::Result { node, index };
        }
    }
}
