//! The table of operators is complete, in order, and what `OPERATORS.md` shows.

use planner_core::ops::{TABLE, find, reference};
use std::path::Path;

/// What the language promises.
const PROMISED: &str = "conv2d depthwise_conv2d conv1d dense matmul add sub mul minimum maximum max_pool2d avg_pool2d \
    mean sum max global_avg_pool relu relu6 leaky_relu sigmoid tanh softmax layer_norm batch_norm pad reshape flatten \
    squeeze expand_dims transpose concat split slice resize_nearest quantize dequantize requantize embedding";

#[test]
fn every_promised_operator_exists() {
    let missing: Vec<&str> = PROMISED.split_whitespace().filter(|name| find(name).is_none()).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn the_table_is_in_alphabetical_order() {
    let names: Vec<&str> = TABLE.iter().map(|op| op.signature().name).collect();
    assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
}

#[test]
fn every_operator_argument_and_attribute_is_documented() {
    for op in TABLE {
        let signature = op.signature();
        let attrs = signature.attrs.iter().map(|attr| (attr.name, attr.doc));
        for (name, doc) in signature.args.iter().map(|arg| (arg.name, arg.doc)).chain(attrs) {
            assert!(!doc.is_empty() && !doc.ends_with('.'), "{}: {name}: a phrase, not `{doc}`", signature.name);
        }
        assert!(signature.doc.ends_with('.'), "{}: a sentence, not `{}`", signature.name, signature.doc);
    }
}

#[test]
fn the_page_shows_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../OPERATORS.md");
    let page = reference();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, page).unwrap();
        return;
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        found == page,
        "OPERATORS.md is not what the table says; \
         `BLESS=1 cargo test -p planner-core --test operators` writes it anew"
    );
}
