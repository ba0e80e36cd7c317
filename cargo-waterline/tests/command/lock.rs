use crate::{folder, model, waterline};
use planner_core::arch::Arch;
use std::path::{Path, PathBuf};

/// Networks that name locks, with weights from a file; `first` has a branch, so that there is an order to choose.
const SOURCE: &str = r#"
waterline::graph! {
    pub mod first {
        plan { lock = "./first.plan" }
        input x: f32[1, 64];
        param w: f32[64, 64] = "./w.bin";
        let a = dense(x, w);
        let b = dense(x, w);
        output y = add(add(a, b), x);
    }
}
waterline::graph! {
    pub mod second { input x: f32[1, 4]; output y = relu(x); }
}
"#;

/// A folder with [`SOURCE`] and weights that are all `weight`.
fn source(name: &str, weight: u8) -> PathBuf {
    let source = folder(name).join("net.rs");
    std::fs::write(&source, SOURCE).unwrap();
    std::fs::write(source.with_file_name("w.bin"), vec![weight; 4 * 64 * 64]).unwrap();
    source
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// All of them.
fn machines() -> String {
    Arch::ALL.map(Arch::name).join(", ")
}

#[test]
fn a_lock_is_made_used_and_kept() {
    let source = source("lock", 1);
    let plan = source.with_file_name("first.plan");
    let missing = waterline(&["plan", text(&source), "--network", "first"]);
    let command = format!("`cargo waterline lock {} --network first` makes it anew", source.display());
    assert!(missing.code == Some(1) && missing.err.contains(&command), "{}", missing.err);

    let run = waterline(&["lock", text(&source), "--network", "first"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(
        run.out.starts_with(&format!(
            "{}: {}: 768 bytes, which nothing can beat; bound 768",
            plan.display(),
            machines()
        )),
        "{}",
        run.out
    );
    // Not a terminal: a line for each better plan.
    assert!(run.err.lines().count() >= 1 && !run.err.contains('\r'), "{}", run.err);
    let locked = std::fs::read_to_string(&plan).unwrap();
    assert!(locked.starts_with("# The plans of `first`") && locked.ends_with("end\n"), "{locked}");

    // Other weights, the same plan; and it is what is used.
    std::fs::write(source.with_file_name("w.bin"), vec![2; 4 * 64 * 64]).unwrap();
    assert!(waterline(&["plan", text(&source), "--network", "first"]).out.contains("first: arena 768 B "));
    let run = waterline(&["lock", text(&source), "--network", "first"]);
    assert!(run.out.contains(&format!("stays: {}: 768 bytes", machines())), "{}", run.out);
    assert_eq!(std::fs::read_to_string(&plan).unwrap(), locked);

    // What is no plan of it is written over, the same again.
    for damage in ["", "waterline lock 1\n", &locked.replace("hash ", "hash 1")] {
        std::fs::write(&plan, damage).unwrap();
        assert_eq!(waterline(&["plan", text(&source), "--network", "first"]).code, Some(1));
        assert_eq!(waterline(&["lock", text(&source), "--network", "first"]).code, Some(0));
        assert_eq!(std::fs::read_to_string(&plan).unwrap(), locked);
    }
    let files = std::fs::read_dir(plan.parent().unwrap()).unwrap().count();
    assert_eq!(files, 3, "something else was left behind");
}

#[test]
fn a_lock_can_be_made_of_a_model_file() {
    let plan = folder("lock_model").join("digits.plan");
    let file = model("digits_int8.tflite");
    let run = waterline(&["lock", &file, "-o", text(&plan), "--effort", "fast"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let option = format!("lock = {:?}", text(&plan));
    let with = waterline(&["plan", &file, "--plan", &option, "--json"]);
    assert_eq!(with.code, Some(0), "{}", with.err);
    let json: serde_json::Value = serde_json::from_str(&with.out).unwrap();
    assert!(std::fs::read_to_string(&plan).unwrap().contains(&format!("\narena {}\n", json["arena_bytes"])));
    let other = waterline(&["plan", &model("digits_f32.tflite"), "--plan", &option]);
    assert!(other.err.contains("the locked plan is that of another network"), "{}", other.err);
}

#[test]
fn each_machine_takes_its_own_plan() {
    let plan = folder("lock_machines").join("digits.plan");
    let file = model("digits_int8.tflite");
    let lock = |more: &[&str]| {
        let run = waterline(&[&["lock", &file, "-o", text(&plan), "--effort", "default"], more].concat());
        assert_eq!(run.code, Some(0), "{}", run.err);
        run.out
    };
    let arena = |arch: &str| {
        let option = format!("lock = {:?}", text(&plan));
        let run = waterline(&["plan", &file, "--plan", &option, "--arch", arch, "--json"]);
        let json = serde_json::from_str(&run.out).map(|json: serde_json::Value| json["arena_bytes"].clone());
        json.map_err(|_| run.err)
    };
    let own = |arch: &str| waterline(&["plan", &file, "--arch", arch, "--json"]).out;
    let own = |arch: &str| serde_json::from_str::<serde_json::Value>(&own(arch)).unwrap()["arena_bytes"].clone();

    lock(&["--arch", "portable"]);
    assert_eq!(arena("portable"), Ok(own("portable")));
    let missing = arena("dsp").unwrap_err();
    assert!(missing.contains("got: plans for `portable`\n  wanted: one for `dsp`"), "{missing}");
    // The one stays, the other comes.
    let portable = std::fs::read_to_string(&plan).unwrap();
    lock(&["--arch", "dsp"]);
    let both = std::fs::read_to_string(&plan).unwrap();
    assert!(both.starts_with(&portable) && both.contains("machines dsp\n"), "{both}");
    assert_eq!([arena("portable"), arena("dsp")], [Ok(own("portable")), Ok(own("dsp"))]);
    // All of them by default.
    let said = lock(&[]);
    assert!(said.contains("stays: portable") && said.contains("stays: dsp"), "{said}");
    assert!(Arch::ALL.iter().all(|arch| arena(arch.name()) == Ok(own(arch.name()))));
}

#[test]
fn a_plan_with_other_kernels_stays_unless_one_is_better() {
    let plan = folder("lock_kernels").join("digits.plan");
    let file = model("digits_int8.tflite");
    let lock = |options: &str| {
        let run = waterline(&["lock", &file, "-o", text(&plan), "--arch", "dsp", "--plan", options]);
        assert_eq!(run.code, Some(0), "{}", run.err);
        (run.out, std::fs::read_to_string(&plan).unwrap())
    };
    let small = waterline(&["plan", &file, "--json"]).out;
    let small = serde_json::from_str::<serde_json::Value>(&small).unwrap()["arena_bytes"].as_u64().unwrap();
    let (_, slow) = lock(&format!("budget = {small} B"));
    assert!(slow.contains("kernel portable ") && slow.contains(&format!("\narena {small}\n")), "{slow}");
    let (said, kept) = lock(&format!("budget = {small} B"));
    assert!(said.contains(&format!("stays: dsp: {small} bytes; found dsp: ")) && kept == slow, "{said}{kept}");
    // The usual kernels are faster by more than they need more memory.
    let (said, fast) = lock("");
    assert!(!said.contains("stays") && !fast.contains("kernel portable "), "{said}{fast}");
    assert!(lock("prefer = speed").0.contains("stays"));
    // What is fastest may be too large for a budget.
    assert_eq!(lock(&format!("prefer = speed, budget = {small} B")).1, slow);
}

#[test]
fn it_is_said_what_is_missing() {
    let source = source("lock_missing", 1);
    for (arguments, error) in [
        (&["lock", text(&source)][..], "it holds 2 networks: say which with `--network`"),
        (&["lock", text(&source), "--network", "third"], "there is no network `third`, but `first`, `second`"),
        (&["lock", text(&source), "--network", "second"], "network `second` names no lock: say where the plan goes"),
        (&["lock", text(&source), "--network", "second", "-o", "/nowhere/x.plan"], "/nowhere/x.plan: "),
    ] {
        let run = waterline(arguments);
        assert!(run.code == Some(1) && run.err.contains(error), "{}", run.err);
    }
}
