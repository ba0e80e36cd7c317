//! Reductions over dimensions.

use super::ints;
use crate::diagnostic::Diagnostics;
use crate::import::tflite::graph::Graph;
use crate::import::tflite::schema::Operator;
use crate::import::tflite::schema::options;
use crate::ops::AttrValue;
use crate::shape::MAX_RANK;

/// Our operator `kind` over the axes of the second tensor.
pub(super) fn reduce(graph: &mut Graph<'_>, op: &Operator<'_>, kind: &'static str) -> Result<(), Diagnostics> {
    let options: options::Reducer = graph.options(op)?;
    let x = graph.read(op, 0)?;
    let axes = graph.ints(op, 1, "axes", MAX_RANK)?;
    graph.emit(op, kind, &[x], &[("axes", ints(axes)), ("keep_dims", AttrValue::Bool(options.keep_dims))])
}
