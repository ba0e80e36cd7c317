//! Variables: read and given values in the order of the file.

use super::flatbuffer::{Field, Table, tables};
use super::network::{F32, Network};
use super::{import, refusal, typed};
use planner_core::model::Data;

const RESOURCE: u8 = 13;
const RELU: i32 = 19;
const CALL_ONCE: i32 = 129;
const VAR_HANDLE: i32 = 142;
const READ: i32 = 143;
const ASSIGN: i32 = 144;

fn handle(file: &mut Network, name: &str) -> i32 {
    let handle = file.tensor("handle", RESOURCE, &[]);
    file.operator(VAR_HANDLE, &[], &[handle], 111, vec![(1, Field::Text(name.into()))]);
    handle
}

fn read(file: &mut Network, handle: i32, name: &str) -> i32 {
    let value = file.tensor(name, F32, &[1, 2]);
    file.operator(READ, &[handle], &[value], 112, vec![]);
    value
}

fn assign(file: &mut Network, handle: i32, value: i32) {
    file.operator(ASSIGN, &[handle, value], &[], 113, vec![]);
}

fn relu(file: &mut Network, x: i32, name: &str) -> i32 {
    let y = file.tensor(name, F32, &[1, 2]);
    file.operator(RELU, &[x], &[y], 0, vec![]);
    y
}

#[test]
fn a_read_sees_the_last_value_before_it() {
    let mut file = Network::new();
    let x = file.input("x", F32, &[1, 2]);
    let handle = handle(&mut file, "memory");
    let old = read(&mut file, handle, "old");
    let a = relu(&mut file, old, "a");
    assign(&mut file, handle, x);
    let new = read(&mut file, handle, "new");
    let b = relu(&mut file, new, "b");
    assign(&mut file, handle, b);
    file.outputs = vec![a, b];
    let model = typed(&file).model;
    let text = model.to_string();
    assert!(text.contains("state memory: f32[1, 2] = 8 bytes"), "{text}");
    assert!(text.contains("a = relu(memory)") || text.contains("a: f32[1, 2] = relu(memory)"), "{text}");
    assert!(text.contains("relu(x)") && text.contains("memory <- b"), "{text}");
}

#[test]
fn a_variable_that_is_given_a_value_before_it_is_read_is_no_state() {
    let mut file = Network::new();
    let x = file.input("x", F32, &[1, 2]);
    let handle = handle(&mut file, "memory");
    assign(&mut file, handle, x);
    let value = read(&mut file, handle, "value");
    let y = relu(&mut file, value, "y");
    file.outputs = vec![y];
    assert!(typed(&file).model.states.is_empty());
}

#[test]
fn a_variable_that_is_never_given_a_value_is_a_parameter() {
    let mut file = Network::new();
    let x = file.input("x", F32, &[1, 2]);
    let handle = handle(&mut file, "memory");
    let value = read(&mut file, handle, "value");
    let y = file.tensor("y", F32, &[1, 2]);
    file.operator(0, &[x, value], &[y], 0, vec![]);
    file.outputs = vec![y];
    let model = typed(&file).model;
    assert_eq!((model.states.len(), model.params.len()), (0, 1));
}

#[test]
fn a_value_that_is_shown_is_a_copy() {
    let mut file = Network::new();
    let x = file.input("x", F32, &[1, 2]);
    let handle = handle(&mut file, "memory");
    let old = read(&mut file, handle, "old");
    assign(&mut file, handle, x);
    file.outputs = vec![old];
    let model = typed(&file).model;
    assert!(planner_core::check::check(&model).is_ok());
    assert_eq!(super::ops(&model), ["reshape"]);
}

/// A subgraph that gives the variable `name` these numbers, to stand beside the network.
fn initialiser(file: &Network, name: &str, values: [f32; 2]) -> (Table, Vec<Table>, Vec<Table>) {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let mut buffers = file.buffers.clone();
    let mut codes = file.codes.clone();
    let (first, buffer) = (i32::try_from(codes.len()).unwrap(), i32::try_from(buffers.len()).unwrap());
    buffers.push(vec![(0, Field::Bytes(bytes))]);
    for code in [VAR_HANDLE, ASSIGN] {
        codes.push(vec![(0, Field::U8(127)), (2, Field::I32(1)), (3, Field::I32(code))]);
    }
    let tensor = |element: u8, shape: &[i32], buffer: i32| -> Table {
        vec![(0, Field::Ints(shape.into())), (1, Field::U8(element)), (2, Field::I32(buffer))]
    };
    let mut given: Table = vec![(0, Field::I32(first)), (2, Field::Ints(vec![0]))];
    given.extend(super::flatbuffer::union(3, 111, vec![(1, Field::Text(name.into()))]));
    let mut assign: Table = vec![(0, Field::I32(first + 1)), (1, Field::Ints(vec![0, 1]))];
    assign.extend(super::flatbuffer::union(3, 113, vec![]));
    let subgraph = vec![
        (0, tables(vec![tensor(RESOURCE, &[], 0), tensor(F32, &[1, 2], buffer)])),
        (3, tables(vec![given, assign])),
    ];
    (subgraph, buffers, codes)
}

