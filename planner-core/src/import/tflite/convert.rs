//! The network of a file, operator by operator.

use super::flatbuffer::Flatbuffer;
use super::graph::Graph;
use super::schema::{Signature, Subgraph, Tensor, Unreadable};
use super::{operators, report, types};
use crate::diagnostic::{Diagnostic, Diagnostics, Kind};
use crate::import::{Bindings, Options};
use crate::model::Model;

/// Most defects that are reported one by one.
const MAX_REPORTED: usize = 64;

/// Converts `subgraph`, or reports everything in it that cannot be converted.
pub(super) fn convert<'a>(
    file: &'a Flatbuffer<'a>,
    subgraph: &'a Subgraph<'a>,
    signature: &Signature<'a>,
    options: &Options<'_>,
) -> Result<Model, Diagnostics> {
    let mut graph = Graph::new(file, subgraph, options);
    let mut found = Diagnostics::default();
    let finished = inputs(&mut graph, signature, options.bindings, &mut found)
        .map(|()| name_outputs(&mut graph, signature))
        .and_then(|names| nodes(&mut graph, &mut found).map(|()| names))
        .map(|names| outputs(&mut graph, names, &mut found));
    if let Err(e) = finished {
        found.push(graph.unreadable(&e));
    }
    if let Some(more) = found.0.len().checked_sub(MAX_REPORTED).filter(|&more| more > 0) {
        found.0.truncate(MAX_REPORTED);
        found.push(graph.unsupported(format!("and {more} more operators or tensors that are not supported")));
    }
    found.barrier(graph.into_model())
}

fn inputs(
    graph: &mut Graph<'_>,
    signature: &Signature<'_>,
    bindings: &Bindings,
    found: &mut Diagnostics,
) -> Result<(), Unreadable> {
    let mut batch_used = false;
    let mut unused = bindings.dimensions.clone();
    for &index in &graph.subgraph.inputs {
        let tensor = &graph.subgraph.tensors[index];
        let name = graph.settle(index, signature.inputs.get(&index).copied().unwrap_or(tensor.name));
        let mut dims = tensor.shape.clone();
        for (axis, _) in tensor.dims().iter().enumerate().filter(|(_, dim)| **dim < 0) {
            batch_used |= axis == 0;
            unused.remove(&(name.clone(), axis));
            match bindings.size(&name, axis) {
                Some(size) => dims[axis] = i32::try_from(size).unwrap_or(i32::MAX),
                None => found.push(open_dimension(graph, &name, tensor, axis)),
            }
        }
        match types::tensor_type(tensor, &dims) {
            Ok(ty) => graph.input(index, ty)?,
            Err(e) => {
                graph.forget(index);
                let diagnostic = graph.unsupported(format!("input `{name}` {}", e.why)).info(report::tensor(tensor));
                found.push(e.help.into_iter().fold(diagnostic, Diagnostic::help));
            }
        }
    }
    for (name, axis) in unused.into_keys() {
        let message = format!("dimension {axis} of an input `{name}` is bound, but no such dimension is open");
        found.push(graph.error(Kind::Dimension, message));
    }
    if bindings.batch.is_some() && !batch_used {
        let message = "the batch is bound, but no input has an open outermost dimension";
        found.push(graph.error(Kind::Dimension, message));
    }
    Ok(())
}

fn open_dimension(graph: &Graph<'_>, name: &str, tensor: &Tensor<'_>, axis: usize) -> Diagnostic {
    graph
        .error(Kind::Dimension, format!("dimension {axis} of input `{name}` is not fixed in the file"))
        .got(report::tensor(tensor))
        .help(format!("bind it to a size: `bind({name}[{axis}] = ..)`"))
}

/// The names of the outputs, which their tensors share where they have no other.
fn name_outputs(graph: &mut Graph<'_>, signature: &Signature<'_>) -> Vec<String> {
    let mut names = Vec::new();
    for (position, &index) in graph.subgraph.outputs.iter().enumerate() {
        let name = signature.outputs.get(&index).copied().unwrap_or(graph.subgraph.tensors[index].name);
        names.push(graph.settle_output(index, name, position));
    }
    names
}

fn nodes(graph: &mut Graph<'_>, found: &mut Diagnostics) -> Result<(), Unreadable> {
    for op in &graph.subgraph.operators {
        if let Some(&twice) = op.outputs.iter().find(|&&index| graph.is_written(index)) {
            let name = report::short(graph.subgraph.tensors[twice].name);
            return Err(Unreadable::new(format!("operator {} writes `{name}`, which has a value already", op.index)));
        }
        if let Err(problems) = operators::convert(graph, op) {
            for problem in problems.0 {
                found.push(report::of_operator(graph.subgraph, op, problem));
            }
            graph.assume(op)?;
        }
    }
    Ok(())
}

fn outputs(graph: &mut Graph<'_>, names: Vec<String>, found: &mut Diagnostics) {
    if names.is_empty() {
        found.push(graph.error(Kind::NoOutput, "the network has no output"));
    }
    for (name, &index) in names.into_iter().zip(&graph.subgraph.outputs) {
        match graph.computed(index) {
            Some(id) => graph.output(name, id),
            None if graph.is_written(index) => {
                let constant = graph.unsupported(format!("output `{name}` does not depend on any input"));
                if !graph.is_unknown(index) {
                    found.push(constant);
                }
            }
            None => found.push(graph.error(Kind::ModelFile, format!("nothing computes output `{name}`"))),
        }
    }
}
