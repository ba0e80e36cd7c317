//! Models written in the language are the same models.

use planner_core::arch::Arch;
use planner_core::import::{Bindings, Options, tflite};
use planner_core::model::TypedModel;
use planner_core::plan::{Plan, plan_for};
use planner_core::source::Src;
use planner_core::steps::Program;
use planner_core::{infer, options, passes};
use planner_dsl::files::Files;
use planner_dsl::write::write;
use std::path::{Path, PathBuf};
use waterline_tests::interpreter::Interpreter;
use waterline_tests::random::Random;

fn imported(path: &Path) -> Option<TypedModel> {
    let options = Options { name: "net", src: Src(0), bindings: &Bindings::default(), is_reserved: |_| false };
    let model = tflite::import(&std::fs::read(path).unwrap(), &options).ok()?;
    Some(infer::infer(model).unwrap_or_else(|e| panic!("{}: {e}", path.display())))
}

fn planned(typed: TypedModel) -> Plan {
    let options = options::Options::default();
    plan_for(&passes::rewrite(typed, &options).unwrap(), Arch::Portable, &options).unwrap()
}

/// What `typed` becomes when it is written, in a folder for `name`, and read again.
fn read_again(typed: &TypedModel, name: &str) -> (String, Plan) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("written").join(name);
    std::fs::create_dir_all(folder.join("net")).unwrap();
    let written = write(typed, "net").unwrap();
    for (file, bytes) in &written.arrays {
        std::fs::write(folder.join("net").join(file), bytes).unwrap();
    }
    let mut files = Files::new(folder.clone()).of(folder.join("net.rs"));
    let plan = planner_dsl::planned(written.module.parse().unwrap(), &mut files, Arch::Portable);
    let plan = plan.unwrap_or_else(|e| panic!("{name}: {e}\n{}", written.module));
    (written.module, plan)
}

/// The results of a run on random bytes that are numbers.
fn outputs(program: &Program) -> Vec<Vec<u8>> {
    let mut random = Random::new(1);
    let inputs = program.inputs.iter().map(|input| {
        let ty = &program.tensor(input.tensor).ty;
        let mut floats = || random.f32s(ty.shape.elements()).into_iter().flat_map(f32::to_le_bytes).collect();
        if ty.dtype.name() == "f32" { floats() } else { vec![1; ty.bytes()] }
    });
    let inputs: Vec<Vec<u8>> = inputs.collect();
    Interpreter::new(program, &[]).run_apart(&inputs)
}

fn assert_same(path: &Path) -> Option<String> {
    let typed = imported(path)?;
    let name = path.file_stem().unwrap().to_string_lossy();
    let (text, again) = read_again(&typed, &name);
    let once = planned(typed);
    let names = |plan: &Plan| -> Vec<String> { plan.program.steps.iter().map(|step| step.name.clone()).collect() };
    assert_eq!(names(&once), names(&again), "{name}");
    assert_eq!(outputs(&once.program), outputs(&again.program), "{name}");
    assert_eq!(once.arena_bytes, again.arena_bytes, "{name}");
    Some(text)
}

fn models(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "tflite"));
    files.sort();
    files
}

#[test]
fn models_of_our_own_survive_being_written() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folders = ["examples/digits/models", "fuzz/seeds/tflite"];
    let texts: Vec<String> =
        folders.iter().flat_map(|folder| models(&root.join(folder))).filter_map(|path| assert_same(&path)).collect();
    assert!(texts.len() >= 7, "{}", texts.len());
    assert!(texts.iter().any(|text| text.contains("padding = same, act = relu);")), "{}", texts.join("\n"));
    println!("{}", texts.join("\n"));
}

#[test]
fn public_models_survive_being_written() {
    let Some(folder) = std::env::var_os("WATERLINE_ZOO") else {
        println!("WATERLINE_ZOO is not set: no public model is written. Set it to a folder of .tflite files.");
        return;
    };
    for path in models(Path::new(&folder)) {
        // One leaves sizes open, which only a binding settles.
        let open = path.file_stem().is_some_and(|stem| stem == "tflsupport__dilated_conv");
        assert_ne!(assert_same(&path).is_some(), open, "{}", path.display());
    }
}
