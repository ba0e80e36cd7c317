use crate::{folder, model, root, waterline};

#[test]
fn everything_unsupported_is_listed_and_what_is_not_is_said() {
    let unsupported = root("tests/ui/model_files/files/unsupported.tflite");
    let run = waterline(&["check", &model("digits_f32.tflite"), &unsupported, "no_such.tflite"]);
    assert_eq!(run.code, Some(1));
    for part in [
        "digits_f32.tflite: supported",
        "error: operator 1 CUSTOM `MyOperator` version 1: custom operators are not supported",
        "error: operator 3 WHILE version 1: control flow is not supported",
        "unsupported.tflite\n",
        "error: cannot find `",
    ] {
        assert!(run.out.contains(part), "{part}: {}", run.out);
    }
    assert_eq!(waterline(&["check", &model("digits_f32.tflite")]).code, Some(0));
}

#[test]
fn mistakes_in_rust_have_a_line_and_a_column() {
    let source = folder("check").join("net.rs");
    std::fs::write(&source, "waterline::graph! {\n    mod net { input x: f32[4]; output y = relo(x); }\n}\n").unwrap();
    let run = waterline(&["check", &source.display().to_string()]);
    assert_eq!(run.code, Some(1));
    assert!(run.out.contains("did you mean `relu`?") && run.out.contains("net.rs:2:43"), "{}", run.out);
    std::fs::write(&source, "fn main() {}").unwrap();
    assert!(waterline(&["check", &source.display().to_string()]).out.contains("there is no `graph!` in it"));
}
