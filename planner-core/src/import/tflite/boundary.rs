//! Inputs and outputs that a network has as the integers which its file makes of them, or makes them of.

use super::report;
use super::schema::{Operator, Subgraph};
use crate::diagnostic::{Diagnostic, Kind};
use crate::source::Src;

/// The file's tensor of integers that the network takes instead of its input `index`.
///
/// # Errors
/// Unless all that becomes of the input is that one QUANTIZE reads it.
pub(super) fn behind_input(subgraph: &Subgraph<'_>, index: usize, name: &str, src: Src) -> Result<usize, Diagnostic> {
    let readers: Vec<&Operator<'_>> = readers(subgraph, index).collect();
    if let [operator] = readers[..]
        && operator.kind == Some("QUANTIZE")
        && let [result] = operator.outputs[..]
        && !subgraph.outputs.contains(&index)
    {
        return Ok(result);
    }
    let error = refused(format!("input `{name}` cannot be given as integers"), src)
        .wanted("one QUANTIZE that reads it, and nothing else");
    Err(readers
        .iter()
        .take(2)
        .fold(error, |error, operator| error.info(format!("{} reads it", report::heading(operator)))))
}

/// The file's tensor of integers that the network shows instead of its output `index`.
///
/// # Errors
/// Unless a DEQUANTIZE makes the output.
pub(super) fn behind_output(subgraph: &Subgraph<'_>, index: usize, name: &str, src: Src) -> Result<usize, Diagnostic> {
    let maker = subgraph.operators.iter().find(|operator| operator.outputs.contains(&index));
    if let Some(operator) = maker
        && operator.kind == Some("DEQUANTIZE")
        && let [Some(arg)] = operator.inputs[..]
    {
        return Ok(arg);
    }
    let error = refused(format!("output `{name}` cannot be had as integers"), src).wanted("a DEQUANTIZE that makes it");
    Err(maker.into_iter().fold(error, |error, operator| error.info(format!("{} makes it", report::heading(operator)))))
}

fn refused(message: String, src: Src) -> Diagnostic {
    Diagnostic::new(Kind::Unsupported, src, message)
}

fn readers<'s, 'a>(subgraph: &'s Subgraph<'a>, index: usize) -> impl Iterator<Item = &'s Operator<'a>> {
    subgraph.operators.iter().filter(move |operator| operator.inputs.contains(&Some(index)))
}