/// The file of `network` with a second subgraph.
fn with_subgraph(network: &Network, (subgraph, buffers, codes): (Table, Vec<Table>, Vec<Table>)) -> Vec<u8> {
    let first = vec![
        (0, tables(network.tensors.clone())),
        (1, Field::Ints(network.inputs.clone())),
        (2, Field::Ints(network.outputs.clone())),
        (3, tables(network.operators.clone())),
    ];
    let root = vec![
        (0, Field::I32(3)),
        (1, tables(codes)),
        (2, tables(vec![first, subgraph])),
        (4, tables(buffers)),
        (7, tables(Vec::new())),
    ];
    super::flatbuffer::write(*b"TFL3", &root)
}

/// y = relu(the variable), which becomes x; a subgraph gives it values before.
fn initialised() -> Network {
    let mut file = Network::new();
    let x = file.input("x", F32, &[1, 2]);
    file.operator(CALL_ONCE, &[], &[], 103, vec![(0, Field::I32(1))]);
    let handle = handle(&mut file, "memory");
    let old = read(&mut file, handle, "old");
    let y = relu(&mut file, old, "y");
    assign(&mut file, handle, x);
    file.outputs = vec![y];
    file
}

#[test]
fn a_subgraph_gives_variables_their_first_values() {
    let file = initialised();
    let model = import(&with_subgraph(&file, initialiser(&file, "memory", [1.5, -2.0]))).unwrap();
    let wanted: Vec<u8> = [1.5f32, -2.0].iter().flat_map(|value| value.to_le_bytes()).collect();
    assert_eq!(model.states.len(), 1);
    assert_eq!(model.states[0].data, Data::Bytes(wanted.into()));
    let model = import(&with_subgraph(&file, initialiser(&file, "another", [1.5, -2.0]))).unwrap();
    assert_eq!(model.states[0].data, Data::Bytes(vec![0; 8].into()));
}

#[test]
fn what_nothing_calls_and_metadata_say_nothing() {
    let mut file = Network::new();
    let x = file.input("x", F32, &[1, 2]);
    let y = relu(&mut file, x, "y");
    file.outputs = vec![y];
    let alone = format!("{:?}", import(&file.write()).unwrap());
    let beside = with_subgraph(&file, initialiser(&file, "memory", [1.5, -2.0]));
    assert_eq!(format!("{:?}", import(&beside).unwrap()), alone);
    let mut root = file.root();
    root.push((3, Field::Text("made for a test".into())));
    root.push((5, Field::Ints(vec![0, 99])));
    root.push((6, tables(vec![vec![(0, Field::Text("min_runtime_version".into())), (1, Field::I32(7))]])));
    assert_eq!(format!("{:?}", import(&super::flatbuffer::write(*b"TFL3", &root)).unwrap()), alone);
}

#[test]
fn what_is_wrong_with_variables_is_said() {
    let file = initialised();
    let (mut subgraph, buffers, codes) = initialiser(&file, "memory", [0.0, 0.0]);
    subgraph.retain(|(field, _)| *field != 3);
    let relu = vec![(0, Field::I32(2)), (1, Field::Ints(vec![1])), (2, Field::Ints(vec![1]))];
    subgraph.push((3, tables(vec![relu])));
    let said = refusal(&with_subgraph(&file, (subgraph, buffers, codes)));
    assert!(said.contains("wanted: constants given to variables, and nothing else"), "{said}");

    let mut file = Network::new();
    let x = file.input("x", F32, &[1, 2]);
    let y = read(&mut file, x, "y");
    file.outputs = vec![y];
    let said = refusal(&file.write());
    assert!(said.contains("it reads no handle of a variable at place 0"), "{said}");
}
