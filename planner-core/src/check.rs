//! Defects of a model that show without types.

use crate::diagnostic::{Diagnostic, Diagnostics, Kind};
use crate::model::{Model, Origin, Tensor};
use crate::source::Src;
use std::collections::BTreeSet;

/// Checks that a model has outputs, that they are computed and that everything is for them.
///
/// # Errors
/// Everything found, each place in the source once: no output, an output that is a parameter or a state, and what
/// nothing reads.
pub fn check(model: &Model) -> Result<(), Diagnostics> {
    let mut found = Diagnostics::default();
    if model.outputs.is_empty() {
        let message = format!("the network `{}` has no output", model.name);
        found.push(Diagnostic::new(Kind::NoOutput, model.src, message).help("name one: `output y = ..;`"));
    }
    for output in &model.outputs {
        let (name, wanted) = (&output.name, "an input or a result");
        match model.tensor(output.tensor).origin {
            Origin::Param(_) => {
                let message = format!("the output `{name}` is a parameter: nothing computes it");
                found.push(Diagnostic::new(Kind::Unsupported, output.src, message).wanted(wanted));
            }
            Origin::State(state) => {
                let state = &model.tensor(model.states[state].tensor).name;
                let message = format!("the output `{name}` is a state, which the run overwrites");
                let error = Diagnostic::new(Kind::Unsupported, output.src, message).wanted(wanted);
                found.push(error.help(format!("name the value that `{state} <- ..;` gives it, and output that")));
            }
            Origin::Input(_) | Origin::Result { .. } => {}
        }
    }
    unread(model, &mut found);
    unreached(model, &mut found);
    found.barrier(())
}

/// What only results that may be unused read. What leads to it is passed over: it is found next.
fn unreached(model: &Model, found: &mut Diagnostics) {
    let mut reaches = vec![false; model.tensors.len()];
    for output in &model.outputs {
        reaches[output.tensor.0] = true;
    }
    let mut readers = vec![None; model.tensors.len()];
    let mut named_reader = vec![false; model.tensors.len()];
    // What a state is given reaches as far as what reads the state, in another run.
    for _ in 0..=model.states.len() {
        for state in &model.states {
            reaches[state.next.0] |= reaches[state.tensor.0];
            named_reader[state.next.0] |= !model.tensor(state.tensor).may_be_unused;
            readers[state.next.0] = Some(state.tensor);
        }
        for node in model.nodes.iter().rev() {
            let reached = node.results.iter().any(|id| reaches[id.0]);
            let named = node.results.iter().any(|id| !model.tensor(*id).may_be_unused || named_reader[id.0]);
            for id in node.args.iter().flatten() {
                reaches[id.0] |= reached;
                named_reader[id.0] |= named;
                readers[id.0] = node.results.first().copied();
            }
        }
    }
    for tensor in model.states.iter().map(|state| state.tensor.0) {
        let Tensor { name, src, may_be_unused, .. } = &model.tensors[tensor];
        if readers[tensor].is_some() && !reaches[tensor] && !may_be_unused && !model.outputs.is_empty() {
            let message = format!("the state `{name}` reaches no output: it is only kept for itself");
            found.push(Diagnostic::new(Kind::Unused, *src, message).help(format!("remove it, or name it `_{name}`")));
        }
    }
    let used: BTreeSet<Src> =
        model.tensors.iter().zip(&reaches).filter(|(_, reaches)| **reaches).map(|(tensor, _)| tensor.src).collect();
    for (index, tensor) in model.tensors.iter().enumerate() {
        let Some(reader) = readers[index] else { continue };
        if model.outputs.is_empty() || tensor.may_be_unused || named_reader[index] || used.contains(&tensor.src) {
            continue;
        }
        let message = format!("`{}` reaches no output: only `{}` reads it", tensor.name, model.tensor(reader).name);
        let help = format!("remove both, or name it `_{}`", tensor.name);
        found.push(Diagnostic::new(Kind::Unused, tensor.src, message).help(help));
    }
}

/// What nothing reads. Without outputs, results are passed over: they would all be found in the end.
fn unread(model: &Model, found: &mut Diagnostics) {
    let mut read = vec![false; model.tensors.len()];
    for id in model.nodes.iter().flat_map(|node| node.args.iter().flatten()) {
        read[id.0] = true;
    }
    for id in model.outputs.iter().map(|output| output.tensor).chain(model.states.iter().map(|state| state.next)) {
        read[id.0] = true;
    }
    // A block or a loop makes several results of one definition: one use is enough.
    let used: BTreeSet<Src> =
        model.tensors.iter().zip(&read).filter(|(_, read)| **read).map(|(tensor, _)| tensor.src).collect();
    let mut told = BTreeSet::new();
    for tensor in model.tensors.iter().zip(&read).filter(|(_, read)| !**read).map(|(tensor, _)| tensor) {
        let what = match tensor.origin {
            Origin::Input(_) => "input",
            Origin::Param(_) => "param",
            Origin::State(_) => "state",
            Origin::Result { .. } if model.outputs.is_empty() || used.contains(&tensor.src) => continue,
            Origin::Result { .. } => "result",
        };
        if tensor.may_be_unused || !told.insert(tensor.src) {
            continue;
        }
        let message = format!("nothing reads the {what} `{}`", tensor.name);
        let help = format!("remove it, or name it `_{}`", tensor.name);
        found.push(Diagnostic::new(Kind::Unused, tensor.src, message).help(help));
    }
}
