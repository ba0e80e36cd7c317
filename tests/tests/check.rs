//! Defects that show without types.

use planner_core::check::check;
use planner_core::diagnostic::Kind;
use waterline_tests::build::{Builder, f32_type};

fn kinds(net: &Builder) -> Vec<Kind> {
    check(&net.model).err().map_or(Vec::new(), |found| found.0.into_iter().map(|d| d.kind).collect())
}

#[test]
fn a_network_without_output_is_refused() {
    let mut net = Builder::new();
    let x = net.input("x", f32_type(&[2]));
    net.apply("relu", &[x], &[]);
    assert_eq!(kinds(&net), [Kind::NoOutput], "and not every result as well");
}

#[test]
fn everything_unread_is_found_at_once() {
    let mut net = Builder::new();
    let x = net.input("x", f32_type(&[2]));
    net.input("y", f32_type(&[2]));
    net.input("_z", f32_type(&[2]));
    net.param_f32("w", &[1], &[0.0]);
    let h = net.apply("relu", &[x], &[]);
    let dead = net.apply("relu", &[x], &[]);
    net.apply("relu", &[dead], &[]);
    net.output(h);
    let found = check(&net.model).unwrap_err();
    let text = found.to_string();
    assert_eq!(found.0.len(), 3, "{text}: the input, the param and the last result, not the one before it");
    assert!(text.contains("nothing reads the input `y`\n  help: remove it, or name it `_y`"), "{text}");
    assert_eq!(found.0[0].src, net.model.tensors[1].src);
}

#[test]
fn what_reaches_no_output_is_found_where_it_ends() {
    let mut net = Builder::new();
    let x = net.input("x", f32_type(&[2]));
    let a = net.apply("relu", &[x], &[]);
    let b = net.apply("relu", &[a], &[]);
    let between = net.apply("relu", &[b], &[]);
    let end = net.apply("relu", &[between], &[]);
    net.model.tensors[between.0].may_be_unused = true;
    net.model.tensors[end.0].may_be_unused = true;
    let y = net.apply("relu", &[x], &[]);
    net.output(y);
    let found = check(&net.model).unwrap_err();
    assert_eq!(found.0.len(), 1, "{found}: what leads to it is found next");
    assert_eq!(found.0[0].src, net.model.tensors[b.0].src);
    assert!(found.to_string().contains("reaches no output"), "{found}");
}

#[test]
fn one_use_of_a_definition_is_enough() {
    // A block called twice: its value leaves it once, beside a result `_spare` that nothing reads.
    let mut net = Builder::new();
    let x = net.input("x", f32_type(&[2]));
    let mut values = Vec::new();
    for _ in 0..2 {
        let value = net.apply("relu", &[x], &[]);
        let spare = net.apply("relu", &[value], &[]);
        net.model.tensors[spare.0].may_be_unused = true;
        values.push(value);
    }
    net.model.tensors[values[1].0].src = net.model.tensors[values[0].0].src;
    net.output(values[0]);
    assert_eq!(kinds(&net), []);
}

#[test]
fn one_definition_is_reported_once() {
    let mut net = Builder::new();
    let x = net.input("x", f32_type(&[2]));
    let used = net.apply("relu", &[x], &[]);
    let (first, second) = (net.apply("relu", &[x], &[]), net.apply("relu", &[x], &[]));
    net.model.tensors[second.0].src = net.model.tensors[first.0].src;
    net.output(used);
    assert_eq!(kinds(&net), [Kind::Unused]);
    // Of the results of one definition one is read.
    net.model.tensors[first.0].src = net.model.tensors[used.0].src;
    net.model.tensors[second.0].src = net.model.tensors[used.0].src;
    assert_eq!(kinds(&net), []);
}

#[test]
fn an_output_is_computed() {
    let mut net = Builder::new();
    let w = net.param_f32("w", &[1], &[0.0]);
    net.output(w);
    assert_eq!(kinds(&net), [Kind::Unsupported]);

    let mut net = Builder::new();
    let x = net.input("x", f32_type(&[1]));
    net.output(x);
    assert_eq!(kinds(&net), [], "an input may be an output");
}
