use crate::{folder, model, waterline};
use std::path::Path;

#[test]
fn equal_is_said_of_equal_outputs_only() {
    let (file, io) = (model("digits_int8.tflite"), model("digits_int8.io.npz"));
    let run = waterline(&["verify", &file, "--io", &io]);
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    assert!(run.out.ends_with("8 samples\n  output `scores`: equal\nequal\n"), "{}", run.out);
    // The oracle of the same network with other scales.
    let other = model("digits_int8_per_tensor.io.npz");
    let run = waterline(&["verify", &file, "--io", &other, "--json", "--tolerance", "100"]);
    let json: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!((run.code, &json["equal"], &json["samples"]), (Some(1), &false.into(), &8.into()), "{}", run.out);
    assert_eq!(json["first_difference"]["name"], "scores");
    assert!(json["outputs"][0]["difference"]["largest"].as_f64().unwrap() >= 1.0);
}

/// Each builds its own network, though they share the folder that cargo builds in.
#[test]
fn several_run_at_a_time() {
    let verify = |name: &'static str| {
        std::thread::spawn(move || {
            let (file, io) = (model(&format!("{name}.tflite")), model(&format!("{name}.io.npz")));
            (name, waterline(&["verify", &file, "--io", &io]))
        })
    };
    let runs = ["digits_int8", "digits_f32", "digits_int8_per_tensor"].map(verify);
    for run in runs {
        let (name, run) = run.join().unwrap();
        assert_eq!(run.code, Some(0), "{name}: {}{}", run.out, run.err);
    }
}

#[test]
fn archives_that_do_not_fit_are_named() {
    let file = model("digits_int8.tflite");
    let float = waterline(&["verify", &file, "--io", &model("digits_f32.io.npz")]);
    assert!(
        float.code == Some(1) && float.err.contains("`in0_0` has another type\n  got: f32[1, 8, 8, 1]"),
        "{}",
        float.err
    );
    let none = waterline(&["verify", &file, "--io", &file]);
    assert!(none.err.contains("not an .npz archive"), "{}", none.err);
    let missing = waterline(&["verify", &file, "--io", "no_such.npz"]);
    assert!(missing.err.contains("no_such.npz: "), "{}", missing.err);
    let mut bytes = std::fs::read(model("digits_int8.io.npz")).unwrap();
    bytes[100] ^= 1;
    let damaged = folder("verify").join("damaged.npz");
    std::fs::write(&damaged, bytes).unwrap();
    let damaged = waterline(&["verify", &file, "--io", &damaged.display().to_string()]);
    assert!(
        damaged.code == Some(1) && damaged.err.contains("damaged.npz: the array `in0_0` cannot be read"),
        "{}",
        damaged.err
    );
}

/// The sizes that a public model leaves open, as its samples have them.
const OPEN: [(&str, &str); 1] = [("tflsupport__dilated_conv", "input_1[1] = 1, input_1[2] = 1")];

/// Every public model through generated code, operator by operator where the oracle has them.
#[test]
fn public_models_are_verified() {
    let Some(zoo) = std::env::var_os("WATERLINE_ZOO") else {
        println!(
            "WATERLINE_ZOO is not set: no public model is built. Set it to a folder of .tflite and .io.npz files."
        );
        return;
    };
    let mut files: Vec<_> = std::fs::read_dir(&zoo).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "tflite"));
    files.sort();
    let text = |path: &Path| path.display().to_string();
    let mut different = Vec::new();
    for file in files {
        let bind = OPEN.iter().find(|(name, _)| file.file_stem().is_some_and(|stem| stem == *name));
        let bind = bind.map_or(Vec::new(), |(_, sizes)| vec!["--bind".to_owned(), (*sizes).into()]);
        let (io, tensors) = (text(&file.with_extension("io.npz")), file.with_extension("tensors.npz"));
        let mut arguments = vec!["verify".to_owned(), text(&file), "--io".into(), io];
        arguments.extend(bind);
        if tensors.is_file() {
            arguments.extend(["--tensors".into(), text(&tensors)]);
        }
        let run = waterline(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        let last = run.out.lines().last().unwrap_or(&run.err);
        println!("{}: {last}", file.display());
        if run.code != Some(0) {
            different.push(run.out + &run.err);
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}
