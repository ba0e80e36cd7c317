//! Operators that keep state in variable tensors.

use super::activation::{Fusion, fuse};
use super::weights::is_hybrid;
use crate::diagnostic::{Diagnostics, Kind};
use crate::import::tflite::constant::{Bytes, Constant};
use crate::import::tflite::graph::Graph;
use crate::import::tflite::schema::options::{self, Activation};
use crate::import::tflite::schema::{ElementType, Operator, Quantization};
use crate::model::TensorId;
use crate::ops::AttrValue;

pub(super) fn svdf(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    const STATE: usize = 4;
    let options: options::Svdf = graph.options(op)?;
    let mut args = vec![graph.read(op, 0)?, graph.read(op, 1)?];
    let hybrid = is_hybrid(graph, &args);
    args.push(if hybrid { real(graph, op, 2)? } else { graph.read(op, 2)? });
    args.push(graph.kept(op, STATE)?);
    args.extend(graph.read_optional(op, 3)?);
    let asymmetric = AttrValue::Bool(hybrid && options.asymmetric);
    let mut attrs = vec![("rank", AttrValue::Int(options.rank.into())), ("asymmetric", asymmetric)];
    match fuse("svdf", options.activation) {
        Fusion::Inside(attr) => attrs.extend(attr),
        Fusion::After(act) => {
            return Err(graph.unsupported(format!("it ends in `{act}`, which is not supported here")).into());
        }
    }
    graph.emit_with_states(op, "svdf", &args, &attrs, &[(STATE, args[3])])
}

/// The parts of an LSTM that are not supported, and where their tensors stand.
const REFUSED: [(&str, std::ops::Range<usize>); 3] =
    [("peephole connections", 9..12), ("a projection", 16..18), ("layer normalisation", 20..24)];

/// The gates' weights become one tensor, and their biases another.
pub(super) fn lstm(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    const HIDDEN: usize = 18;
    const CELL: usize = 19;
    let options: options::SequenceLstm = graph.options(op)?;
    let present = |place: usize| op.inputs.get(place).copied().flatten().is_some();
    for (what, mut places) in REFUSED {
        if places.any(present) {
            return Err(graph.unsupported(format!("it has {what}, which is not supported")).into());
        }
    }
    if !present(1) || !present(5) {
        return Err(graph.unsupported("its input gate is that of its forget gate, which is not supported").into());
    }
    if options.diagonal {
        return Err(graph.unsupported("its recurrent weights are diagonal, which is not supported").into());
    }
    if options.activation != Activation::Tanh {
        let error = graph.unsupported("the activation of its cells is not supported");
        return Err(error.got(format!("{:?}", options.activation)).wanted("tanh").into());
    }
    let mut args = vec![graph.read(op, 0)?, gates(graph, op, 1)?, gates(graph, op, 5)?];
    let asymmetric = options.asymmetric && is_hybrid(graph, &args);
    args.extend([graph.kept(op, HIDDEN)?, graph.kept(op, CELL)?]);
    if (12..16).any(present) {
        args.push(gates(graph, op, 12)?);
    }
    let attrs = [
        ("cell_clip", AttrValue::Float(options.cell_clip)),
        ("time_major", AttrValue::Bool(options.time_major)),
        ("asymmetric", AttrValue::Bool(asymmetric)),
    ];
    let states = [(HIDDEN, args[3]), (CELL, args[4])];
    graph.emit_with_states(op, "lstm", &args, &attrs, &states)
}

/// The constants of the four gates from place `first` on as one parameter, a gate after the other.
fn gates(graph: &mut Graph<'_>, op: &Operator<'_>, first: usize) -> Result<TensorId, Diagnostics> {
    let (mut data, mut scales, mut of) = (Vec::new(), Vec::new(), None);
    for place in first..first + 4 {
        let index = op.inputs.get(place).copied().flatten();
        let (Some(constant), Some(index)) = (graph.constant(op, place)?, index) else {
            return Err(graph.unsupported(format!("its tensor at place {place} is no constant")).into());
        };
        let quantization = graph.subgraph.tensors[index].quantization.as_ref();
        if let Some(quantization) = quantization.filter(|_| constant.element == ElementType::I8) {
            let &[scale] = quantization.scales.as_slice() else {
                return Err(graph.unsupported("its weights have a scale for each cell").into());
            };
            if quantization.zero_points != [0] {
                return Err(graph.unsupported("its weights have a zero point other than 0").into());
            }
            scales.push(scale);
        }
        graph.charge(constant.data.len())?;
        data.extend_from_slice(&constant.data);
        let (element, dims, _) = of.get_or_insert((constant.element, constant.dims.clone(), index));
        if (*element, &*dims) != (constant.element, &constant.dims) {
            return Err(graph.error(Kind::ModelFile, "its gates differ in type").into());
        }
    }
    let Some((element, mut dims, index)) = of else { return Err(Diagnostics::default()) };
    dims.insert(0, 4);
    let constant = Constant { element, dims, data: Bytes::Computed(data.into()) };
    let quantization = Quantization { zero_points: vec![0; scales.len()], scales, axis: 0 };
    let quantization = Some(&quantization).filter(|quantization| !quantization.scales.is_empty());
    Ok(graph.replace(index, quantization, &constant)?)
}

/// The i8 constant at `place` as f32, which is what `TFLite` computes with.
fn real(graph: &mut Graph<'_>, op: &Operator<'_>, place: usize) -> Result<TensorId, Diagnostics> {
    let index = op.inputs.get(place).copied().flatten();
    let (Some(constant), Some(index)) = (graph.constant(op, place)?, index) else {
        return Err(graph.unsupported(format!("its tensor at place {place} is no constant")).into());
    };
    let quantization = graph.subgraph.tensors[index].quantization.as_ref();
    let scale = quantization.and_then(|quantization| quantization.scales.first().copied());
    let (Some(scale), ElementType::I8) = (scale, constant.element) else {
        return Err(graph.unsupported(format!("its tensor at place {place} is not quantised as i8")).into());
    };
    graph.charge(constant.data.len() * 4)?;
    let data = constant.data.iter().flat_map(|byte| (f32::from(byte.cast_signed()) * scale).to_le_bytes()).collect();
    let constant = Constant { element: ElementType::F32, data: Bytes::Computed(data), ..constant };
    Ok(graph.replace(index, None, &constant)?)
}
