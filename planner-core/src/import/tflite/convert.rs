//! The network of a file, operator by operator.

use super::flatbuffer::Flatbuffer;
use super::graph::Graph;
use super::schema::{self, Signature, Subgraph, Tensor};
use super::{boundary, operators, report, types};
use crate::diagnostic::{Diagnostic, Diagnostics, Kind};
use crate::import::{Bindings, FileResult, Interface, Options};
use crate::model::Model;

/// Most defects that are reported one by one.
const MAX_REPORTED: usize = 64;

/// Converts `subgraph`, or reports everything in it that cannot be converted.
pub(super) fn convert<'a>(
    file: &'a Flatbuffer<'a>,
    source: &'a schema::Model<'a>,
    subgraph: &'a Subgraph<'a>,
    signature: &Signature<'a>,
    options: &Options<'_>,
) -> Result<Model, Diagnostics> {
    converted(file, source, subgraph, signature, options).map(Graph::into_model)
}

/// What the operators of `subgraph` compute.
pub(super) fn results<'a>(
    file: &'a Flatbuffer<'a>,
    source: &'a schema::Model<'a>,
    subgraph: &'a Subgraph<'a>,
    signature: &Signature<'a>,
    options: &Options<'_>,
) -> Result<Vec<FileResult>, Diagnostics> {
    let graph = converted(file, source, subgraph, signature, options)?;
    let mut results = Vec::new();
    for operator in &subgraph.operators {
        results.extend(operator.outputs.iter().map(|&tensor| FileResult {
            tensor,
            operator: report::heading(operator),
            name: graph.computed(tensor).map(|id| graph.tensor_name(id)),
        }));
    }
    Ok(results)
}

fn converted<'a>(
    file: &'a Flatbuffer<'a>,
    source: &'a schema::Model<'a>,
    subgraph: &'a Subgraph<'a>,
    signature: &Signature<'a>,
    options: &Options<'_>,
) -> Result<Graph<'a>, Diagnostics> {
    let mut graph = Graph::new(file, source, subgraph, options);
    let mut found = Found::default();
    let finished = inputs(&mut graph, signature, options.bindings, &mut found)
        .map(|()| name_outputs(&mut graph, signature))
        .and_then(|names| nodes(&mut graph, &mut found).map(|()| names))
        .map(|names| outputs(&mut graph, names, options.bindings, &mut found));
    found.reported.0.extend(finished.err());
    if found.more > 0 {
        let message = format!("{} more operators or tensors are not supported", found.more);
        found.reported.push(graph.unsupported(message));
    }
    found.reported.barrier(graph)
}

/// The inputs and outputs of `subgraph` as far as they are known.
pub(super) fn interface<'a>(
    file: &'a Flatbuffer<'a>,
    source: &'a schema::Model<'a>,
    subgraph: &'a Subgraph<'a>,
    signature: &Signature<'a>,
    options: &Options<'_>,
) -> Interface {
    let mut graph = Graph::new(file, source, subgraph, options);
    // What is wrong with them is said when they are converted.
    let _ = inputs(&mut graph, signature, options.bindings, &mut Found::default());
    let outputs = name_outputs(&mut graph, signature);
    let inputs: Vec<String> = subgraph.inputs.iter().map(|&index| graph.settle(index, "")).collect();
    let shown = |(name, &index): (String, &usize)| {
        let shown = shown_output(&graph, index, &name, options.bindings).unwrap_or(index);
        (name, graph.declared(shown))
    };
    Interface {
        inputs: inputs.into_iter().zip(&subgraph.inputs).map(|(name, &index)| (name, graph.declared(index))).collect(),
        outputs: outputs.into_iter().zip(&subgraph.outputs).map(shown).collect(),
    }
}

/// The file's tensor that the output `index` shows.
fn shown_output(graph: &Graph<'_>, index: usize, name: &str, bindings: &Bindings) -> Result<usize, Diagnostic> {
    match bindings.quantized_outputs.get(name) {
        Some(src) => boundary::behind_output(graph.subgraph, index, name, *src),
        None => Ok(index),
    }
}

/// Defects, the first of them in full.
#[derive(Default)]
struct Found {
    reported: Diagnostics,
    more: usize,
}

