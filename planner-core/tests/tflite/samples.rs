//! Small files that together use most of what can be read: what is damaged in other tests, and where the fuzzer starts.

use super::flatbuffer::Field;
use super::network::{F16, F32, I8, I32, Network};
use std::path::Path;

/// Name and bytes of each.
pub(super) fn samples() -> Vec<(&'static str, Vec<u8>)> {
    let all = [
        ("float", float()),
        ("folded", folded()),
        ("int8", int8()),
        ("parts", parts()),
        ("refused", refused()),
        ("shapes", shapes()),
    ];
    all.map(|(name, file)| (name, file.write())).into()
}

/// conv -> pool -> dense -> softmax on an open batch, named by a signature.
fn float() -> Network {
    let mut file = Network::new();
    let x = file.input("image:0", F32, &[1, 5, 5, 1]);
    file.set(x, 7, Field::Ints(vec![-1, 5, 5, 1]));
    let w = file.floats("conv/w", &[2, 2, 2, 1], &[0.5, -0.5, 1.0, 0.0, 0.25, 0.75, -1.0, 2.0]);
    let b = file.floats("conv/b", &[2], &[0.0, 1.0]);
    let conv = file.tensor("conv", F32, &[1, 4, 4, 2]);
    let options = vec![(0, Field::U8(1)), (1, Field::I32(1)), (2, Field::I32(1)), (3, Field::U8(1))];
    file.operator(3, &[x, w, b], &[conv], 1, options);
    let pooled = file.tensor("pool", F32, &[1, 2, 2, 2]);
    let options = vec![(1, Field::I32(2)), (2, Field::I32(2)), (3, Field::I32(2)), (4, Field::I32(2))];
    file.operator(1, &[conv], &[pooled], 5, options);
    let halves: Vec<u8> = (0..16u16).flat_map(|i| (0x3c00 + i).to_le_bytes()).collect();
    let half = file.constant("dense/half", F16, &[2, 8], &halves);
    let dense = file.tensor("dense/w", F32, &[2, 8]);
    file.operator(6, &[half], &[dense], 38, vec![]);
    let logits = file.tensor("logits", F32, &[1, 2]);
    file.operator(9, &[pooled, dense, -1], &[logits], 8, vec![]);
    let scores = file.tensor("scores", F32, &[1, 2]);
    file.operator(25, &[logits], &[scores], 9, vec![(0, Field::F32(1.0))]);
    file.outputs.push(scores);
    file.signature("serving_default", &[("image", x)], &[("scores", scores)]);
    file
}

/// quantize -> depthwise conv, per channel -> add -> mean -> dequantize.
fn int8() -> Network {
    let mut file = Network::new();
    let x = file.input("x", F32, &[1, 3, 3, 2]);
    let stored = file.quantized("q", &[1, 3, 3, 2], 0.5, 3);
    file.operator(114, &[x], &[stored], 89, vec![]);
    let w = file.constant("w", I8, &[1, 2, 2, 2], &[1, 2, 3, 4, 5, 6, 7, 8]);
    file.quantize(w, &[0.25, -0.5], &[0, 0], 3);
    let b = file.constant("b", I32, &[2], &[1, 0, 0, 0, 2, 0, 0, 0]);
    file.quantize(b, &[0.125, 0.25], &[0, 0], 0);
    let conv = file.quantized("h", &[1, 3, 3, 2], 0.75, -5);
    file.operator(4, &[stored, w, b], &[conv], 2, vec![(1, Field::I32(1)), (2, Field::I32(1)), (4, Field::U8(3))]);
    let sum = file.quantized("sum", &[1, 3, 3, 2], 1.0, 0);
    file.operator(0, &[stored, conv], &[sum], 11, vec![(0, Field::U8(1))]);
    let axes = file.ints(&[1, 2]);
    let mean = file.quantized("mean", &[1, 2], 0.5, 1);
    file.operator(40, &[sum, axes], &[mean], 27, vec![]);
    let y = file.tensor("y", F32, &[1, 2]);
    file.operator(6, &[mean], &[y], 38, vec![]);
    file.outputs.push(y);
    file
}

/// split -> pad, strided slice, leaky relu -> concat -> unpack.
fn parts() -> Network {
    let mut file = Network::new();
    let x = file.input("x", F32, &[2, 6]);
    let axis = file.ints(&[1]);
    let (left, right) = (file.tensor("left", F32, &[2, 3]), file.tensor("right", F32, &[2, 3]));
    file.operator(49, &[axis, x], &[left, right], 35, vec![(0, Field::I32(2))]);
    let paddings = file.constant("paddings", I32, &[2, 2], &[0i32, 0, 1, 0].map(i32::to_le_bytes).concat());
    let padded = file.tensor("padded", F32, &[2, 4]);
    file.operator(34, &[left, paddings], &[padded], 22, vec![]);
    let (begin, end, stride) = (file.ints(&[0, 0]), file.ints(&[0, 3]), file.ints(&[1, 2]));
    let cut = file.tensor("cut", F32, &[2, 2]);
    let masks = vec![(0, Field::I32(1)), (1, Field::I32(1))];
    file.operator(45, &[right, begin, end, stride], &[cut], 32, masks);
    let leaky = file.tensor("leaky", F32, &[2, 2]);
    file.operator(98, &[cut], &[leaky], 75, vec![(0, Field::F32(0.1))]);
    let joined = file.tensor("joined", F32, &[2, 6]);
    file.operator(2, &[padded, leaky], &[joined], 10, vec![(0, Field::I32(-1)), (1, Field::U8(3))]);
    let (y, z) = (file.tensor("y", F32, &[6]), file.tensor("z", F32, &[6]));
    file.operator(88, &[joined], &[y, z], 64, vec![(0, Field::I32(2))]);
    file.outputs.extend([y, z]);
    file
}

