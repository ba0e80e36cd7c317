//! Each builtin operator becomes the right nodes, with every attribute.

use super::flatbuffer::Field;
use super::network::{F32, I8, I32, Network};
use super::{attr, ops, refusal, ty, typed};
use planner_core::model::{Data, TypedModel};

/// A network of one operator with one f32 input and one f32 result.
fn one(code: i32, x: &[i32], constants: &[&[i32]], y: &[i32], tag: u8, options: Vec<(usize, Field)>) -> Network {
    let mut file = Network::new();
    let mut inputs = vec![file.input("x", F32, x)];
    inputs.extend(constants.iter().map(|values| file.ints(values)));
    let output = file.tensor("y", F32, y);
    file.operator(code, &inputs, &[output], tag, options);
    file.outputs.push(output);
    file
}

/// The type of the only output.
fn result(typed: &TypedModel) -> String {
    ty(typed, typed.model.outputs[0].tensor)
}

/// A 3x2 filter over 7x7 pixels in steps of [1, 3], its rows 2 apart.
fn conv2d(activation: u8) -> Network {
    let mut file = Network::new();
    let x = file.input("x", F32, &[1, 7, 7, 2]);
    let w = file.floats("w", &[4, 3, 2, 2], &[0.5; 48]);
    let b = file.floats("b", &[4], &[1.0; 4]);
    let y = file.tensor("y", F32, &[1, 3, 2, 4]);
    let options = vec![
        (0, Field::U8(1)),
        (1, Field::I32(3)),
        (2, Field::I32(1)),
        (3, Field::U8(activation)),
        (4, Field::I32(1)),
        (5, Field::I32(2)),
    ];
    file.operator(3, &[x, w, b], &[y], 1, options);
    file.outputs.push(y);
    file
}

#[test]
fn conv_2d_keeps_its_attributes() {
    let typed = typed(&conv2d(3));
    assert_eq!(ops(&typed.model), ["conv2d"]);
    let attr = |name| attr(&typed.model, 0, name);
    assert_eq!([attr("stride"), attr("dilation"), attr("padding")], ["[1, 3]", "[2, 1]", "valid"]);
    assert_eq!([attr("groups"), attr("act")], ["1", "relu6"]);
    assert_eq!(result(&typed), "f32[1, 3, 2, 4]");
}

#[test]
fn fused_activations_that_an_operator_lacks_follow_it() {
    assert_eq!(ops(&typed(&conv2d(4)).model), ["conv2d", "tanh"]);
    assert!(refusal(&conv2d(5).write()).contains("no operator `sign_bit`"));
    let text = refusal(&conv2d(6).write());
    assert!(text.contains("field of unknown value 6"), "{text}");
}

#[test]
fn fewer_filter_channels_than_image_channels_are_groups() {
    let mut file = Network::new();
    let x = file.input("x", F32, &[1, 4, 4, 6]);
    let w = file.floats("w", &[4, 1, 1, 3], &[0.5; 12]);
    let y = file.tensor("y", F32, &[1, 4, 4, 4]);
    file.operator(3, &[x, w, -1], &[y], 1, vec![(1, Field::I32(1)), (2, Field::I32(1))]);
    file.outputs.push(y);
    let typed = typed(&file);
    assert_eq!(attr(&typed.model, 0, "groups"), "2");
    assert_eq!(typed.model.nodes[0].args.last(), Some(&None), "a bias of -1 is left out");
}

#[test]
fn depthwise_conv_2d_and_pools_keep_their_attributes() {
    let mut file = Network::new();
    let x = file.input("x", F32, &[1, 8, 9, 2]);
    let w = file.floats("w", &[1, 3, 3, 4], &[0.5; 36]);
    let h = file.tensor("h", F32, &[1, 4, 3, 4]);
    let options = vec![(1, Field::I32(3)), (2, Field::I32(2)), (3, Field::I32(99)), (4, Field::U8(1))];
    file.operator(4, &[x, w], &[h], 2, options);
    let y = file.tensor("y", F32, &[1, 3, 1, 4]);
    let options =
        vec![(0, Field::U8(1)), (1, Field::I32(2)), (2, Field::I32(1)), (3, Field::I32(3)), (4, Field::I32(2))];
    file.operator(17, &[h], &[y], 5, options);
    file.outputs.push(y);
    let typed = typed(&file);
    assert_eq!(ops(&typed.model), ["depthwise_conv2d", "max_pool2d"]);
    let depthwise = |name| attr(&typed.model, 0, name);
    assert_eq!([depthwise("stride"), depthwise("padding"), depthwise("act")], ["[2, 3]", "same", "relu"]);
    let pool = |name| attr(&typed.model, 1, name);
    assert_eq!([pool("filter"), pool("stride"), pool("padding")], ["[2, 3]", "[1, 2]", "valid"]);
}

