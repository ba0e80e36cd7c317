//! What depends on nothing but constants and shapes is known when the file has been read.

use super::flatbuffer::Field;
use super::network::{F32, I8, I32, Network};
use super::{attr, import, ops, refusal, ty, typed};
use planner_core::model::{Data, Model};

const BOOL: u8 = 6;
const I64: u8 = 4;

/// The only parameter of `model` as i32.
fn indices(model: &Model) -> Vec<i32> {
    let [param] = model.params.as_slice() else { panic!("{} parameters", model.params.len()) };
    let Data::Bytes(bytes) = &param.data else { panic!("a file holds its own numbers") };
    bytes.as_chunks().0.iter().map(|b| i32::from_le_bytes(*b)).collect()
}

/// `x[list]` along the first dimension, the list computed by operator `code` from constants.
fn gathered(code: i32, constants: &[(u8, &[i32], Vec<u8>)], (element, dims): (u8, &[i32]), y: &[i32]) -> Network {
    let mut file = Network::new();
    let x = file.input("x", F32, &[9, 2]);
    let args: Vec<i32> =
        constants.iter().map(|(element, dims, bytes)| file.constant("c", *element, dims, bytes)).collect();
    let list = file.tensor("list", element, dims);
    file.operator(code, &args, &[list], 0, vec![]);
    let result = file.tensor("y", F32, y);
    file.operator(36, &[x, list], &[result], 23, vec![]);
    file.outputs.push(result);
    file
}

fn number(value: i32) -> (u8, &'static [i32], Vec<u8>) {
    (I32, &[], value.to_le_bytes().to_vec())
}

#[test]
fn ranges_are_lists() {
    for (ends, want) in [([2, 9, 3], vec![2, 5, 8]), ([4, -1, -2], vec![4, 2, 0])] {
        let count = i32::try_from(want.len()).unwrap();
        let typed = typed(&gathered(96, &ends.map(number), (I32, &[count]), &[count, 2]));
        assert_eq!((ops(&typed.model), indices(&typed.model)), (vec!["gather"], want));
    }
    let endless = gathered(96, &[0, 9, 0].map(number), (I32, &[3]), &[3, 2]);
    assert!(refusal(&endless.write()).contains("RANGE"), "{}", refusal(&endless.write()));
}

#[test]
fn ranges_of_reals_are_parameters() {
    let mut file = Network::new();
    let x = file.input("x", F32, &[4]);
    let ends = [0.5f32, 2.5, 0.5].map(|v| file.constant("end", F32, &[], &v.to_le_bytes()));
    let list = file.tensor("list", F32, &[4]);
    file.operator(96, &ends, &[list], 0, vec![]);
    let y = file.tensor("y", F32, &[4]);
    file.operator(0, &[x, list], &[y], 11, vec![]);
    file.outputs.push(y);
    let model = typed(&file).model;
    let Data::Bytes(bytes) = &model.params[0].data else { panic!("a file holds its own numbers") };
    assert_eq!(**bytes, *[0.5f32, 1.0, 1.5, 2.0].map(f32::to_le_bytes).concat());
}

#[test]
fn places_of_what_is_not_zero_are_known() {
    let typed = typed(&gathered(109, &[(BOOL, &[2, 3], vec![0, 1, 0, 1, 0, 1])], (I64, &[3, 2]), &[3, 2, 2]));
    assert_eq!((ops(&typed.model), indices(&typed.model)), (vec!["gather"], vec![0, 1, 1, 0, 1, 2]));
}

#[test]
fn an_empty_tensor_has_no_places_whatever_its_other_dimensions() {
    let mut file = Network::new();
    let x = file.input("x", F32, &[2]);
    let truth = file.constant("truth", BOOL, &[0, i32::MAX, i32::MAX, i32::MAX], &[]);
    let places = file.tensor("places", I64, &[0, 4]);
    file.operator(109, &[truth], &[places], 0, vec![]);
    file.outputs.push(x);
    assert!(typed(&file).model.nodes.is_empty());
}

/// Whatever becomes of them, nothing is computed for elements that there are not.
#[test]
fn empty_tensors_are_folded_without_a_look_at_their_elements() {
    const MOST: i32 = i32::MAX;
    let fold = |inputs: &[(&[i32], &[i32])], result: &[i32], code, options| {
        let mut file = Network::new();
        let x = file.input("x", F32, &[2]);
        let inputs = inputs.iter().zip(["a", "b", "c", "d"]).map(|((dims, values), name)| {
            let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
            file.constant(name, I32, dims, &bytes)
        });
        let inputs: Vec<i32> = inputs.collect();
        let y = file.tensor("y", I32, result);
        let (tag, fields) = options;
        file.operator(code, &inputs, &[y], tag, fields);
        file.outputs.push(x);
        let _ = import(&file.write());
    };
    fold(&[(&[0], &[]), (&[], &[3])], &[0], 18, (21, vec![]));
    fold(&[(&[1], &[3]), (&[0, 1], &[])], &[0, 1], 18, (21, vec![]));
    let huge: (&[i32], &[i32]) = (&[MOST, MOST, 0], &[]);
    fold(&[huge; 4], &[4, MOST, MOST, 0], 83, (59, vec![(0, Field::I32(4))]));
    let list = |values: &'static [i32]| -> (&[i32], &[i32]) { (&[3], values) };
    let lists = [list(&[0, 0, 0]), list(&[MOST, MOST, 0]), list(&[1, 1, 1])];
    fold(&[&[huge], lists.as_slice()].concat(), &[MOST, MOST, 0], 45, (32, vec![]));
}

