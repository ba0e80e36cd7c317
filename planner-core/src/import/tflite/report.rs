//! Messages about operators of a file: which one, and what it reads and writes.

use super::schema::{Operator, Subgraph, Tensor};
use crate::diagnostic::{Diagnostic, Note};
use std::fmt::Write;

/// Most tensors that a message lists on each side.
const MAX_LISTED: usize = 8;
/// Most characters of a name that a message shows.
const MAX_NAME: usize = 80;

/// `diagnostic` said of `operator`, with its tensors.
pub(super) fn of_operator(subgraph: &Subgraph<'_>, operator: &Operator<'_>, mut diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.message = format!("{}: {}", heading(operator), diagnostic.message);
    let reads = listed(subgraph, operator.inputs.iter().copied());
    let writes = listed(subgraph, operator.outputs.iter().copied().map(Some));
    // Advice comes last.
    let tensors = [Note::Info(format!("it reads {reads}")), Note::Info(format!("it writes {writes}"))];
    // Advice comes last.
    let advice = diagnostic.notes.iter().position(|note| matches!(note, Note::Help(_)));
    let at = advice.unwrap_or(diagnostic.notes.len());
    diagnostic.notes.splice(at..at, tensors);
    diagnostic
}

fn listed(subgraph: &Subgraph<'_>, mut tensors: impl ExactSizeIterator<Item = Option<usize>>) -> String {
    let shown = |index: Option<usize>| index.map_or_else(|| "none".into(), |index| tensor(&subgraph.tensors[index]));
    let list: Vec<String> = tensors.by_ref().take(MAX_LISTED).map(shown).collect();
    match tensors.len() {
        0 if list.is_empty() => "nothing".into(),
        0 => list.join(", "),
        more => format!("{} and {more} more", list.join(", ")),
    }
}

/// `operator 12 CONV_2D version 3`.
pub(super) fn heading(operator: &Operator<'_>) -> String {
    let mut text = format!("operator {} ", operator.index);
    match (operator.custom, operator.kind) {
        (Some(name), _) => write!(text, "CUSTOM {}", quoted(name)),
        (None, Some(kind)) => write!(text, "{kind}"),
        (None, None) => write!(text, "of code {}", operator.code),
    }
    .and_then(|()| write!(text, " version {}", operator.version))
    .expect("writing to a string succeeds");
    text
}

/// The tensor's name and type as the file gives them.
pub(super) fn tensor(tensor: &Tensor<'_>) -> String {
    let dims: String = tensor.dims().iter().take(MAX_LISTED).fold(String::new(), |text, dim| {
        let gap = if text.is_empty() { "" } else { ", " };
        format!("{text}{gap}{}", if *dim < 0 { "?".into() } else { dim.to_string() })
    });
    let more = if tensor.dims().len() > MAX_LISTED { ", .." } else { "" };
    let mut text = format!("{} {}[{dims}{more}]", quoted(tensor.name), tensor.element);
    if let Some(quantization) = &tensor.quantization {
        let quant = match quantization.scales.as_slice() {
            [scale] => format!(" q({scale}, {})", quantization.zero_points[0]),
            scales => format!(" q([{} scales], axis = {})", scales.len(), quantization.axis),
        };
        text += &quant;
    }
    text
}

/// `name` in quotes, cut if it is very long.
pub(super) fn quoted(name: &str) -> String {
    match name.char_indices().nth(MAX_NAME) {
        Some((end, _)) => format!("`{}..`", &name[..end]),
        None if name.is_empty() => "a tensor without name".into(),
        None => format!("`{name}`"),
    }
}
