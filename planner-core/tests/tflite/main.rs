//! `.tflite` files: of the zoo, of our own, and hostile ones.

mod attributes;
mod bindings;
mod constants;
mod defects;
mod families;
mod flatbuffer;
mod folded;
mod hostile;
mod mistakes;
mod names;
mod network;
mod operators;
mod repeated;
mod samples;
mod variables;
mod zoo;

use planner_core::diagnostic::{Diagnostics, Kind};
use planner_core::import::{Bindings, Options, tflite};
use planner_core::infer;
use planner_core::model::{Model, TensorId, TypedModel};
use planner_core::source::Src;

/// The network in `bytes`, read with `bindings`.
fn import_bound(bytes: &[u8], bindings: &Bindings) -> Result<Model, Diagnostics> {
    let is_reserved = |name: &str| matches!(name, "run" | "type");
    tflite::import(bytes, &Options { name: "net", src: Src(7), bindings, is_reserved })
}

/// The network in `bytes`.
fn import(bytes: &[u8]) -> Result<Model, Diagnostics> {
    import_bound(bytes, &Bindings::default())
}

/// The network in `file`, which is one, with the types of its tensors.
fn typed(file: &network::Network) -> TypedModel {
    let model = import(&file.write()).unwrap_or_else(|e| panic!("{e}"));
    infer::infer(model).unwrap_or_else(|e| panic!("{e}"))
}

/// What is wrong with `bytes`, as a person reads it.
fn refusal(bytes: &[u8]) -> String {
    import(bytes).expect_err("the file is refused").to_string()
}

/// The kinds of what is wrong with `bytes`.
fn kinds(bytes: &[u8]) -> Vec<Kind> {
    import(bytes).expect_err("the file is refused").0.iter().map(|diagnostic| diagnostic.kind).collect()
}

/// The names of the operators of `model` in order.
fn ops(model: &Model) -> Vec<&'static str> {
    model.nodes.iter().map(|node| node.op.signature().name).collect()
}

/// Operator, attribute and value of every attribute of `model`, as text.
fn attr(model: &Model, node: usize, name: &str) -> String {
    let node = &model.nodes[node];
    node.attrs[node.op.signature().attr(name).expect("there is such an attribute")].to_string()
}

/// The type of `id` as text.
fn ty(typed: &TypedModel, id: TensorId) -> String {
    typed.ty(id).to_string()
}
