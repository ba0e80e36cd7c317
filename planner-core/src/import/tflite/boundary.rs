//! Inputs and outputs that a network has as the integers which its file makes of them, or makes them of.

use super::schema::{ElementType, Operator, Subgraph};
use super::{report, types};
use crate::diagnostic::{Diagnostic, Kind};
use crate::source::Src;

/// The file's tensor of integers that the network takes instead of its input `index`.
///
/// # Errors
/// Unless all that becomes of the input is that one QUANTIZE reads it, and it is f32.
pub(super) fn behind_input(subgraph: &Subgraph<'_>, index: usize, name: &str, src: Src) -> Result<usize, Diagnostic> {
    let readers: Vec<&Operator<'_>> = readers(subgraph, index).collect();
    if let [operator] = readers[..]
        && operator.kind == Some("QUANTIZE")
        && let [result] = operator.outputs[..]
        && !subgraph.outputs.contains(&index)
        && stands_for(subgraph, result, index)
    {
        return Ok(result);
    }
    let error = refused(format!("input `{name}` cannot be given as integers"), subgraph, index, src)
        .wanted("one QUANTIZE that reads it, and nothing else");
    Err(readers
        .iter()
        .take(2)
        .fold(error, |error, operator| error.info(format!("{} reads it", report::heading(operator)))))
}

/// The file's tensor of integers that the network shows instead of its output `index`.
///
/// # Errors
/// Unless a DEQUANTIZE of integers makes the output, and it is f32.
pub(super) fn behind_output(subgraph: &Subgraph<'_>, index: usize, name: &str, src: Src) -> Result<usize, Diagnostic> {
    let maker = subgraph.operators.iter().find(|operator| operator.outputs.contains(&index));
    if let Some(operator) = maker
        && operator.kind == Some("DEQUANTIZE")
        && let [Some(arg)] = operator.inputs[..]
        && stands_for(subgraph, arg, index)
    {
        return Ok(arg);
    }
    let error = refused(format!("output `{name}` cannot be had as integers"), subgraph, index, src)
        .wanted("a DEQUANTIZE that makes it");
    Err(maker.into_iter().fold(error, |error, operator| error.info(format!("{} makes it", report::heading(operator)))))
}

/// The tensor `inside` holds integers that stand for the reals of `outside`: other integers would be other values.
fn stands_for(subgraph: &Subgraph<'_>, inside: usize, outside: usize) -> bool {
    let inside = &subgraph.tensors[inside];
    let is_integer = types::dtype(inside.element).is_ok_and(|dtype| dtype.range().is_some());
    subgraph.tensors[outside].element == ElementType::F32 && is_integer && inside.quantization.is_some()
}

fn refused(message: String, subgraph: &Subgraph<'_>, index: usize, src: Src) -> Diagnostic {
    let error = Diagnostic::new(Kind::Unsupported, src, message);
    match &subgraph.tensors[index] {
        tensor if tensor.element == ElementType::F32 => error,
        tensor => error.got(format!("{}, which is not f32", report::tensor(tensor))),
    }
}

fn readers<'s, 'a>(subgraph: &'s Subgraph<'a>, index: usize) -> impl Iterator<Item = &'s Operator<'a>> {
    subgraph.operators.iter().filter(move |operator| operator.inputs.contains(&Some(index)))
}
