//! Products of matrices.

use super::activation::{fused, fused_step};
use super::ints;
use super::weights::{check_sums, filtered, is_hybrid};
use crate::diagnostic::Diagnostics;
use crate::import::tflite::graph::Graph;
use crate::import::tflite::schema::Operator;
use crate::import::tflite::schema::options;
use crate::ops::AttrValue;

/// `dense` of an input that is flattened to rows as long as those of the weights.
pub(super) fn fully_connected(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let options: options::FullyConnected = graph.options(op)?;
    if options.shuffled_weights {
        return Err(graph.unsupported("its weights are shuffled").help("convert without `SHUFFLED4x16INT8`").into());
    }
    check_sums(graph, op, options.bias)?;
    let mut args = filtered(graph, op)?;
    let asymmetric = options.asymmetric && is_hybrid(graph, &args);
    let attrs = vec![("asymmetric", AttrValue::Bool(asymmetric))];
    let size = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    let (x, w) = (graph.ty(args[0]).shape.clone(), graph.ty(args[1]).shape.clone());
    let keep = options.keep_num_dims && x.rank() != 2;
    if let (&[outputs, inputs], true) = (&*w, x.rank() != 2 || w.get(1) != x.get(1)) {
        args[0] = graph.step(op, "reshape", &[args[0]], &[("shape", ints([-1, size(inputs)]))], None)?;
        if keep {
            let mut dims: Vec<i64> = x.iter().map(|&dim| size(dim)).collect();
            if let Some(last) = dims.last_mut() {
                *last = size(outputs);
            }
            let flat = fused_step(graph, op, "dense", &args, attrs, options.activation)?;
            return graph.emit(op, "reshape", &[flat], &[("shape", ints(dims))]);
        }
    }
    fused(graph, op, "dense", &args, attrs, options.activation)
}

pub(super) fn batch_matmul(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let options: options::BatchMatMul = graph.options(op)?;
    let args = [graph.read(op, 0)?, graph.read(op, 1)?];
    let attrs =
        [("transpose_a", AttrValue::Bool(options.adjoint_x)), ("transpose_b", AttrValue::Bool(options.adjoint_y))];
    graph.emit(op, "matmul", &args, &attrs)
}
