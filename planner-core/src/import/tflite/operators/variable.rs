//! Variables: their handles, their values, and the subgraph that initialises them.

use crate::diagnostic::{Diagnostic, Diagnostics, Kind};
use crate::import::tflite::graph::{Graph, Key, constant_bytes};
use crate::import::tflite::report;
use crate::import::tflite::schema::{Operator, Subgraph, options};
use std::collections::HashMap;

pub(super) fn handle<'a>(graph: &mut Graph<'a>, op: &Operator<'a>) -> Result<(), Diagnostics> {
    let (key, index) = key(graph, op)?;
    graph.handle(index, key);
    Ok(())
}

pub(super) fn read(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let [result] = *op.outputs.as_slice() else {
        return Err(graph.error(Kind::ModelFile, "it has no single result").into());
    };
    graph.read_variable(op, 0, result)
}

pub(super) fn assign(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    graph.assign_variable(op, 0)
}

/// A subgraph that gives variables constants, and does nothing else.
pub(super) fn call_once(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let options: options::CallOnce = graph.options(op)?;
    let index = usize::try_from(options.subgraph).unwrap_or(0);
    if index == 0 {
        return Err(graph.error(Kind::ModelFile, "it calls the network itself").into());
    }
    let subgraph = graph.subgraph_at(index)?;
    let mut handles = HashMap::new();
    for op in &subgraph.operators {
        match op.kind {
            Some("VAR_HANDLE") => {
                let (key, index) = key(graph, op)?;
                handles.insert(index, key);
            }
            Some("ASSIGN_VARIABLE") => {
                let (key, bytes) = constant(graph, &subgraph, op, &handles)?;
                graph.initialize(key, bytes)?;
            }
            _ => {
                let message = format!("subgraph {index}, which it calls, holds {}", report::heading(op));
                let error = graph.unsupported(message).wanted("constants given to variables, and nothing else");
                return Err(error.into());
            }
        }
    }
    Ok(())
}

/// The name of a variable, and the tensor that becomes its handle.
fn key<'a>(graph: &Graph<'_>, op: &Operator<'a>) -> Result<(Key<'a>, usize), Diagnostic> {
    let options: options::VarHandle<'a> = graph.options(op)?;
    let handle = op.outputs.first().ok_or_else(|| graph.error(Kind::ModelFile, "it has no result"))?;
    Ok(((options.container, options.shared_name), *handle))
}

/// The variable that `op` gives a constant, and its bytes.
fn constant<'a>(
    graph: &Graph<'_>,
    subgraph: &Subgraph<'a>,
    op: &Operator<'a>,
    handles: &HashMap<usize, Key<'a>>,
) -> Result<(Key<'a>, &'a [u8]), Diagnostic> {
    let tensor = |place: usize| op.inputs.get(place).copied().flatten();
    let key = tensor(0).and_then(|handle| handles.get(&handle)).copied();
    let key = key.ok_or_else(|| graph.error(Kind::ModelFile, "it initialises what is no variable"))?;
    let bytes = tensor(1).and_then(|value| constant_bytes(&subgraph.tensors[value]));
    let message = || format!("the variable {} starts from no constant", report::quoted(key.1));
    Ok((key, bytes.ok_or_else(|| graph.unsupported(message()))?))
}
