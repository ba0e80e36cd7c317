//! Names of inputs, outputs and tensors.

use super::network::{F32, Network};
use super::typed;
use planner_core::model::Model;

/// The names of inputs, then of outputs.
fn ends(model: &Model) -> (Vec<&str>, Vec<&str>) {
    let inputs = model.inputs.iter().map(|input| model.tensor(input.tensor).name.as_str());
    (inputs.collect(), model.outputs.iter().map(|output| output.name.as_str()).collect())
}

/// y = relu(a) and z = relu(b), called as given.
fn two(a: &str, b: &str, y: &str, z: &str) -> Network {
    let mut file = Network::new();
    let (a, b) = (file.input(a, F32, &[1, 2]), file.input(b, F32, &[1, 3]));
    let (y, z) = (file.tensor(y, F32, &[1, 2]), file.tensor(z, F32, &[1, 3]));
    file.operator(19, &[a], &[y], 0, vec![]);
    file.operator(19, &[b], &[z], 0, vec![]);
    file.outputs = vec![y, z];
    file
}

#[test]
fn names_become_identifiers_that_differ() {
    let model = typed(&two("serving_default_x:0", "x", "Identity", "Identity")).model;
    assert_eq!(ends(&model), (vec!["serving_default_x_0", "x"], vec!["identity", "identity_2"]));
    let model = typed(&two("", "?!", "run", "type")).model;
    assert_eq!(ends(&model), (vec!["tensor_0", "tensor_1"], vec!["run_", "type_"]));
}

#[test]
fn names_of_the_signature_come_first() {
    let mut file = two("a:0", "b:0", "StatefulPartitionedCall:0", "StatefulPartitionedCall:1");
    file.signature("other", &[("wrong", 0)], &[("wrong", 2)]);
    file.signature("serving_default", &[("second", 1), ("first", 0)], &[("probabilities", 3)]);
    let model = typed(&file).model;
    assert_eq!(ends(&model), (vec!["first", "second"], vec!["stateful_partitioned_call_0", "probabilities"]));
}

#[test]
fn inputs_and_outputs_keep_the_order_of_the_file() {
    let mut file = two("a", "b", "y", "z");
    file.inputs.reverse();
    file.outputs.reverse();
    assert_eq!(ends(&typed(&file).model), (vec!["b", "a"], vec!["z", "y"]));
}

#[test]
fn an_output_may_be_an_input_or_stand_twice() {
    let mut file = two("a", "b", "y", "z");
    file.outputs = vec![0, 2, 2];
    assert_eq!(ends(&typed(&file).model).1, ["a_2", "y", "y_2"]);
}

#[test]
fn every_tensor_has_a_name_of_its_own() {
    let mut file = Network::new();
    let mut x = file.input("x", F32, &[1, 2]);
    for _ in 0..20 {
        let y = file.tensor("x", F32, &[1, 2]);
        file.operator(19, &[x], &[y], 0, vec![]);
        x = y;
    }
    file.outputs.push(x);
    let model = typed(&file).model;
    let mut names: Vec<&str> = model.tensors.iter().map(|tensor| tensor.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 21);
}
