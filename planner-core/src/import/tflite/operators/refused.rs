//! What is not converted, and why.

use crate::diagnostic::Diagnostic;
use crate::import::tflite::graph::Graph;
use crate::import::tflite::schema::Operator;

/// Why `op`, which nothing converts, is refused.
pub(super) fn refuse(graph: &Graph<'_>, op: &Operator<'_>) -> Diagnostic {
    let because = |why: &str, help: &str| graph.unsupported(why).help(help);
    match op.kind {
        _ if op.custom.is_some() => because(
            "custom operators are not supported",
            "leave it out of the model: end the model before it and compute its part in code",
        ),
        None => because(
            "no operator of this code is known",
            "convert the model with `target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS]`",
        ),
        Some("IF" | "WHILE") => because(
            "control flow is not supported",
            "unroll it: `unroll=True` for Keras's recurrent layers, a fixed number of steps otherwise",
        ),
        Some("WHERE") => because(
            "it finds places in what is known at run time alone, so that its result has no fixed shape",
            "select values by a condition instead: `tf.where(condition, a, b)`",
        ),
        Some("DENSIFY") => because("sparse weights are not supported", "convert the model without sparsity"),
        Some(_) => because(
            "this operator is not supported",
            "compute it with operators that are (`OPERATORS.md`), or in code before or after the network",
        ),
    }
}
