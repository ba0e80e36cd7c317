//! What a user sees who makes a mistake: one defect a file, beside the compiler's output.
//!
//! `TRYBUILD=overwrite cargo test -p waterline-tests --test ui` writes the expected outputs anew.

#[test]
fn mistakes_are_explained() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("ui/*/*.rs");
}
