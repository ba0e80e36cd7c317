//! What is refused, and how that reads.

use super::flatbuffer::{Field, tables};
use super::network::{F32, I8, I32, Network};
use super::{import, kinds, ops, refusal, typed};
use planner_core::diagnostic::Kind;
use planner_core::source::Src;
use planner_core::steps;

/// y = the operator of `code` of x.
fn one(code: i32, element: u8) -> Network {
    let mut file = Network::new();
    let x = file.input("x", element, &[1, 4]);
    let y = file.tensor("y", element, &[1, 4]);
    file.operator(code, &[x], &[y], 0, vec![]);
    file.outputs.push(y);
    file
}

#[test]
fn everything_unsupported_is_reported_at_once() {
    let mut file = Network::new();
    let mut x = file.input("x", F32, &[1, 4]);
    // WHILE, CUSTOM, RELU, RFFT2D, a code that does not exist.
    for code in [119, 32, 19, 131, 9999] {
        let y = file.tensor("y", F32, &[1, 4]);
        file.operator(code, &[x], &[y], 0, vec![]);
        x = y;
    }
    file.codes[1].push((1, Field::Text("TFLite_Detection_PostProcess".into())));
    file.outputs.push(x);
    let found = import(&file.write()).unwrap_err();
    let messages: Vec<&str> = found.0.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "operator 0 WHILE version 1: control flow is not supported",
            "operator 1 CUSTOM `TFLite_Detection_PostProcess` version 1: custom operators are not supported",
            "operator 3 RFFT2D version 1: this operator is not supported",
            "operator 4 of code 9999 version 1: no operator of this code is known",
        ]
    );
    assert!(found.0.iter().all(|diagnostic| diagnostic.kind == Kind::Unsupported && diagnostic.src == Src(7)));
    assert!(found.0.iter().all(|diagnostic| diagnostic.to_string().contains("\n  help: ")), "{found}");
    let text = found.0[0].to_string();
    assert!(
        text.contains("\n  note: it reads `x` f32[1, 4]\n  note: it writes `y` f32[1, 4]\n  help: unroll it"),
        "{text}"
    );
}

#[test]
fn many_defects_are_counted() {
    let mut file = Network::new();
    let mut x = file.input("x", F32, &[1, 4]);
    for _ in 0..100 {
        let y = file.tensor("y", F32, &[1, 4]);
        file.operator(119, &[x], &[y], 0, vec![]);
        x = y;
    }
    file.outputs.push(x);
    let found = import(&file.write()).unwrap_err();
    assert_eq!(found.0.len(), 65);
    assert_eq!(found.0[64].message, "36 more operators or tensors are not supported");
}

#[test]
fn types_that_are_missing_are_named() {
    for (element, name) in [(5, "string"), (8, "complex64"), (10, "f64"), (17, "i4"), (12, "u64")] {
        let found = import(&one(19, element).write()).unwrap_err();
        assert_eq!(found.0.len(), 2, "{found}");
        assert!(found.0[0].message.starts_with(&format!("input `x` is {name}, which is not supported")), "{found}");
        assert!(found.0[1].message.starts_with(&format!("operator 0 RELU version 1: `x` is {name}")), "{found}");
    }
    let mut file = one(19, F32);
    file.set(0, 1, Field::U8(200));
    assert_eq!(kinds(&file.write()), [Kind::ModelFile]);
}

#[test]
fn the_file_is_held_to_its_types() {
    let mut file = one(19, F32);
    file.set(1, 0, Field::Ints(vec![1, 5]));
    let text = refusal(&file.write());
    let wanted = "operator 0 RELU version 1: the file gives `y` another type than its operator\n  got: f32[1, 5]\n  wanted: f32[1, 4]";
    assert!(text.starts_with(wanted), "{text}");
}

#[test]
fn both_fields_of_operator_codes_count() {
    // SUB in the old field only, as old converters write it.
    let mut file = Network::new();
    let (a, b) = (file.input("a", F32, &[1, 4]), file.input("b", F32, &[1, 4]));
    let y = file.tensor("y", F32, &[1, 4]);
    file.operator(41, &[a, b], &[y], 28, vec![]);
    file.codes[0] = vec![(0, Field::U8(41))];
    file.outputs.push(y);
    assert_eq!(ops(&typed(&file).model), ["sub"]);
    // BROADCAST_TO has a code above 127, for which the old field says 127.
    let text = refusal(&one(130, F32).write());
    assert!(text.contains("BROADCAST_TO"), "{text}");
}

