//! Public models, where `WATERLINE_ZOO` names a folder of them.

use super::import_bound;
use planner_core::import::{Bindings, Size};
use planner_core::source::Src;
use planner_core::{infer, steps};
use std::path::PathBuf;

/// The `.tflite` files of the zoo in alphabetical order.
pub(super) fn files() -> Vec<PathBuf> {
    let Some(folder) = std::env::var_os("WATERLINE_ZOO") else {
        println!("WATERLINE_ZOO is not set: no public model is tested. Set it to a folder of .tflite files.");
        return Vec::new();
    };
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("WATERLINE_ZOO={}: {e}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "tflite"));
    assert!(!files.is_empty(), "WATERLINE_ZOO={} holds no .tflite file", folder.display());
    files.sort();
    files
}

/// Sizes for the models that leave more open than the batch.
fn bindings(name: &str) -> Bindings {
    let mut bindings = Bindings::default();
    if name == "tflsupport__dilated_conv" {
        let one = Size { elements: 1, src: Src(0) };
        bindings.dimensions = [(("input_1".into(), 1), one), (("input_1".into(), 2), one)].into();
    }
    bindings
}

#[test]
fn each_model_is_converted() {
    for path in files() {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let model = import_bound(&std::fs::read(&path).unwrap(), &bindings(&name));
        let typed = model.and_then(infer::infer).unwrap_or_else(|e| panic!("{name}: {e}"));
        let program = steps::lower(&typed).unwrap_or_else(|e| panic!("{name}: {e}"));
        println!("{name}: {} nodes, {} steps", typed.model.nodes.len(), program.steps.len());
    }
}
