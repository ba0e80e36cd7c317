//! Dimensions that a file leaves open, and where the network begins and ends.

use super::flatbuffer::Field;
use super::network::{F32, Network};
use super::{import_bound, ops, ty};
use planner_core::diagnostic::Kind;
use planner_core::import::{Bindings, Options, Size, tflite};
use planner_core::infer;
use planner_core::source::Src;

/// dense 4 -> 32 on an open batch, then `[batch * 32]`: what a known report of another compiler is about.
fn unresolved_batch(shape: &[i32]) -> Vec<u8> {
    let mut file = Network::new();
    let x = file.input("x", F32, &[1, 4]);
    file.set(x, 7, Field::Ints(vec![-1, 4]));
    let w = file.floats("w", &[32, 4], &[0.5; 128]);
    let h = file.tensor("h", F32, &[1, 32]);
    file.set(h, 7, Field::Ints(vec![-1, 32]));
    file.operator(9, &[x, w, -1], &[h], 8, vec![]);
    let list = file.ints(shape);
    let y = file.tensor("y", F32, &[32]);
    file.set(y, 7, Field::Ints(vec![-1]));
    file.operator(22, &[h, list], &[y], 17, vec![]);
    file.outputs.push(y);
    file.write()
}

fn size(elements: usize) -> Size {
    Size { elements, src: Src(9) }
}

fn batch(elements: usize) -> Bindings {
    Bindings { batch: Some(size(elements)), ..Bindings::default() }
}

/// The type of the only output under `bindings`.
fn result(bytes: &[u8], bindings: &Bindings) -> Result<String, String> {
    let model = import_bound(bytes, bindings).map_err(|e| e.to_string())?;
    let output = model.outputs[0].tensor;
    Ok(infer::infer(model).map_err(|e| e.to_string())?.ty(output).to_string())
}

#[test]
fn the_batch_is_one_unless_bound() {
    assert_eq!(result(&unresolved_batch(&[-1]), &Bindings::default()), Ok("f32[32]".into()));
    assert_eq!(result(&unresolved_batch(&[-1]), &batch(500)), Ok("f32[16000]".into()));
    let text = result(&unresolved_batch(&[32]), &batch(500)).unwrap_err();
    assert!(text.contains("operator 1 RESHAPE") && text.contains("16000 != 32"), "{text}");
}

#[test]
fn other_dimensions_have_to_be_bound() {
    let mut file = Network::new();
    let x = file.input("image", F32, &[1, 1, 1, 2]);
    file.set(x, 7, Field::Ints(vec![-1, -1, -1, 2]));
    let y = file.tensor("y", F32, &[1, 1, 1, 2]);
    file.set(y, 7, Field::Ints(vec![-1, -1, -1, 2]));
    file.operator(19, &[x], &[y], 0, vec![]);
    file.outputs.push(y);
    let file = file.write();
    let found = import_bound(&file, &Bindings::default()).unwrap_err();
    assert_eq!(found.0.len(), 2);
    assert!(found.0.iter().all(|diagnostic| diagnostic.kind == Kind::Dimension));
    assert!(found.0[1].message.contains("dimension 2 of input `image`"), "{found}");
    let dimensions = [(("image".into(), 1), size(8)), (("image".into(), 2), size(9))].into();
    assert_eq!(result(&file, &Bindings { dimensions, ..batch(2) }), Ok("f32[2, 8, 9, 2]".into()));
}

#[test]
fn bindings_without_an_open_dimension_are_refused() {
    let dimensions = [(("x".into(), 1), size(8)), (("y".into(), 0), size(8))].into();
    let text = result(&unresolved_batch(&[-1]), &Bindings { dimensions, ..Bindings::default() }).unwrap_err();
    assert!(text.contains("dimension 1 of an input `x` is bound, but no such dimension is open"), "{text}");
    assert!(text.contains("dimension 0 of an input `y`"), "{text}");
    let mut file = Network::new();
    let x = file.input("x", F32, &[1, 4]);
    file.outputs.push(x);
    assert!(result(&file.write(), &batch(2)).unwrap_err().contains("no input has an open outermost dimension"));
}