#[test]
fn contradictions_in_the_file_are_errors() {
    let says = |file: &Network, wanted: &str| {
        let text = refusal(&file.write());
        assert!(text.contains(wanted), "{text}");
        assert!(kinds(&file.write()).contains(&Kind::ModelFile), "{text}");
    };
    let mut file = one(19, F32);
    file.operators[0][1] = (1, Field::Ints(vec![9]));
    says(&file, "operator 0: it refers to tensor 9 of 2");
    let mut file = one(19, F32);
    file.operators[0][0] = (0, Field::I32(3));
    says(&file, "it has no operator code 3");
    let mut file = one(19, F32);
    file.inputs.push(0);
    says(&file, "it names tensor 0 twice as input");
    let mut file = one(19, F32);
    file.outputs = vec![-1];
    says(&file, "it names tensor -1 of 2 as output");
    let mut file = one(19, F32);
    file.inputs.clear();
    says(&file, "it reads `x` before anything computes it");
    let mut file = one(19, F32);
    file.operators.push(file.operators[0].clone());
    says(&file, "operator 1 writes `y`, which has a value already");
    let mut file = one(19, F32);
    file.set(0, 2, Field::I32(5));
    says(&file, "tensor 0: it has no buffer 5");
    let mut file = one(19, F32);
    file.buffers.push(vec![(1, Field::U64(4096)), (2, Field::U64(64))]);
    file.set(0, 2, Field::I32(1));
    says(&file, "its numbers stand outside of the flatbuffer");
    let mut file = one(19, F32);
    let lonely = file.tensor("lonely", F32, &[1, 4]);
    file.outputs.push(lonely);
    says(&file, "nothing computes output `lonely`");
    let mut file = one(19, F32);
    file.quantize(0, &[0.5, 0.5], &[0], 0);
    says(&file, "it has 2 scales but 1 zero points");
    let mut file = one(19, F32);
    let w = file.constant("w", F32, &[4], &[0; 15]);
    file.operators[0][1] = (1, Field::Ints(vec![w]));
    says(&file, "`w` has 15 bytes, but its type needs 16");
    let mut file = one(19, F32);
    file.operators[0].extend(super::flatbuffer::union(3, 75, vec![]));
    file.codes[0] = vec![(3, Field::I32(25))];
    says(&file, "its options are of kind 75, not 9");
    let mut file = one(25, F32);
    file.operators[0].extend(super::flatbuffer::union(3, 9, vec![(4, Field::I32(1))]));
    says(&file, "its options have a field 4 that this reader does not know");
}

#[test]
fn other_files_are_no_models() {
    let root = one(19, F32).root();
    assert!(refusal(&super::flatbuffer::write(*b"TFL2", &root)).contains("the letters `TFL3`"));
    let mut other = root.clone();
    other[0] = (0, Field::I32(2));
    assert!(refusal(&super::flatbuffer::write(*b"TFL3", &other)).contains("version 2 of the schema"));
    let mut empty = root;
    empty[2] = (2, tables(vec![]));
    assert!(refusal(&super::flatbuffer::write(*b"TFL3", &empty)).contains("no subgraph 0"));
    assert!(refusal(&[]).contains("cannot be read"));
    let mut file = one(19, F32);
    file.outputs.clear();
    assert_eq!(kinds(&file.write()), [Kind::NoOutput]);
}

#[test]
fn what_cannot_be_folded_or_planned_is_refused() {
    let mut file = one(19, F32);
    let constant = file.floats("c", &[1, 4], &[1.0; 4]);
    file.outputs.push(constant);
    assert!(refusal(&file.write()).contains("nothing computes output `c`"));

    let mut file = Network::new();
    let x = file.input("x", F32, &[2, 2]);
    let shape = file.input("shape", I32, &[1]);
    let y = file.tensor("y", F32, &[4]);
    file.operator(22, &[x, shape], &[y], 0, vec![]);
    file.outputs.push(y);
    assert!(refusal(&file.write()).contains("its shape is computed at run time"));

    let mut file = one(19, F32);
    let state = file.tensor("state", I8, &[1, 4]);
    file.set(state, 5, Field::U8(1));
    file.operators[0][1] = (1, Field::Ints(vec![state]));
    assert!(refusal(&file.write()).contains("`state` keeps its value between runs"));

    let mut file = one(19, F32);
    let sparse = file.floats("sparse", &[1, 4], &[1.0]);
    file.set(sparse, 6, Field::Table(vec![]));
    file.operators[0][1] = (1, Field::Ints(vec![sparse]));
    assert!(refusal(&file.write()).contains("`sparse` is stored in a sparse format"));
}

#[test]
fn later_phases_name_the_operator_of_the_file() {
    let mut file = Network::new();
    let x = file.input("x", I8, &[1, 2]);
    file.quantize(x, &[1.0], &[0], 0);
    let w = file.constant("w", I8, &[2, 2], &[1; 4]);
    file.quantize(w, &[1.0], &[0], 0);
    let y = file.quantized("y", &[1, 2], 1e-30, 0);
    file.operator(9, &[x, w, -1], &[y], 8, vec![]);
    file.outputs.push(y);
    let found = steps::lower(&typed(&file)).unwrap_err();
    let wanted =
        "operator 0 FULLY_CONNECTED version 1: `dense`: the result's scale is too small for its arguments' scales";
    assert_eq!((found.0[0].message.as_str(), found.0[0].src), (wanted, Src(7)));
}
