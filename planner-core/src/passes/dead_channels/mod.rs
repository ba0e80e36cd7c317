//! Removes channels of quantised tensors that are the same for every input, and those that no output depends on.
//!
//! `ranges` bounds what each channel can hold. `groups` finds those that can go: channels that operators carry from
//! tensor to tensor go together, and what reads one by weights must need none or have its constant in the bias.
//! `remove` takes them out of tensors, weights and attributes.

mod groups;
mod ranges;
mod remove;

use crate::model::{TensorType, TypedModel};
use crate::ops::Call;
use crate::ops::channels::{Flow, count, flow};

/// `typed` without those channels. Inputs, outputs and states keep theirs.
pub(super) fn run(typed: TypedModel) -> TypedModel {
    if !typed.types.iter().any(|ty| count(ty).is_some()) {
        return typed;
    }
    let flows = flows(&typed);
    let ranges = ranges::ranges(&typed, &flows);
    let dead = groups::dead(&typed, &flows, &ranges);
    if dead.iter().all(Option::is_none) {
        return typed;
    }
    remove::remove(&typed, &flows, &dead).unwrap_or(typed)
}

/// The least and the greatest integer that each channel of each tensor can hold, whatever the inputs and the states
/// are; nothing of a tensor whose elements are no integers that stand for reals.
#[must_use]
pub fn channel_ranges(typed: &TypedModel) -> Vec<Vec<[i32; 2]>> {
    ranges::ranges(typed, &flows(typed))
}

/// How channels run through each node; `None` also of one that computes nothing any more.
fn flows(typed: &TypedModel) -> Vec<Option<Flow>> {
    let (model, types) = (&typed.model, &known(typed));
    let of = |node| Some(Call { model, node, types }).filter(|call| call.results() > 0).and_then(|call| flow(&call));
    model.nodes.iter().map(of).collect()
}

/// The types of `typed` as operators look at them.
fn known(typed: &TypedModel) -> Vec<Option<TensorType>> {
    typed.types.iter().cloned().map(Some).collect()
}