/// Quantise, activate, dequantise; with `also`, another operator reads the input.
fn wrapped(also: bool) -> Network {
    let mut file = Network::new();
    let x = file.input("x", F32, &[1, 4]);
    let q = file.quantized("q", &[1, 4], 0.5, 3);
    file.operator(114, &[x], &[q], 0, vec![]);
    let inner = file.quantized("h", &[1, 4], 0.5, 3);
    file.operator(19, &[q], &[inner], 0, vec![]);
    let y = file.tensor("y", F32, &[1, 4]);
    file.operator(6, &[inner], &[y], 0, vec![]);
    file.outputs.push(y);
    if also {
        let other = file.tensor("z", F32, &[1, 4]);
        file.operator(19, &[x], &[other], 0, vec![]);
        file.outputs.push(other);
    }
    file
}

fn quantized(inputs: &[&str], outputs: &[&str]) -> Bindings {
    let said = |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), Src(8))).collect();
    Bindings { quantized_inputs: said(inputs), quantized_outputs: said(outputs), ..Bindings::default() }
}

#[test]
fn inputs_and_outputs_may_be_the_integers_of_the_file() {
    for (bindings, wanted, nodes) in [
        (quantized(&[], &[]), ["f32[1, 4]", "f32[1, 4]"], vec!["quantize", "relu", "dequantize"]),
        (quantized(&["x"], &[]), ["i8[1, 4] q(0.5, 3)", "f32[1, 4]"], vec!["relu", "dequantize"]),
        (quantized(&["x"], &["y"]), ["i8[1, 4] q(0.5, 3)"; 2], vec!["relu", "dequantize"]),
    ] {
        let bytes = wrapped(false).write();
        let typed = infer::infer(import_bound(&bytes, &bindings).unwrap()).unwrap();
        let model = &typed.model;
        assert_eq!([ty(&typed, model.inputs[0].tensor), ty(&typed, model.outputs[0].tensor)], wanted);
        assert_eq!((model.tensor(model.inputs[0].tensor).name.as_str(), model.outputs[0].name.as_str()), ("x", "y"));
        assert_eq!(ops(model), nodes);
        // What a file that cannot be imported shows is the same.
        let options = Options { name: "net", src: Src(7), bindings: &bindings, is_reserved: |_| false };
        let shown = tflite::interface(&bytes, &options).unwrap();
        let dtypes = [&shown.inputs[0], &shown.outputs[0]].map(|(_, declared)| declared.dtype.unwrap().name());
        assert_eq!(dtypes, wanted.map(|ty| ty.split_once('[').unwrap().0));
    }
}

#[test]
fn integers_that_there_are_not_are_refused() {
    let found = import_bound(&wrapped(true).write(), &quantized(&["x"], &["y", "z"])).unwrap_err();
    let text = found.to_string();
    assert!(found.0.iter().all(|one| one.kind == Kind::Unsupported && one.src == Src(8)), "{text}");
    assert!(text.contains("input `x` cannot be given as integers") && text.contains("operator 3 RELU"), "{text}");
    assert!(text.contains("output `z` cannot be had as integers") && !text.contains("output `y`"), "{text}");
}

#[test]
fn other_integers_are_no_integers_of_a_float() {
    let mut file = Network::new();
    let x = file.input("x", 3, &[1, 4]);
    file.quantize(x, &[0.5], &[131], 0);
    let q = file.quantized("q", &[1, 4], 0.5, 3);
    file.operator(114, &[x], &[q], 0, vec![]);
    file.outputs.push(q);
    let bytes = file.write();
    assert!(import_bound(&bytes, &quantized(&[], &[])).is_ok());
    let text = import_bound(&bytes, &quantized(&["x"], &[])).unwrap_err().to_string();
    assert!(text.contains("input `x` cannot be given as integers") && text.contains("which is not f32"), "{text}");
}
