use crate::{folder, model, root, waterline};

#[test]
fn what_is_imported_has_the_same_plan() {
    let folder = folder("import");
    let to = folder.display().to_string();
    for name in ["digits_f32", "digits_f16", "digits_int8", "digits_int8_per_tensor"] {
        let file = model(&format!("{name}.tflite"));
        let run = waterline(&["import", &file, "--output", &to]);
        assert_eq!(run.code, Some(0), "{}", run.err);
        let source = folder.join(format!("{name}.rs")).display().to_string();
        let run = waterline(&["plan", &source, "--json"]);
        assert_eq!(run.out, waterline(&["plan", &file, "--json"]).out, "{}", run.err);
    }
}

#[test]
fn nothing_is_written_over_or_by_halves() {
    let folder = folder("import_again");
    let to = folder.display().to_string();
    let file = model("digits_int8.tflite");
    waterline(&["import", &file, "-o", &to]);
    let source = folder.join("digits_int8.rs");
    std::fs::write(&source, "mine").unwrap();
    let run = waterline(&["import", &file, "-o", &to]);
    assert!(run.code == Some(1) && run.err.contains("is there already: `--force` writes over it"), "{}", run.err);
    assert_eq!(std::fs::read_to_string(&source).unwrap(), "mine");
    assert_eq!(waterline(&["import", &file, "-o", &to, "--force"]).code, Some(0));
    assert!(std::fs::read_to_string(&source).unwrap().contains("pub mod digits_int8 {"));
    let unsupported = root("tests/ui/model_files/files/unsupported.tflite");
    assert_eq!(waterline(&["import", &unsupported, "-o", &to]).code, Some(1));
    assert!(!folder.join("unsupported.rs").exists() && !folder.join("unsupported").exists());
}
