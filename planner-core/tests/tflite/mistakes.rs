//! The files of the ui tests, whose messages show what a user of `graph!` sees.

use super::flatbuffer::Field;
use super::network::{F32, Network};
use super::samples::{assert_committed, samples};

/// Name and bytes of each.
fn mistakes() -> Vec<(&'static str, Vec<u8>)> {
    let float = samples().swap_remove(0).1;
    let truncated = float[..float.len() / 2].to_vec();
    vec![("open", open().write()), ("truncated", truncated), ("unsupported", unsupported().write())]
}

/// Two dimensions of an input are open, and the batch.
fn open() -> Network {
    let mut file = Network::new();
    let x = file.input("tokens", F32, &[1, 1, 1, 2]);
    file.set(x, 7, Field::Ints(vec![-1, -1, -1, 2]));
    let y = file.tensor("y", F32, &[1, 1, 1, 2]);
    file.set(y, 7, Field::Ints(vec![-1, -1, -1, 2]));
    file.operator(19, &[x], &[y], 0, vec![]);
    file.outputs.push(y);
    file
}

/// Operators that no fixed plan can have, between others.
fn unsupported() -> Network {
    let mut file = Network::new();
    let x = file.input("image", F32, &[1, 4]);
    let names = ["a", "b", "c", "loop"];
    let [first, second, third, last] = names.map(|name| file.tensor(name, F32, &[1, 4]));
    file.operator(19, &[x], &[first], 0, vec![]);
    file.operator(32, &[first, x], &[second], 0, vec![]);
    file.codes[1].push((1, Field::Text("MyOperator".into())));
    file.operator(19, &[second], &[third], 0, vec![]);
    file.operator(119, &[third], &[last], 93, vec![]);
    file.outputs.push(last);
    file
}

#[test]
fn files_of_the_ui_tests_are_current() {
    assert_committed("../tests/ui/model_files/files", &mistakes());
}
