//! Each builtin operator of a family becomes ours, with its attributes and the type that the file gives it.

use super::flatbuffer::Field;
use super::network::{F32, I8, I32, Network};
use super::{attr, ops, refusal, ty, typed};
use planner_core::model::TypedModel;

const BOOL: u8 = 6;

/// A network of operator `code` over tensors of type and shape, and lists of integers behind them.
pub(super) fn net(
    code: i32,
    inputs: &[(u8, &[i32])],
    lists: &[&[i32]],
    (element, dims): (u8, &[i32]),
    (tag, options): (u8, Vec<(usize, Field)>),
) -> Network {
    let mut file = Network::new();
    let mut args: Vec<i32> = inputs.iter().map(|(element, dims)| file.input("x", *element, dims)).collect();
    for (&arg, (element, _)) in args.iter().zip(inputs) {
        if *element == I8 {
            file.quantize(arg, &[0.5], &[3], 0);
        }
    }
    args.extend(lists.iter().map(|list| file.ints(list)));
    let output = file.tensor("y", element, dims);
    if element == I8 {
        file.quantize(output, &[0.5], &[3], 0);
    }
    file.operator(code, &args, &[output], tag, options);
    file.outputs.push(output);
    file
}

/// The only operator of `typed`, and the type of its result.
fn only(typed: &TypedModel) -> (&'static str, String) {
    let names = ops(&typed.model);
    assert_eq!(names.len(), 1, "{names:?}");
    (names[0], ty(typed, typed.model.outputs[0].tensor))
}

#[test]
fn functions_of_one_tensor() {
    let names = [
        (101, "abs"),
        (104, "ceil"),
        (108, "cos"),
        (111, "elu"),
        (47, "exp"),
        (8, "floor"),
        (117, "hard_swish"),
        (73, "log"),
        (50, "log_softmax"),
        (59, "neg"),
        (20, "relu_n1_to_1"),
        (116, "round"),
        (76, "rsqrt"),
        (66, "sin"),
        (75, "sqrt"),
        (92, "square"),
    ];
    for (code, name) in names {
        let file = net(code, &[(F32, &[2, 3])], &[], (F32, &[2, 3]), (0, vec![]));
        assert_eq!(only(&typed(&file)), (name, "f32[2, 3]".into()), "code {code}");
    }
    let gelu = typed(&net(150, &[(F32, &[2])], &[], (F32, &[2]), (116, vec![(0, Field::U8(1))])));
    assert_eq!((only(&gelu).0, attr(&gelu.model, 0, "approximate")), ("gelu", "true".into()));
    let norm = typed(&net(11, &[(F32, &[2, 3])], &[], (F32, &[2, 3]), (12, vec![(0, Field::U8(1))])));
    assert_eq!(ops(&norm.model), ["l2_normalize", "relu"]);
    assert_eq!(only(&typed(&net(87, &[(BOOL, &[2])], &[], (BOOL, &[2]), (0, vec![])))).0, "logical_not");
}

#[test]
fn operators_of_two_tensors() {
    let pairs = [
        (42, "div", F32, F32),
        (99, "squared_difference", F32, F32),
        (78, "pow", F32, F32),
        (54, "prelu", F32, F32),
        (90, "floor_div", I32, I32),
        (95, "floor_mod", I32, I32),
        (71, "equal", F32, BOOL),
        (72, "not_equal", I8, BOOL),
        (58, "less", I32, BOOL),
        (63, "less_equal", F32, BOOL),
        (61, "greater", F32, BOOL),
        (62, "greater_equal", I8, BOOL),
        (86, "logical_and", BOOL, BOOL),
        (84, "logical_or", BOOL, BOOL),
        (0, "add", I32, I32),
    ];
    for (code, name, from, to) in pairs {
        let file = net(code, &[(from, &[2, 3]), (from, &[3])], &[], (to, &[2, 3]), (0, vec![]));
        let (got, ty) = only(&typed(&file));
        assert_eq!(got, name, "code {code}");
        assert_eq!(ty.starts_with("bool"), to == BOOL, "{name}: {ty}");
    }
    for code in [64, 123] {
        let inputs: [(u8, &[i32]); 3] = [(BOOL, &[2, 1]), (I8, &[2, 3]), (I8, &[3])];
        let file = net(code, &inputs, &[], (I8, &[2, 3]), (0, vec![]));
        assert_eq!(only(&typed(&file)), ("select", "i8[2, 3] q(0.5, 3)".into()));
    }
}

