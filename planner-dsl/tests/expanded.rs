//! What comes out of the macro as a whole: code, or errors with the interface.

mod support;

use planner_core::arch::Arch;
use planner_core::plan::lock::{Lock, LockedPlan};
use planner_core::plan::plan_for;
use planner_dsl::files::Files;
use planner_dsl::{expand_with, unplanned};
use support::folder;

/// The code of `text` without spaces, with files from the folder of the tests.
fn expanded(text: &str) -> String {
    let mut files = Files::new(folder().join("package")).of(folder().join("source/net.rs"));
    compact(text, &mut files)
}

fn compact(text: &str, files: &mut Files) -> String {
    let code = expand_with(format!("(waterline) {text}").parse().unwrap(), files).to_string();
    code.split_whitespace().collect()
}

#[test]
fn the_compiler_watches_every_file() {
    let code = expanded(
        "mod net { input x: f32[8]; param w: f32[8] = \"raw.bin\"; param v: f32[8] = \"./beside.npy\";
            output y = add(add(x, w), v); }",
    );
    assert!(!code.contains("compile_error"), "{code}");
    for file in ["package/raw.bin", "source/beside.npy"] {
        let watched = format!("const_:&[u8]=::core::include_bytes!({:?});", folder().join(file));
        assert!(code.contains(&watched), "{watched} is not in {code}");
    }
    assert!(code.contains("option_env!(\"WATERLINE_REPORT\")"));
}

#[test]
fn a_model_file_is_watched_even_if_it_has_errors() {
    for (file, errors) in [("fuzz/seeds/tflite/int8", 0), ("tests/ui/model_files/files/unsupported", 2)] {
        let path = format!("{}/../{file}.tflite", env!("CARGO_MANIFEST_DIR"));
        let code = expanded(&format!("mod net = {path:?};"));
        assert_eq!(code.matches("compile_error!").count(), errors, "{code}");
        assert!(code.contains(&format!("const_:&[u8]=::core::include_bytes!({path:?});")), "{code}");
        let weights = if errors == 0 { "must_cast(*b\"" } else { "pubfnimage(" };
        assert!(code.contains(weights), "{weights} is not in {code}");
    }
}

#[test]
fn errors_come_with_the_interface() {
    let code = expanded("pub mod net { input x: f32[2, 4] borrowed; output y = nothing(x); output z kept = relu(x); }");
    assert_eq!(code.matches("compile_error!").count(), 1, "{code}");
    for part in ["pubmodnet{", "x:&'a[f32;8]", "pubfny(&self)->&'a[f32]", "pubfnz(&self)->&[f32;8]"] {
        assert!(code.contains(part), "{part} is not in {code}");
    }
}

#[test]
fn without_a_name_there_are_only_errors() {
    let code = expanded("modd net { }");
    assert!(code.starts_with("::core::compile_error!{") && !code.contains("Arena"), "{code}");
}

#[test]
fn an_editor_that_knows_no_source_file_gets_the_interface() {
    let mut files = Files::new(folder().join("package"));
    let text = "mod net { input x: f32[8]; param w: f32[8] = \"./beside.npy\"; output y = add(x, w); }";
    let code = compact(text, &mut files);
    assert!(!code.contains("compile_error") && code.contains("pubfny(&self)->&'a[f32;8]"), "{code}");
    assert!(!code.contains("modsteps"), "{code}");
}

const LOCKED: &str = "mod net { plan { lock = \"./net.plan\" } input x: f32[1, 4]; param w: f32[3, 4] = WEIGHTS;
    let h = dense(relu(x), w); output y = sigmoid(h); }";

/// The code of a network whose locked plan is `lock`, made by its own default plan; `None` for no file.
fn with_lock(name: &str, lock: Option<&dyn Fn(Lock) -> String>) -> String {
    let folder = folder().join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("net.plan");
    let _ = std::fs::remove_file(&path);
    let files = || Files::new(folder.clone()).of(folder.join("net.rs"));
    let network = LOCKED.replace("WEIGHTS", "random(1)");
    let unplanned = unplanned(network.parse().unwrap(), &mut files()).unwrap();
    assert_eq!(unplanned.lock.as_ref(), Some(&path));
    if let Some(lock) = lock {
        let plan = plan_for(&unplanned.typed, Arch::Portable, &unplanned.options).unwrap();
        let mut made = Lock::new("net");
        made.insert(LockedPlan::new(&plan, &[Arch::Portable]));
        std::fs::write(&path, lock(made)).unwrap();
    }
    compact(&LOCKED.replace("WEIGHTS", "random(2)"), &mut files())
}

#[test]
fn a_locked_plan_is_used_and_watched() {
    let moved = |lock: Lock| {
        let text = lock.to_string();
        let arena = lock.plans[0].arena;
        let y = text.lines().find(|line| line.starts_with("buffer h ")).unwrap();
        let moved = format!("buffer h {arena} 12");
        text.replace(y, &moved).replace(&format!("arena {arena}"), &format!("arena {}", arena + 12))
    };
    let code = with_lock("locked", Some(&moved));
    assert!(!code.contains("compile_error"), "{code}");
    assert!(code.contains("pubconstARENA_BYTES:usize=36;"), "{code}");
    let path = folder().join("locked/net.plan");
    assert!(code.contains(&format!("const_:&[u8]=::core::include_bytes!({path:?});")), "{code}");
}

#[test]
fn a_lock_that_cannot_be_used_comes_with_the_interface_and_the_command() {
    let truncated = |lock: Lock| lock.to_string().replace("end\n", "");
    let stale = |mut lock: Lock| {
        lock.plans[0].hash = 1;
        lock.to_string()
    };
    let foreign = |mut lock: Lock| {
        (lock.plans[0].hash, lock.plans[0].machines) = (1, vec!["dsp".into()]);
        lock.to_string()
    };
    for (name, lock, message) in [
        ("missing", None, "cannotfind`./net.plan`"),
        ("truncated", Some(&truncated as &dyn Fn(Lock) -> String), "thelockedplanisdamaged"),
        ("stale", Some(&stale), "thelockedplanisstale"),
        ("foreign", Some(&foreign), "thelockedplanisnotforthismachine"),
    ] {
        let code = with_lock(name, lock);
        assert_eq!(code.matches("compile_error!").count(), 1, "{name}: {code}");
        let source = folder().join(name).join("net.rs");
        let command = format!("`cargowaterlinelock{}--networknet`makesitanew", source.display());
        for part in [message, &command, "pubfny(&self)"] {
            assert!(code.contains(part), "{name}: {part} is not in {code}");
        }
    }
}