#[test]
fn fully_connected_flattens_its_input() {
    let file = |x: &[i32], y: &[i32], keep: u8| {
        let mut file = Network::new();
        let x = file.input("x", F32, x);
        let w = file.floats("w", &[3, 8], &[0.5; 24]);
        let y = file.tensor("y", F32, y);
        file.operator(9, &[x, w, -1], &[y], 8, vec![(2, Field::U8(keep))]);
        file.outputs.push(y);
        file
    };
    assert_eq!(ops(&typed(&file(&[2, 8], &[2, 3], 0)).model), ["dense"]);
    assert_eq!(ops(&typed(&file(&[2, 4], &[1, 3], 0)).model), ["reshape", "dense"]);
    assert_eq!(result(&typed(&file(&[1, 2, 2, 4], &[2, 3], 0))), "f32[2, 3]");
    let kept = typed(&file(&[5, 2, 8], &[5, 2, 3], 1));
    assert_eq!(ops(&kept.model), ["reshape", "dense", "reshape"]);
    assert_eq!(result(&kept), "f32[5, 2, 3]");
}

#[test]
fn reshape_takes_a_constant_or_an_option() {
    assert_eq!(result(&typed(&one(22, &[2, 6], &[&[3, -1]], &[3, 4], 0, vec![]))), "f32[3, 4]");
    let option = vec![(0, Field::Ints(vec![4, 3]))];
    assert_eq!(result(&typed(&one(22, &[2, 6], &[], &[4, 3], 17, option))), "f32[4, 3]");
}

#[test]
fn parts_are_cut_and_joined() {
    let pack = {
        let mut file = Network::new();
        let (a, b) = (file.input("a", F32, &[4]), file.input("b", F32, &[4]));
        let y = file.tensor("y", F32, &[4, 2]);
        file.operator(83, &[a, b], &[y], 59, vec![(0, Field::I32(2)), (1, Field::I32(-1))]);
        file.outputs.push(y);
        typed(&file)
    };
    assert_eq!(ops(&pack.model), ["pack"]);
    assert_eq!(result(&pack), "f32[4, 2]");

    let unpack = {
        let mut file = Network::new();
        let x = file.input("x", F32, &[2, 3]);
        let parts: Vec<i32> = ["p", "q", "r"].iter().map(|name| file.tensor(name, F32, &[2])).collect();
        file.operator(88, &[x], &parts, 64, vec![(0, Field::I32(3)), (1, Field::I32(1))]);
        file.outputs.extend(parts);
        typed(&file)
    };
    assert_eq!(ops(&unpack.model), ["unpack"]);
    assert_eq!([attr(&unpack.model, 0, "axis"), ty(&unpack, unpack.model.outputs[2].tensor)], ["1", "f32[2]"]);

    let split_v = {
        let mut file = Network::new();
        let x = file.input("x", F32, &[1, 6]);
        let (sizes, axis) = (file.ints(&[1, -1, 2]), file.ints(&[-1]));
        let parts: Vec<i32> = [1, 3, 2].iter().map(|size| file.tensor("part", F32, &[1, *size])).collect();
        file.operator(102, &[x, sizes, axis], &parts, 79, vec![(0, Field::I32(3))]);
        file.outputs.extend(parts);
        typed(&file)
    };
    assert_eq!(attr(&split_v.model, 0, "parts"), "[1, 3, 2]");
}

#[test]
fn strided_slice_may_drop_and_add_dimensions() {
    // x[1, ::2, newaxis]
    let masks = vec![(0, Field::I32(2)), (1, Field::I32(2)), (3, Field::I32(4)), (4, Field::I32(1))];
    let lists: [&[i32]; 3] = [&[1, 0, 0], &[2, 0, 0], &[1, 2, 1]];
    let typed = typed(&one(45, &[4, 5], &lists, &[3, 1], 32, masks));
    assert_eq!(ops(&typed.model), ["strided_slice"]);
    let slice = |name| attr(&typed.model, 0, name);
    assert_eq!([slice("begin"), slice("end"), slice("stride")], ["[1, 0, 0]", "[2, 0, 0]", "[1, 2, 1]"]);
    let masks = ["begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"].map(slice);
    assert_eq!(masks, ["2", "2", "0", "4", "1"]);
    assert_eq!(result(&typed), "f32[3, 1]");
}