#[test]
fn operators_along_a_dimension() {
    let sums = vec![(0, Field::U8(1)), (1, Field::U8(1))];
    let cumsum = typed(&net(128, &[(F32, &[2, 3])], &[&[1]], (F32, &[2, 3]), (102, sums)));
    let of = |name| attr(&cumsum.model, 0, name);
    assert_eq!([only(&cumsum).0, &of("axis"), &of("exclusive"), &of("reverse")], ["cumsum", "1", "true", "true"]);
    for (code, name, tag) in [(56, "arg_max", 40), (79, "arg_min", 57)] {
        let options = vec![(0, Field::U8(I32))];
        let file = net(code, &[(I8, &[2, 3, 4])], &[&[-2]], (I32, &[2, 4]), (tag, options));
        assert_eq!(only(&typed(&file)), (name, "i32[2, 4]".into()));
    }
    let min = typed(&net(89, &[(I8, &[2, 3])], &[&[0]], (I8, &[1, 3]), (27, vec![(0, Field::U8(1))])));
    assert_eq!(only(&min), ("min", "i8[1, 3] q(0.5, 3)".into()));
    let product = typed(&net(81, &[(F32, &[2, 3])], &[&[0]], (F32, &[3]), (27, vec![])));
    assert_eq!(only(&product), ("prod", "f32[3]".into()));
    let gather = vec![(0, Field::I32(2)), (1, Field::I32(1))];
    let gather = typed(&net(36, &[(F32, &[2, 3, 4]), (I32, &[2, 5])], &[], (F32, &[2, 3, 5]), (23, gather)));
    assert_eq!([attr(&gather.model, 0, "axis"), attr(&gather.model, 0, "batch_dims")], ["2", "1"]);
    let gather_nd = typed(&net(107, &[(F32, &[2, 3, 4]), (I32, &[5, 2])], &[], (F32, &[5, 4]), (0, vec![])));
    assert_eq!(only(&gather_nd), ("gather_nd", "f32[5, 4]".into()));
    let lookup = typed(&net(7, &[(I32, &[3]), (F32, &[4, 2])], &[], (F32, &[3, 2]), (0, vec![])));
    assert_eq!(only(&lookup), ("gather", "f32[3, 2]".into()));
    let lookup = typed(&net(7, &[(I32, &[3]), (I8, &[4, 2])], &[], (F32, &[3, 2]), (0, vec![])));
    assert_eq!(ops(&lookup.model), ["gather", "dequantize"]);
}

#[test]
fn operators_that_move_elements() {
    let x: (u8, &[i32]) = (I8, &[1, 4, 6, 2]);
    let block = |size| vec![(0, Field::I32(size))];
    let deep = typed(&net(26, &[x], &[], (I8, &[1, 2, 3, 8]), (19, block(2))));
    assert_eq!((only(&deep).0, attr(&deep.model, 0, "block")), ("space_to_depth", "2".into()));
    let wide = typed(&net(5, &[(F32, &[1, 2, 3, 8])], &[], (F32, &[1, 4, 6, 2]), (94, block(2))));
    assert_eq!(only(&wide), ("depth_to_space", "f32[1, 4, 6, 2]".into()));
    let batch = typed(&net(38, &[x], &[&[2, 3], &[0, 0, 1, 2]], (I8, &[6, 2, 3, 2]), (0, vec![])));
    assert_eq!([attr(&batch.model, 0, "block"), attr(&batch.model, 0, "paddings")], ["[2, 3]", "[0, 0, 1, 2]"]);
    let space = typed(&net(37, &[(F32, &[4, 2, 3])], &[&[2], &[1, 0]], (F32, &[2, 3, 3]), (0, vec![])));
    assert_eq!([only(&space).0, &attr(&space.model, 0, "crops")], ["batch_to_space", "[1, 0]"]);
    let mirror = net(100, &[(F32, &[2, 3])], &[&[0, 1, 2, 0]], (F32, &[3, 5]), (77, vec![(0, Field::U8(1))]));
    let mirror = typed(&mirror);
    assert_eq!([only(&mirror).0, &attr(&mirror.model, 0, "mode")], ["mirror_pad", "symmetric"]);
    let tile = typed(&net(69, &[(F32, &[2, 3])], &[&[2, 1]], (F32, &[4, 3]), (0, vec![])));
    assert_eq!([only(&tile).0, &attr(&tile.model, 0, "repeats")], ["tile", "[2, 1]"]);
    let stretched = typed(&net(130, &[(F32, &[3])], &[&[2, 3]], (F32, &[2, 3]), (0, vec![])));
    assert_eq!(only(&stretched), ("broadcast_to", "f32[2, 3]".into()));
    let reversed = typed(&net(105, &[(F32, &[2, 3])], &[&[1]], (F32, &[2, 3]), (0, vec![])));
    assert_eq!([only(&reversed).0, &attr(&reversed.model, 0, "axes")], ["reverse", "[1]"]);
    let cast = typed(&net(53, &[(F32, &[2])], &[], (BOOL, &[2]), (0, vec![])));
    assert_eq!([only(&cast).0, &attr(&cast.model, 0, "to")], ["cast", "bool"]);
}