#[test]
fn places_in_what_is_computed_are_refused_by_name() {
    let mut file = Network::new();
    let x = file.input("x", BOOL, &[4]);
    let y = file.tensor("y", I64, &[4, 1]);
    file.operator(109, &[x], &[y], 0, vec![]);
    file.outputs.push(y);
    let text = refusal(&file.write());
    assert!(text.contains("operator 0 WHERE version 1: it finds places in what is known at run time alone"), "{text}");
    assert!(text.contains("help: select values by a condition instead"), "{text}");
}

#[test]
fn shapes_broadcast() {
    let file = |a: &[i32], b: &[i32], y: &[i32]| {
        let mut file = Network::new();
        let x = file.input("x", F32, &[3, 1]);
        let lists = [file.ints(a), file.ints(b)];
        let shape = file.tensor("shape", I32, &[i32::try_from(y.len()).unwrap()]);
        file.operator(145, &lists, &[shape], 0, vec![]);
        let result = file.tensor("y", F32, y);
        file.operator(130, &[x, shape], &[result], 0, vec![]);
        file.outputs.push(result);
        file
    };
    let stretched = typed(&file(&[3, 1], &[2, 1, 4], &[2, 3, 4]));
    assert_eq!([attr(&stretched.model, 0, "shape"), ops(&stretched.model)[0].into()], ["[2, 3, 4]", "broadcast_to"]);
    let text = refusal(&file(&[3, 2], &[2, 1, 4], &[2, 3, 4]).write());
    assert!(text.contains("these shapes do not broadcast\n  got: [3, 2] and [2, 1, 4]"), "{text}");
}

#[test]
fn zeros_are_broadcast_or_a_list() {
    let mut file = Network::new();
    let x = file.input("x", I8, &[2, 3]);
    let zeros = file.quantized("zeros", &[2, 3], 0.5, 3);
    let y = file.quantized("y", &[2, 3], 0.5, 3);
    file.quantize(x, &[0.5], &[3], 0);
    file.operator(93, &[x], &[zeros], 0, vec![]);
    file.operator(55, &[x, zeros], &[y], 0, vec![]);
    file.outputs.push(y);
    let typed = typed(&file);
    // The zero point is what stands for zero.
    let Data::Bytes(bytes) = &typed.model.params[0].data else { panic!("a file holds its own numbers") };
    assert!(bytes.iter().all(|byte| *byte == 3), "{bytes:?}");
    assert_eq!(
        (*ops(&typed.model).last().unwrap(), ty(&typed, typed.model.outputs[0].tensor)),
        ("maximum", "i8[2, 3] q(0.5, 3)".into())
    );

    let list: Vec<u8> = [4i32, 7].iter().flat_map(|v| v.to_le_bytes()).collect();
    let typed = super::typed(&gathered(93, &[(I32, &[2], list)], (I32, &[2]), &[2, 2]));
    assert_eq!((ops(&typed.model), indices(&typed.model)), (vec!["gather"], vec![0, 0]));
}

#[test]
fn padding_of_integers_is_their_number() {
    let file = |value: i32| {
        let mut file = Network::new();
        let x = file.input("x", I32, &[2]);
        let paddings = file.constant("paddings", I32, &[1, 2], &[1i32, 0].map(i32::to_le_bytes).concat());
        let value = file.constant("value", I32, &[], &value.to_le_bytes());
        let y = file.tensor("y", I32, &[3]);
        file.operator(60, &[x, paddings, value], &[y], 43, vec![]);
        file.outputs.push(y);
        file
    };
    assert_eq!(attr(&typed(&file(-7)).model, 0, "value"), "-7.0");
    assert_eq!(attr(&typed(&file(70_001)).model, 0, "value"), "70001.0");
    assert!(refusal(&file(i32::MAX).write()).contains("its value is no constant number"));
}

#[test]
fn casts_between_narrow_types_go_by_i32() {
    let mut file = Network::new();
    let x = file.input("x", BOOL, &[2]);
    let y = file.tensor("y", I8, &[2]);
    file.operator(53, &[x], &[y], 0, vec![]);
    file.outputs.push(y);
    assert_eq!(ops(&typed(&file).model), ["cast", "cast"]);
}
