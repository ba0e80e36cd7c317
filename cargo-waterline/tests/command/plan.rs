use crate::{folder, model, root, waterline};

#[test]
fn a_plan_is_text_json_and_a_picture() {
    let svg = folder("plan").join("plan.svg").display().to_string();
    let run = waterline(&["plan", &model("digits_int8.tflite"), "--svg", &svg]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    for part in [
        "digits_int8: arena ",
        "conv2d",
        "input image: i8[1, 8, 8, 1] q(",
        "output scores: ",
        "peak at step ",
        "peaks: source ",
    ] {
        assert!(run.out.contains(part), "{part}: {}", run.out);
    }
    assert!(std::fs::read_to_string(svg).unwrap().starts_with("<svg"));

    let run = waterline(&["plan", "--json", &model("digits_int8.tflite")]);
    let json: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(json["inputs"][0]["type"]["shape"], serde_json::json!([1, 8, 8, 1]));
    assert_eq!(json["steps"].as_array().unwrap().len(), 5);
    assert!(json["arena_bytes"].as_u64() <= json["classic_bound_bytes"].as_u64());
    assert_eq!(json["macs"], 26112);
    assert!(json["peaks"]["optimal"].as_u64() <= json["peaks"]["source"].as_u64());
    assert_eq!(json["peaks"].as_object().unwrap().len(), 3);
}

#[test]
fn a_small_budget_takes_slower_kernels() {
    let file = model("digits_int8.tflite");
    let plan = |arch: &str, options: &str| {
        let run = waterline(&["plan", &file, "--arch", arch, "--plan", options, "--json"]);
        serde_json::from_str::<serde_json::Value>(&run.out).unwrap()
    };
    let kernels = |plan: &serde_json::Value| {
        let steps = plan["steps"].as_array().unwrap().clone();
        steps.iter().filter(|step| step["variant"] == "portable").count()
    };
    let small = plan("portable", "")["arena_bytes"].as_u64().unwrap();
    let usual = plan("dsp", "");
    assert!(usual["arena_bytes"].as_u64().unwrap() > small && kernels(&usual) == 0, "{usual}");
    let within = plan("dsp", &format!("budget = {small} B"));
    assert!(within["arena_bytes"] == small && kernels(&within) > 0, "{within}");
    let run = waterline(&["plan", &file, "--arch", "dsp", "--plan", &format!("budget = {small} B")]);
    assert!(run.out.contains(" slower kernel") && run.out.contains("conv2d (portable)"), "{}", run.out);
}

#[test]
fn networks_in_rust_are_planned_too() {
    let source = root("examples/digits/src/networks.rs");
    let run = waterline(&["plan", &source]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert_eq!(run.out.matches(": arena ").count(), 3, "{}", run.out);
    let run = waterline(&["plan", &source, "--network", "int8", "--json"]);
    assert_eq!(run.out.lines().count(), 1);
    let run = waterline(&["plan", &source, "--network", "int9"]);
    assert_eq!((run.code, run.out.as_str()), (Some(1), ""));
    assert!(run.err.contains("no network `int9`, but `f32`, `int8`, `tflite`"), "{}", run.err);
}

#[test]
fn options_reach_the_plan_of_a_model_file() {
    let file = root("fuzz/seeds/tflite/float.tflite");
    let run = waterline(&["plan", &file, "--bind", "batch = 3", "--plan", "layout = separate"]);
    assert!(run.out.contains("layout separate") && run.out.contains("f32[3, 5, 5, 1]"), "{}{}", run.out, run.err);
    let file = root("fuzz/seeds/tflite/int8.tflite");
    let plan = |arguments: &[&str]| {
        let run = waterline(&[&["plan", &file], arguments].concat());
        assert_eq!(run.code, Some(0), "{}", run.err);
        run.out
    };
    let ports = "input x: quantized;";
    let (usual, quantized) = (plan(&[]), plan(&["--ports", ports]));
    assert!(usual.contains("x: f32[") && quantized.contains("x: i8["), "{quantized}");
    assert!(usual.contains(&format!("help: with `{ports}` the arena has 36 bytes")), "{usual}");
    assert!(quantized.contains("arena 36 B") && !quantized.contains("help: "), "{quantized}");
    let run = waterline(&["plan", &file, "--plan", "budget = 8 B"]);
    assert_eq!(run.code, Some(1));
    assert!(run.err.contains("the plan exceeds its budget") && run.err.contains("--> "), "{}", run.err);
}
