//! Constants: shared, folded, turned.

use super::flatbuffer::Field;
use super::network::{F16, F32, I8, I32, Network};
use super::{attr, ops, refusal, ty, typed};
use planner_core::model::{Data, Model};
use std::sync::Arc;

fn bytes(model: &Model, param: usize) -> Arc<[u8]> {
    match &model.params[param].data {
        Data::Bytes(bytes) => bytes.clone(),
        Data::External(_) => panic!("a file holds its own numbers"),
    }
}

#[test]
fn a_buffer_that_tensors_share_is_read_once() {
    let mut file = Network::new();
    let mut x = file.input("x", F32, &[1, 2]);
    let w = file.floats("w", &[2, 2], &[1.0, 2.0, 3.0, 4.0]);
    let twin = file.tensor("twin", F32, &[2, 2]);
    file.set(twin, 2, Field::I32(1));
    for weights in [w, twin, w] {
        let y = file.tensor("y", F32, &[1, 2]);
        file.operator(9, &[x, weights, -1], &[y], 8, vec![]);
        x = y;
    }
    file.outputs.push(x);
    let model = typed(&file).model;
    assert_eq!(model.params.len(), 2);
    assert!(Arc::ptr_eq(&bytes(&model, 0), &bytes(&model, 1)));
}

#[test]
fn half_precision_weights_widen() {
    let mut file = Network::new();
    let x = file.input("x", F32, &[1, 2]);
    let halves: Vec<u8> = [0x3c00u16, 0xc000].iter().flat_map(|half| half.to_le_bytes()).collect();
    let half = file.constant("half", F16, &[1, 2], &halves);
    let w = file.tensor("w", F32, &[1, 2]);
    file.operator(6, &[half], &[w], 38, vec![]);
    let y = file.tensor("y", F32, &[1, 1]);
    file.operator(9, &[x, w, -1], &[y], 8, vec![]);
    file.outputs.push(y);
    let model = typed(&file).model;
    assert_eq!(ops(&model), ["dense"]);
    assert_eq!(*bytes(&model, 0), [1f32.to_le_bytes(), (-2f32).to_le_bytes()].concat());
}

#[test]
fn arithmetic_of_shapes_folds() {
    // reshape(x, pack([shape(x)[0] * 2, 3])), as converters write Keras's layers.
    let mut file = Network::new();
    let x = file.input("x", F32, &[4, 6]);
    let shape = file.tensor("shape", I32, &[2]);
    file.operator(77, &[x], &[shape], 55, vec![(0, Field::U8(I32))]);
    let (begin, end, stride) = (file.ints(&[0]), file.ints(&[1]), file.ints(&[1]));
    let first = file.tensor("first", I32, &[]);
    file.operator(45, &[shape, begin, end, stride], &[first], 32, vec![(4, Field::I32(1))]);
    let two = file.constant("two", I32, &[], &2i32.to_le_bytes());
    let rows = file.tensor("rows", I32, &[]);
    file.operator(18, &[first, two], &[rows], 21, vec![]);
    let three = file.constant("three", I32, &[], &3i32.to_le_bytes());
    let list = file.tensor("list", I32, &[2]);
    file.operator(83, &[rows, three], &[list], 59, vec![(0, Field::I32(2))]);
    let y = file.tensor("y", F32, &[8, 3]);
    file.operator(22, &[x, list], &[y], 17, vec![]);
    file.outputs.push(y);
    let typed = typed(&file);
    assert_eq!(ops(&typed.model), ["reshape"]);
    assert_eq!(attr(&typed.model, 0, "shape"), "[8, 3]");
    assert!(typed.model.params.is_empty());
}

/// A dense layer of two outputs, the scale of the second negative.
fn negative(weights: [i8; 4]) -> Network {
    let mut file = Network::new();
    let x = file.input("x", I8, &[1, 2]);
    file.quantize(x, &[0.5], &[0], 0);
    let w = file.constant("w", I8, &[2, 2], &weights.map(i8::cast_unsigned));
    file.quantize(w, &[0.25, -0.5], &[0, 0], 0);
    let b = file.constant("b", I32, &[2], &[7i32, 9].map(i32::to_le_bytes).concat());
    let y = file.quantized("y", &[1, 2], 1.0, 0);
    file.operator(9, &[x, w, b], &[y], 8, vec![]);
    file.outputs.push(y);
    file
}

#[test]
fn negative_scales_turn_with_their_weights() {
    let typed = typed(&negative([1, -2, 3, -4]));
    assert_eq!(*bytes(&typed.model, 0), [1i8, -2, -3, 4].map(i8::cast_unsigned));
    assert_eq!(*bytes(&typed.model, 1), [7i32, -9].map(i32::to_le_bytes).concat());
    let weights = typed.ty(typed.model.params[0].tensor).quant.as_ref().unwrap();
    assert_eq!(weights.scales(), [0.25, 0.5]);
    assert!(refusal(&negative([1, 2, -128, 4]).write()).contains("hold -128"));
}

#[test]
fn a_padding_value_is_a_real_number() {
    let mut file = Network::new();
    let x = file.input("x", I8, &[1, 2]);
    file.quantize(x, &[0.5], &[3], 0);
    let paddings = file.constant("paddings", I32, &[2, 2], &[0i32, 0, 1, 0].map(i32::to_le_bytes).concat());
    let value = file.constant("value", I8, &[], &[7]);
    file.quantize(value, &[0.5], &[3], 0);
    let y = file.quantized("y", &[1, 3], 0.5, 3);
    file.operator(60, &[x, paddings, value], &[y], 43, vec![]);
    file.outputs.push(y);
    let typed = typed(&file);
    assert_eq!([attr(&typed.model, 0, "paddings"), attr(&typed.model, 0, "value")], ["[0, 0, 1, 0]", "2.0"]);
    assert_eq!(ty(&typed, typed.model.outputs[0].tensor), "i8[1, 3] q(0.5, 3)");
}
