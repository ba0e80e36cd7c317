//! Models against their oracles: our own, and public ones where `WATERLINE_ZOO` names a folder of them.

use planner_core::diagnostic::Diagnostics;
use planner_core::dtype::DType;
use planner_core::import::{Bindings, Options, Size, tflite};
use planner_core::model::{Model, TypedModel};
use planner_core::passes::rewrite;
use planner_core::plan::plan;
use planner_core::planned::Place;
use planner_core::source::Src;
use planner_core::steps::{ProgramTensor, Source};
use planner_core::{infer, steps};
use std::path::{Path, PathBuf};
use waterline_npz::{Difference, Npz, Samples, tolerance};
use waterline_tests::interpreter::{Interpreter, Placement};

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "tflite"));
    files.sort();
    files
}

/// The sizes that a model leaves open, as its samples have them.
fn bindings(path: &Path) -> Bindings {
    const OPEN: [(&str, &str, usize, usize); 2] =
        [("tflsupport__dilated_conv", "input_1", 1, 1), ("tflsupport__dilated_conv", "input_1", 2, 1)];
    let own = OPEN.into_iter().filter(|(file, ..)| path.file_stem().is_some_and(|stem| stem == *file));
    let size = |elements| Size { elements, src: Src(0) };
    let dimensions = own.map(|(_, input, axis, elements)| ((input.to_owned(), axis), size(elements))).collect();
    Bindings { dimensions, ..Bindings::default() }
}

/// What was found in a model.
struct Findings {
    /// What differs from the oracle.
    wrong: Vec<String>,
    /// Channels that were removed.
    removed: usize,
}

/// Runs every sample as the model stands and rewritten.
///
/// # Errors
/// What in the file is not supported.
fn findings(path: &Path) -> Result<Findings, Diagnostics> {
    let options = Options { name: "net", src: Src(0), bindings: &bindings(path), is_reserved: |_| false };
    let model = tflite::import(&std::fs::read(path).unwrap(), &options)?;
    let typed = infer::infer(model).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let rewritten = rewrite(typed.clone(), &planner_core::options::Options::default()).unwrap();
    let removed = steps::lower(&rewritten).unwrap().removed_channels();
    let wrong = [typed, rewritten].iter().flat_map(|typed| differences(path, typed)).collect();
    Ok(Findings { wrong, removed })
}

/// What differs from the oracle in any sample.
fn differences(path: &Path, typed: &TypedModel) -> Vec<String> {
    let program = steps::lower(typed).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let interpreter = Interpreter::new(&program, &[]);
    let apart = Placement::apart(&program);
    // What a network keeps goes on from sample to sample.
    let mut arena = apart.arena(0xAAAA_AAAA);
    interpreter.reset(&apart, &mut arena);
    let tolerance = tolerance(&program);
    let planned = plan(program.clone(), &planner_core::options::Options::default()).unwrap();
    let mut found = Vec::new();
    // All of an arena is words of four bytes.
    if planned.arena_bytes > planned.classic_bound.next_multiple_of(4) {
        found.push(format!("an arena of {} bytes, above its bound {}", planned.arena_bytes, planned.classic_bound));
    }
    let planned = Placement::planned(&planned);
    let mut planned_arena = planned.arena(0x5555_5555);
    interpreter.reset(&planned, &mut planned_arena);
    let samples = Samples::read(&Npz::open(&path.with_extension("io.npz")).unwrap(), &program).unwrap();
    let outputs: Vec<DType> = program.outputs.iter().map(|output| program.tensor(output.tensor).ty.dtype).collect();
    for (sample, (given, wanted)) in samples.inputs.iter().zip(&samples.outputs).enumerate() {
        let got = interpreter.run(&apart, &mut arena, given);
        assert!(got == interpreter.run(&planned, &mut planned_arena, given), "{} as planned", path.display());
        for (index, (got, wanted)) in got.iter().zip(wanted).enumerate() {
            let difference = difference(outputs[index], got, wanted, tolerance);
            found.extend(difference.map(|d| format!("sample {sample}, output {index}: {d}")));
        }
    }
    let given = &samples.inputs[0];
    found.extend(differing_tensors(path, &typed.model, &interpreter, given, tolerance));
    found
}

/// The results of operators on the first sample, where the oracle's are known too.
fn differing_tensors(
    path: &Path,
    model: &Model,
    interpreter: &Interpreter<'_>,
    given: &[Vec<u8>],
    tolerance: f64,
) -> Vec<String> {
    let program = interpreter.program();
    let Ok(tensors) = Npz::open(&path.with_extension("tensors.npz")) else { return Vec::new() };
    let placement = Placement::apart(program);
    let mut arena = placement.arena(0);
    interpreter.reset(&placement, &mut arena);
    let _ = interpreter.run(&placement, &mut arena, given);
    let mut found = Vec::new();
    for &(index, id) in &model.file_tensors {
        let (Place::Arena { .. }, Source::Step) = (placement.places[id.0], program.tensor(id).source) else { continue };
        let ProgramTensor { name, ty, .. } = program.tensor(id);
        let reduced = program.reduced.iter().find(|reduced| reduced.tensor == id);
        let whole = reduced.map_or_else(|| ty.clone(), |reduced| reduced.whole(ty));
        let Some(wanted) = tensors.tensor(&format!("t{index}"), &whole).unwrap() else { continue };
        let got = placement.bytes(program, id, &arena);
        let got = reduced.map_or(got.clone(), |reduced| reduced.restored(ty.dtype.bytes(), &got, &wanted));
        found.extend(difference(ty.dtype, &got, &wanted, tolerance).map(|d| format!("{name}: {d}")));
    }
    found
}

fn difference(dtype: DType, got: &[u8], wanted: &[u8], tolerance: f64) -> Option<String> {
    if got.len() != wanted.len() {
        return Some(format!("{} bytes instead of {}", got.len(), wanted.len()));
    }
    let difference = Difference::between(dtype, got, wanted)?;
    (!difference.is_within(tolerance)).then(|| difference.to_string())
}

/// Holds the models of `folder` to their oracles.
fn assert_equal(folder: &Path) {
    let mut wrong = Vec::new();
    for path in files(folder) {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        match findings(&path) {
            Err(found) => wrong.push(format!("{name}: {found}")),
            Ok(Findings { wrong, removed }) if wrong.is_empty() => {
                println!("{name}: equal, {removed} channels removed");
            }
            Ok(found) => wrong.push(format!("{name}: {}", found.wrong.join("; "))),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_model_of_our_own_equals_its_oracle() {
    assert_equal(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/digits/models"));
}

#[test]
fn each_public_model_equals_its_oracle() {
    let Some(folder) = std::env::var_os("WATERLINE_ZOO") else {
        println!("WATERLINE_ZOO is not set: no public model is run. Set it to a folder of .tflite and .io.npz files.");
        return;
    };
    assert_equal(Path::new(&folder));
}
