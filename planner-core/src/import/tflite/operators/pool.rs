//! Pooling.

use super::activation::fused;
use super::convolution::padding;
use super::ints;
use crate::diagnostic::Diagnostics;
use crate::import::tflite::graph::Graph;
use crate::import::tflite::schema::Operator;
use crate::import::tflite::schema::options;

/// Our operator `kind` over windows.
pub(super) fn pool(graph: &mut Graph<'_>, op: &Operator<'_>, kind: &'static str) -> Result<(), Diagnostics> {
    let options: options::Pool2d = graph.options(op)?;
    let x = graph.read(op, 0)?;
    let attrs = vec![("filter", ints(options.filter)), ("stride", ints(options.stride)), padding(options.padding)];
    fused(graph, op, kind, &[x], attrs, options.activation)
}