impl Found {
    fn push(&mut self, diagnostic: impl FnOnce() -> Diagnostic) {
        if self.reported.0.len() < MAX_REPORTED {
            self.reported.push(diagnostic());
        } else {
            self.more += 1;
        }
    }
}

fn inputs(
    graph: &mut Graph<'_>,
    signature: &Signature<'_>,
    bindings: &Bindings,
    found: &mut Found,
) -> Result<(), Diagnostic> {
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
                Some(size) => {
                    dims[axis] = i32::try_from(size).unwrap_or(i32::MAX);
                    graph.resized |= dims[axis] != tensor.shape[axis];
                }
                None => found.push(|| open_dimension(graph, &name, tensor, axis)),
            }
        }
        let given =
            bindings.quantized_inputs.get(&name).map(|src| boundary::behind_input(graph.subgraph, index, &name, *src));
        let shown = given.and_then(|given| given.map_err(|problem| found.push(|| problem)).ok());
        match types::tensor_type(shown.map_or(tensor, |shown| &graph.subgraph.tensors[shown]), &dims) {
            Ok(ty) => graph.input(index, ty, shown)?,
            Err(e) => {
                graph.forget(index);
                found.push(|| {
                    let diagnostic = graph.unsupported(format!("input `{name}` {}", e.why));
                    e.help.into_iter().fold(diagnostic.info(report::tensor(tensor)), Diagnostic::help)
                });
            }
        }
    }
    for ((name, axis), size) in unused {
        let message = format!("dimension {axis} of an input `{name}` is bound, but no such dimension is open");
        found.push(|| of_inputs(graph, Diagnostic::new(Kind::Dimension, size.src, message)));
    }
    if let Some(size) = bindings.batch.filter(|_| !batch_used) {
        let message = "the batch is bound, but no input has an open outermost dimension";
        found.push(|| of_inputs(graph, Diagnostic::new(Kind::Dimension, size.src, message)));
    }
    Ok(())
}

/// Adds the inputs as the file has them.
fn of_inputs(graph: &Graph<'_>, diagnostic: Diagnostic) -> Diagnostic {
    graph.subgraph.inputs.iter().fold(diagnostic, |diagnostic, &index| {
        diagnostic.info(format!("input {}", report::tensor(&graph.subgraph.tensors[index])))
    })
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

fn nodes(graph: &mut Graph<'_>, found: &mut Found) -> Result<(), Diagnostic> {
    for op in &graph.subgraph.operators {
        if let Some(&twice) = op.outputs.iter().find(|&&index| graph.is_written(index)) {
            let name = report::quoted(graph.subgraph.tensors[twice].name);
            let message = format!("operator {} writes {name}, which has a value already", op.index);
            return Err(graph.error(Kind::ModelFile, message));
        }
        graph.label = Some(report::heading(op));
        if let Err(problems) = operators::convert(graph, op) {
            for problem in problems.0 {
                found.push(|| report::of_operator(graph.subgraph, op, problem));
            }
            graph.assume(op)?;
        }
    }
    Ok(())
}

fn outputs(graph: &mut Graph<'_>, names: Vec<String>, bindings: &Bindings, found: &mut Found) {
    if names.is_empty() {
        found.push(|| graph.error(Kind::NoOutput, "the network has no output"));
    }
    for (name, &index) in names.into_iter().zip(&graph.subgraph.outputs) {
        let index = match shown_output(graph, index, &name, bindings) {
            Ok(index) => index,
            Err(problem) => {
                found.push(|| problem);
                continue;
            }
        };
        match graph.computed(index) {
            Some(id) if graph.is_constant(id) => {
                found.push(|| graph.unsupported(format!("output `{name}` does not depend on any input")));
            }
            Some(id) => {
                if let Err(problems) = graph.output(name, id) {
                    problems.0.into_iter().for_each(|problem| found.push(|| problem));
                }
            }
            None if graph.is_unknown(index) => {}
            None if graph.is_written(index) => {
                found.push(|| graph.unsupported(format!("output `{name}` does not depend on any input")));
            }
            None => found.push(|| graph.error(Kind::ModelFile, format!("nothing computes output `{name}`"))),
        }
    }
}
