//! Files that take much memory for their size: parts that refer to the same bytes over and over, operators without
//! weights.

use super::flatbuffer::{Field, Table, write};
use super::network::{F32, I32, Network};
use std::rc::Rc;

/// A network whose only input is its output.
fn shortest() -> Network {
    let mut file = Network::new();
    let x = file.input("x", F32, &[1, 4]);
    file.outputs.push(x);
    file
}

/// A file in which one table stands for `count` tensors.
pub(super) fn tensors(count: usize, name: usize, rank: usize) -> Vec<u8> {
    let tensor = Rc::new(vec![(0, Field::Ints(vec![1; rank])), (3, Field::Text("n".repeat(name)))]);
    let subgraph = vec![(0, Field::Tables(vec![tensor; count])), (1, Field::Ints(vec![0])), (2, Field::Ints(vec![0]))];
    with(&shortest(), subgraph)
}

/// A file in which one table stands for `count` operators of the builtin `code`, each of which reads `inputs` tensors.
pub(super) fn operators(count: usize, code: i32, inputs: usize) -> Vec<u8> {
    let mut file = shortest();
    file.operator(code, &vec![0; inputs], &[], 0, vec![]);
    let operator = Rc::new(file.operators[0].clone());
    let subgraph = vec![
        (0, super::flatbuffer::tables(file.tensors.clone())),
        (1, Field::Ints(vec![0])),
        (2, Field::Ints(vec![0])),
        (3, Field::Tables(vec![operator; count])),
    ];
    with(&file, subgraph)
}

/// An honest file that is nothing but operators: `count` activations in a row.
pub(super) fn chain(count: usize) -> Vec<u8> {
    let mut file = Network::new();
    let mut x = file.input("x", F32, &[1, 4]);
    for _ in 0..count {
        let y = file.tensor("y", F32, &[1, 4]);
        file.operator(19, &[x], &[y], 0, vec![]);
        x = y;
    }
    file.outputs.push(x);
    file.write()
}

/// A file of `count` lists, each as long as one may be and computed from three numbers.
pub(super) fn ranges(count: usize) -> Vec<u8> {
    let mut file = shortest();
    let ends = [0i32, 65_535, 1].map(|value| file.constant("end", I32, &[], &value.to_le_bytes()));
    for _ in 0..count {
        let list = file.tensor("list", I32, &[65_535]);
        file.operator(96, &ends, &[list], 0, vec![]);
    }
    file.write()
}

/// A file that asks for the places of `count` truths.
pub(super) fn places(count: usize) -> Vec<u8> {
    const BOOL: u8 = 6;
    const I64: u8 = 4;
    let mut file = shortest();
    let size = i32::try_from(count).unwrap();
    let truth = file.constant("truth", BOOL, &[1, 1, 1, 1, 1, size], &vec![1; count]);
    let places = file.tensor("places", I64, &[size, 6]);
    file.operator(109, &[truth], &[places], 0, vec![]);
    file.write()
}

fn with(file: &Network, subgraph: Table) -> Vec<u8> {
    let mut root = file.root();
    root[2] = (2, Field::Tables(vec![Rc::new(subgraph)]));
    write(*b"TFL3", &root)
}