/// A reshape by computed dimensions, a transpose, a gather and a product of matrices.
fn shapes() -> Network {
    let mut file = Network::new();
    let ids = file.input("ids", I32, &[2, 2]);
    let table = file.floats("table", &[3, 2], &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    let rows = file.tensor("rows", F32, &[2, 2, 2]);
    file.operator(36, &[table, ids], &[rows], 23, vec![]);
    let shape = file.tensor("shape", I32, &[2]);
    file.operator(77, &[ids], &[shape], 55, vec![(0, Field::U8(I32))]);
    let (begin, end, stride) = (file.ints(&[0]), file.ints(&[1]), file.ints(&[1]));
    let first = file.tensor("first", I32, &[]);
    file.operator(45, &[shape, begin, end, stride], &[first], 32, vec![(4, Field::I32(1))]);
    let four = file.constant("four", I32, &[], &[4, 0, 0, 0]);
    let list = file.tensor("list", I32, &[2]);
    file.operator(83, &[first, four], &[list], 59, vec![(0, Field::I32(2))]);
    let flat = file.tensor("flat", F32, &[2, 4]);
    file.operator(22, &[rows, list], &[flat], 17, vec![]);
    let perm = file.ints(&[1, 0]);
    let turned = file.tensor("turned", F32, &[4, 2]);
    file.operator(39, &[flat, perm], &[turned], 26, vec![]);
    let y = file.tensor("y", F32, &[4, 4]);
    file.operator(126, &[turned, flat], &[y], 101, vec![]);
    file.outputs.push(y);
    file
}

/// Lists that are computed from constants, each by an operator of its own, and what reads them.
fn folded() -> Network {
    let mut file = Network::new();
    let x = file.input("x", F32, &[3, 1]);
    let (rows, columns) = (file.ints(&[3, 1]), file.ints(&[2, 1, 4]));
    let shape = file.tensor("shape", I32, &[3]);
    file.operator(145, &[rows, columns], &[shape], 0, vec![]);
    let wide = file.tensor("wide", F32, &[2, 3, 4]);
    file.operator(130, &[x, shape], &[wide], 0, vec![]);
    let ends = [0i32, 3, 2].map(|value| file.constant("end", I32, &[], &value.to_le_bytes()));
    let range = file.tensor("range", I32, &[2]);
    file.operator(96, &ends, &[range], 0, vec![]);
    let truth = file.constant("truth", 6, &[2, 2], &[1, 0, 0, 1]);
    let places = file.tensor("places", 4, &[2, 2]);
    file.operator(109, &[truth], &[places], 0, vec![]);
    let taken = file.tensor("taken", F32, &[2, 4]);
    file.operator(107, &[wide, places], &[taken], 0, vec![]);
    let zeros = file.tensor("zeros", F32, &[2, 4]);
    file.operator(93, &[taken], &[zeros], 0, vec![]);
    let larger = file.tensor("larger", F32, &[2, 4]);
    file.operator(55, &[taken, zeros], &[larger], 0, vec![]);
    let narrow = file.tensor("narrow", F32, &[2, 2]);
    file.operator(36, &[larger, range], &[narrow], 23, vec![(0, Field::I32(1))]);
    let stored = file.quantized("stored", &[2, 2], 0.5, 3);
    file.operator(114, &[narrow], &[stored], 89, vec![]);
    let shares = file.tensor("shares", 7, &[2, 2]);
    file.quantize(shares, &[1.0 / 65536.0], &[-32768], 0);
    file.operator(25, &[stored], &[shares], 9, vec![(0, Field::F32(1.0))]);
    file.outputs.push(shares);
    file
}

/// What is refused: state, control flow, a custom operator.
fn refused() -> Network {
    let mut file = Network::new();
    let x = file.input("x", F32, &[1, 4]);
    let state = file.tensor("state", F32, &[1, 4]);
    file.set(state, 5, Field::U8(1));
    let (a, b, y) = (file.tensor("a", F32, &[1, 4]), file.tensor("b", F32, &[1, 4]), file.tensor("y", F32, &[1, 4]));
    file.operator(27, &[x, state], &[a], 6, vec![]);
    file.operator(119, &[a], &[b], 93, vec![]);
    file.operator(32, &[b], &[y], 0, vec![]);
    file.codes[2].push((1, Field::Text("Other".into())));
    file.outputs.push(y);
    file
}

/// The fuzzer's seeds are these files.
#[test]
fn seeds_of_the_fuzzer_are_current() {
    assert_committed("../fuzz/seeds/tflite", &samples());
}

/// The files of `folder`, relative to the package, are `files`; `WATERLINE_BLESS=1` writes them.
pub(super) fn assert_committed(folder: &str, files: &[(&str, Vec<u8>)]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    for (name, bytes) in files {
        let path = folder.join(format!("{name}.tflite"));
        if std::env::var_os("WATERLINE_BLESS").is_some() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&path, bytes).unwrap();
        }
        let committed = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert_eq!(&committed, bytes, "{} is stale: run with WATERLINE_BLESS=1", path.display());
    }
}