#[test]
fn operators_of_images() {
    let corners = vec![(2, Field::U8(1))];
    let resize = typed(&net(23, &[(I8, &[1, 2, 2, 1])], &[&[4, 6]], (I8, &[1, 4, 6, 1]), (15, corners)));
    assert_eq!([only(&resize).0, &attr(&resize.model, 0, "align_corners")], ["resize_bilinear", "true"]);
    let pool = vec![(0, Field::U8(1)), (1, Field::I32(1)), (2, Field::I32(2)), (3, Field::I32(1)), (4, Field::I32(2))];
    let pool = typed(&net(12, &[(F32, &[1, 4, 3, 1])], &[], (F32, &[1, 2, 3, 1]), (5, pool)));
    assert_eq!([only(&pool).0, &attr(&pool.model, 0, "filter")], ["l2_pool2d", "[2, 1]"]);

    let mut file = Network::new();
    let size = file.ints(&[1, 5, 6, 3]);
    let w = file.floats("w", &[3, 2, 2, 2], &[0.5; 24]);
    let x = file.input("x", F32, &[1, 3, 3, 2]);
    let y = file.tensor("y", F32, &[1, 5, 6, 3]);
    // Same padding in steps of two: 5 rows and 6 columns both have 3 positions.
    let options = vec![(0, Field::U8(0)), (1, Field::I32(2)), (2, Field::I32(2)), (3, Field::U8(3))];
    file.operator(67, &[size, w, x], &[y], 49, options);
    file.outputs.push(y);
    let conv = typed(&file);
    let of = |name| attr(&conv.model, 0, name);
    assert_eq!(
        [only(&conv).0, &of("size"), &of("stride"), &of("padding")],
        ["transpose_conv2d", "[5, 6]", "[2, 2]", "same"]
    );
    assert_eq!(of("act"), "relu6");
}

#[test]
#[allow(clippy::many_single_char_names, reason = "tensors of a formula")]
fn what_depends_on_constants_alone_is_computed() {
    // x * transpose((a + b) / c) as weights of a dense layer.
    let mut file = Network::new();
    let x = file.input("x", F32, &[1, 2]);
    let a = file.floats("a", &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let b = file.floats("b", &[3], &[1.0, 0.0, -1.0]);
    let c = file.floats("c", &[1], &[2.0]);
    let (sum, half) = (file.tensor("sum", F32, &[2, 3]), file.tensor("half", F32, &[2, 3]));
    file.operator(0, &[a, b], &[sum], 11, vec![(0, Field::U8(1))]);
    file.operator(42, &[sum, c], &[half], 29, vec![]);
    let perm = file.ints(&[1, 0]);
    let turned = file.tensor("turned", F32, &[3, 2]);
    file.operator(39, &[half, perm], &[turned], 26, vec![]);
    let y = file.tensor("y", F32, &[1, 3]);
    file.operator(9, &[x, turned, -1], &[y], 8, vec![]);
    file.outputs.push(y);
    let typed = typed(&file);
    assert_eq!(ops(&typed.model), ["dense"]);
    let weights = typed.model.nodes[0].args[1].unwrap();
    let planner_core::model::Data::Bytes(bytes) = &typed.model.param(weights).unwrap().data else { panic!() };
    let values: Vec<f32> = bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
    assert_eq!(values, [1.0, 2.5, 1.0, 2.5, 1.0, 2.5]);

    file.outputs[0] = turned;
    assert!(refusal(&file.write()).contains("output `turned` does not depend on any input"));
}

#[test]
fn lists_of_lists_are_computed() {
    // Paddings as converters write them: [[1, 1], [0, size % 2]].
    let mut file = Network::new();
    let x = file.input("x", F32, &[1, 2, 3, 1]);
    let shape = file.tensor("shape", I32, &[4]);
    file.operator(77, &[x], &[shape], 55, vec![(0, Field::U8(I32))]);
    let (begin, end, stride) = (file.ints(&[2]), file.ints(&[3]), file.ints(&[1]));
    let size = file.tensor("size", I32, &[]);
    file.operator(45, &[shape, begin, end, stride], &[size], 32, vec![(4, Field::I32(1))]);
    let [zero, one, two] = [0i32, 1, 2].map(|v| file.constant("number", I32, &[], &v.to_le_bytes()));
    let odd = file.tensor("odd", I32, &[]);
    file.operator(95, &[size, two], &[odd], 0, vec![]);
    let pair = vec![(0, Field::I32(2))];
    let [first, second] = [[one, one], [zero, odd]].map(|parts| {
        let list = file.tensor("pair", I32, &[2]);
        file.operator(83, &parts, &[list], 59, pair.clone());
        list
    });
    let whole = file.tensor("paddings", I32, &[2, 2]);
    file.operator(83, &[first, second], &[whole], 59, pair.clone());
    let y = file.tensor("y", F32, &[4, 2, 2, 1]);
    let block = file.ints(&[2, 2]);
    file.operator(38, &[x, block, whole], &[y], 0, vec![]);
    file.outputs.push(y);
    let typed = typed(&file);
    assert_eq!(attr(&typed.model, 0, "paddings"), "[1, 1, 0, 1]");
    assert_eq!(only(&typed), ("space_to_batch", "f32[4, 2, 2, 1]".into()));
}