#[test]
fn ends_of_a_strided_slice_may_be_offsets() {
    let lists: [&[i32]; 3] = [&[-3], &[2], &[1]];
    let typed = typed(&one(45, &[7], &lists, &[2], 32, vec![(5, Field::U8(1))]));
    assert_eq!([attr(&typed.model, 0, "begin"), attr(&typed.model, 0, "end")], ["[-3]", "[6]"]);
}

/// As `TFLite` has it: a convolution's input if there are several scales, a depthwise one's always.
#[test]
fn inputs_of_i8_filters_are_quantised_with_a_zero_point_or_without() {
    let filtered = |code: i32, tag: u8, filter: &[i32], scales: &[f32], axis: i32| {
        let mut file = Network::new();
        let x = file.input("x", F32, &[1, 4, 4, 1]);
        let w = file.constant("w", I8, filter, &vec![1; scales.len() * 4]);
        file.quantize(w, scales, &vec![0; scales.len()], axis);
        let y = file.tensor("y", F32, &[1, 4, 4, i32::try_from(scales.len()).unwrap()]);
        file.operator(code, &[x, w, -1], &[y], tag, vec![(1, Field::I32(1)), (2, Field::I32(1))]);
        file.outputs.push(y);
        attr(&typed(&file).model, 0, "asymmetric")
    };
    assert_eq!(filtered(3, 1, &[1, 2, 2, 1], &[0.5], 0), "false");
    assert_eq!(filtered(3, 1, &[2, 2, 2, 1], &[0.5, 0.25], 0), "true");
    assert_eq!(filtered(4, 2, &[1, 2, 2, 1], &[0.5], 3), "true");
    assert_eq!(filtered(4, 2, &[1, 2, 2, 2], &[0.5, 0.25], 3), "true");
}

/// Matrices of `x` times constant ones of i8.
fn products(x: (u8, &[i32]), w: &[i32], y: &[i32]) -> Network {
    let mut file = Network::new();
    let input = file.input("x", x.0, x.1);
    let count = w.iter().product::<i32>();
    let bytes: Vec<u8> = (1..).take(usize::try_from(count).unwrap()).collect();
    let weights = file.constant("w", I8, w, &bytes);
    file.quantize(weights, &[0.25], &[0], 0);
    let output = file.tensor("y", x.0, y);
    if x.0 != F32 {
        for id in [input, output] {
            file.quantize(id, &[0.5], &[0], 0);
        }
    }
    file.operator(126, &[input, weights], &[output], 101, vec![]);
    file.outputs.push(output);
    file
}

#[test]
fn products_with_constant_matrices_of_i8_are_dense_layers() {
    const I16: u8 = 7;
    for (element, name) in [(F32, "f32"), (I16, "i16")] {
        let one = typed(&products((element, &[2, 4, 3]), &[3, 5], &[2, 4, 5]));
        assert_eq!(ops(&one.model), ["dense"], "{name}");
        let weights = one.model.param(one.model.nodes[0].args[1].unwrap()).unwrap();
        let Data::Bytes(bytes) = &weights.data else { panic!("{weights:?}") };
        assert_eq!(bytes[..4], [1, 6, 11, 2], "a row for each column");
    }
    let more = typed(&products((F32, &[4, 3]), &[1, 3, 5], &[1, 4, 5]));
    assert_eq!(ops(&more.model), ["dense", "reshape"]);
    let two = typed(&products((F32, &[2, 4, 3]), &[2, 3, 5], &[2, 4, 5]));
    assert_eq!(ops(&two.model), ["reshape", "slice", "dense", "slice", "dense", "concat", "reshape"]);
    assert_eq!(attr(&two.model, 3, "begin"), "[1, 0, 0]");
    let text = refusal(&products((F32, &[2, 4, 3]), &[3, 3, 5], &[3, 4, 5]).write());
    assert!(text.contains("do not broadcast"), "{text}");
}

