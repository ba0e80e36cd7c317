//! The pictures of the README show today's plans.
//!
//! `UPDATE_GOLDEN=1 cargo test -p waterline-tests --test pictures` draws them anew.

use planner_core::arch::Arch;
use planner_core::report;
use planner_dsl::files::Files;
use planner_dsl::networks::networks;
use planner_dsl::planned;
use std::path::Path;

/// Holds `docs/{picture}.svg` to the plan of a network of the digits example.
fn assert_current(network: &str, picture: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a package of the workspace");
    let source = std::fs::read_to_string(root.join("examples/digits/src/networks.rs")).unwrap();
    let mut files = Files::new(root.join("examples/digits"));
    let plans = networks(source.parse().unwrap())
        .into_iter()
        .map(|network| planned(network, &mut files, Arch::Portable).unwrap());
    let plan = plans.into_iter().find(|plan| plan.program.name == network).expect("a network of digits");
    let (picture, drawn) = (report::svg(&plan), root.join("docs").join(picture));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&drawn, &picture).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&drawn).unwrap(), picture, "set UPDATE_GOLDEN=1 to draw it anew");
}

#[test]
fn the_picture_of_digits_is_current() {
    assert_current("int8", "digits.svg");
}

#[test]
fn the_picture_of_the_model_file_is_current() {
    assert_current("tflite", "digits_tflite.svg");
}
