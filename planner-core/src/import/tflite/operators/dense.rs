//! Products of matrices.

use super::activation::{fused, fused_step};
use super::ints;
use super::weights::{check_sums, filtered, is_hybrid};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::dtype::DType;
use crate::import::tflite::constant::{Bytes, Constant};
use crate::import::tflite::graph::Graph;
use crate::import::tflite::schema::{ElementType, Operator, Quantization, options};
use crate::model::TensorId;
use crate::ops::AttrValue;
use crate::shape::Shape;

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
    let x = graph.read(op, 0)?;
    if matches!(graph.ty(x).dtype, DType::F32 | DType::I16)
        && let Some(weights) = graph.constant(op, 1)?.filter(|constant| constant.element == ElementType::I8)
    {
        return by_weights(graph, op, &options, x, &weights);
    }
    let args = [x, graph.read(op, 1)?];
    let attrs =
        [("transpose_a", AttrValue::Bool(options.adjoint_x)), ("transpose_b", AttrValue::Bool(options.adjoint_y))];
    graph.emit(op, "matmul", &args, &attrs)
}

/// Matrices times constant ones of i8, which is what `dense` does: a layer for each pair of matrices.
fn by_weights(
    graph: &mut Graph<'_>,
    op: &Operator<'_>,
    options: &options::BatchMatMul,
    x: TensorId,
    weights: &Constant<'_>,
) -> Result<(), Diagnostics> {
    let size = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    let mut dims = graph.ty(x).shape.to_vec();
    let rank = dims.len();
    let (of_weights, known) = (weights.dims.len().checked_sub(2), weights.data.len());
    let (Some(outer), true) = (of_weights, rank >= 2 && known > 0) else {
        return Err(graph.unsupported("its arguments are no matrices").into());
    };
    let mut args = vec![x];
    if options.adjoint_x {
        dims.swap(rank - 2, rank - 1);
        let mut perm: Vec<i64> = (0..rank).map(size).collect();
        perm.swap(rank - 2, rank - 1);
        args[0] = graph.step(op, "transpose", &args, &[("perm", ints(perm))], graph.ty(x).quant.clone())?;
    }
    let attrs = [("asymmetric", AttrValue::Bool(options.asymmetric && graph.ty(x).dtype == DType::F32))];
    let batches = [Shape::new(&dims[..rank - 2]).ok(), Shape::new(&weights.dims[..outer]).ok()];
    let [Some(of_x), Some(of_weights)] = batches else { return Err(Diagnostics::default()) };
    let Some(batch) = of_x.broadcast(&of_weights) else {
        return Err(graph.unsupported(format!("{of_x} and {of_weights} matrices do not broadcast")).into());
    };
    let columns = weights.dims[outer + usize::from(!options.adjoint_y)];
    let quant = graph.result_quant(op);
    let mut result: Vec<i64> = batch.iter().copied().map(size).collect();
    result.extend([size(dims[rank - 2]), size(columns)]);
    if of_weights.elements() == 1 {
        args.push(matrix(graph, op, options, weights, 0)?);
        if outer + 2 <= rank {
            return graph.emit(op, "dense", &args, &attrs);
        }
        let product = graph.step(op, "dense", &args, &attrs, quant)?;
        return graph.emit(op, "reshape", &[product], &[("shape", ints(result))]);
    }
    let [rows, inner] = [dims[rank - 2], dims[rank - 1]].map(size);
    let own = graph.ty(x).quant.clone();
    let flat = graph.step(op, "reshape", &args, &[("shape", ints([-1, rows, inner]))], own.clone())?;
    let mut products = Vec::new();
    for index in 0..batch.elements() {
        let cut = [("begin", ints([size(at(&batch, &of_x, index)), 0, 0])), ("size", ints([1, rows, inner]))];
        let part = graph.step(op, "slice", &[flat], &cut, own.clone())?;
        let matrix = matrix(graph, op, options, weights, at(&batch, &of_weights, index))?;
        products.push(graph.step(op, "dense", &[part, matrix], &attrs, quant.clone())?);
    }
    let all = graph.step(op, "concat", &products, &[("axis", ints([0]))], quant)?;
    graph.emit(op, "reshape", &[all], &[("shape", ints(result))])
}

/// Where in tensors of shape `part`, which broadcasts to `whole`, element `index` of `whole` comes from.
fn at(whole: &Shape, part: &Shape, index: usize) -> usize {
    let strides = part.strides();
    let missing = whole.rank() - part.rank();
    let axes = whole.strides().into_iter().zip(whole.iter()).skip(missing);
    let axes = axes.zip(part.iter().zip(strides));
    axes.map(|((step, size), (&own, stride))| if own == 1 { 0 } else { index / step % size * stride }).sum()
}

/// Matrix `index` of `weights` as those of a dense layer, a row for each column.
fn matrix(
    graph: &mut Graph<'_>,
    op: &Operator<'_>,
    options: &options::BatchMatMul,
    weights: &Constant<'_>,
    index: usize,
) -> Result<TensorId, Diagnostic> {
    let outer = weights.dims.len() - 2;
    let [first, second] = [weights.dims[outer], weights.dims[outer + 1]];
    let values = &weights.data[index * first * second..][..first * second];
    graph.charge(values.len())?;
    let (dims, data) = if options.adjoint_y {
        (vec![first, second], values.into())
    } else {
        (vec![second, first], (0..second).flat_map(|n| values.iter().skip(n).step_by(second).copied()).collect())
    };
    let place = op.inputs[1].unwrap_or_default();
    let mut quantization = graph.subgraph.tensors[place].quantization.clone();
    let axis = outer + usize::from(!options.adjoint_y);
    if let Some(Quantization { scales, axis: own, .. }) = &mut quantization
        && scales.len() > 1
    {
        if usize::try_from(*own) != Ok(axis) {
            return Err(
                graph.unsupported("its weights have a scale for each index of another dimension than its columns")
            );
        }
        *own = 0;
    }
    let constant = Constant { element: ElementType::I8, dims, data: Bytes::Computed(data) };
    graph.replace(place, quantization.as_ref(), &constant)
}