/// What `TFLite` has in networks of i16: -7 is 0, so that 5 is 12 steps of the same scale.
#[test]
fn slopes_of_i8_become_i16() {
    const I16: u8 = 7;
    let mut file = Network::new();
    let x = file.input("x", I16, &[1, 2, 2]);
    let slopes = file.constant("slopes", I8, &[2], &[5, 249]);
    let y = file.tensor("y", I16, &[1, 2, 2]);
    file.quantize(x, &[0.5], &[0], 0);
    file.quantize(slopes, &[0.25], &[-7], 0);
    file.quantize(y, &[0.5], &[0], 0);
    file.operator(54, &[x, slopes], &[y], 0, vec![]);
    file.outputs.push(y);
    let typed = typed(&file);
    let id = typed.model.nodes[0].args[1].unwrap();
    let Data::Bytes(bytes) = &typed.model.param(id).unwrap().data else { panic!("no bytes") };
    assert_eq!((&**bytes, ty(&typed, id)), (&[12u8, 0, 0, 0][..], "i16[2] q(0.25, 0)".into()));
}

#[test]
fn other_attributes_are_kept() {
    let softmax = typed(&one(25, &[1, 4], &[], &[1, 4], 9, vec![(0, Field::F32(0.5))]));
    assert_eq!(attr(&softmax.model, 0, "beta"), "0.5");
    let leaky = typed(&one(98, &[1, 4], &[], &[1, 4], 75, vec![(0, Field::F32(0.25))]));
    assert_eq!(attr(&leaky.model, 0, "alpha"), "0.25");
    let mean = typed(&one(40, &[1, 4, 4, 2], &[&[1, 2]], &[1, 1, 1, 2], 27, vec![(0, Field::U8(1))]));
    assert_eq!([attr(&mean.model, 0, "axes"), attr(&mean.model, 0, "keep_dims")], ["[1, 2]", "true"]);
    let transpose = typed(&one(39, &[2, 3, 4], &[&[0, -1, 1]], &[2, 4, 3], 26, vec![]));
    assert_eq!(attr(&transpose.model, 0, "perm"), "[0, 2, 1]");
    let resize = typed(&one(97, &[1, 2, 2, 1], &[&[4, 6]], &[1, 4, 6, 1], 74, vec![(1, Field::U8(1))]));
    assert_eq!([attr(&resize.model, 0, "size"), attr(&resize.model, 0, "half_pixel_centers")], ["[4, 6]", "true"]);
    let adjoint = {
        let mut file = Network::new();
        let (a, b) = (file.input("a", F32, &[2, 3]), file.input("b", F32, &[4, 3]));
        let y = file.tensor("y", F32, &[2, 4]);
        file.operator(126, &[a, b], &[y], 101, vec![(1, Field::U8(1))]);
        file.outputs.push(y);
        typed(&file)
    };
    assert_eq!([attr(&adjoint.model, 0, "transpose_a"), attr(&adjoint.model, 0, "transpose_b")], ["false", "true"]);
}

#[test]
fn quantisation_of_results_is_that_of_the_file() {
    let mut file = Network::new();
    let x = file.input("x", I8, &[1, 4]);
    file.quantize(x, &[0.5], &[3], 0);
    let w = file.constant("w", I8, &[2, 4], &[1, 2, 3, 4, 5, 6, 7, 8]);
    file.quantize(w, &[0.25], &[0], 0);
    let b = file.constant("b", I32, &[2], &[0; 8]);
    file.quantize(b, &[0.125], &[0], 0);
    let y = file.quantized("y", &[1, 2], 2.0, -7);
    file.operator(9, &[x, w, b], &[y], 8, vec![]);
    file.outputs.push(y);
    assert_eq!(result(&typed(&file)), "i8[1, 2] q(2, -7)");

    file.quantize(b, &[0.5], &[0], 0);
    let text = refusal(&file.write());
    assert!(text.contains("the scale of its bias is not the product"), "{text}");
}

#[test]
fn operators_that_move_integers_do_not_mind_other_scales() {
    let mut file = Network::new();
    let x = file.input("x", I8, &[1, 4]);
    file.quantize(x, &[0.5], &[3], 0);
    let shape = file.ints(&[4]);
    let y = file.quantized("y", &[4], 0.25, -1);
    file.operator(22, &[x, shape], &[y], 17, vec![]);
    file.outputs.push(y);
    let typed = typed(&file);
    assert_eq!(ops(&typed.model), ["reshape", "reinterpret"]);
    assert_eq!(result(&typed), "i8[4] q(0.25, -1)");
}
