//! Inputs of a network and what another program computed from them.

use crate::{Npz, NpzError};
use planner_core::dtype::DType;
use planner_core::model::{TensorId, TensorType};
use planner_core::steps::Program;

/// How far an f32 result may lie from its oracle's, relative to the largest.
pub const TOLERANCE: f64 = 1e-5;

/// The same where f32 is kept between runs: each passes its rounding on to the next. Of a small LSTM the oracle itself
/// ends 1.3e-5 from the result in f64.
const TOLERANCE_OF_STATES: f64 = 1e-4;

/// Inputs and outputs, by sample and place, as bytes.
///
/// Their names are `in{sample}_{place}` and `out{sample}_{place}`. A network with state sees the samples as one
/// sequence.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    /// What the network is given.
    pub inputs: Vec<Vec<Vec<u8>>>,
    /// What it should compute.
    pub outputs: Vec<Vec<Vec<u8>>>,
}

impl Samples {
    /// Every sample of `npz` for `program`.
    ///
    /// # Errors
    /// No sample, a missing array, or one of another type or shape.
    pub fn read(npz: &Npz, program: &Program) -> Result<Self, NpzError> {
        let inputs: Vec<TensorId> = program.inputs.iter().map(|input| input.tensor).collect();
        let outputs: Vec<TensorId> = program.outputs.iter().map(|output| output.tensor).collect();
        let mut samples = Self::default();
        for sample in 0.. {
            if npz.get(&format!("in{sample}_0")).is_none() && npz.get(&format!("out{sample}_0")).is_none() {
                break;
            }
            let side = |side: &str, tensors: &[TensorId]| -> Result<Vec<Vec<u8>>, NpzError> {
                let array = |(place, id): (usize, &TensorId)| {
                    let (name, tensor) = (format!("{side}{sample}_{place}"), program.tensor(*id));
                    npz.tensor(&name, &tensor.ty)?.ok_or(NpzError::Missing { name, tensor: tensor.name.clone() })
                };
                tensors.iter().enumerate().map(array).collect()
            };
            samples.inputs.push(side("in", &inputs)?);
            samples.outputs.push(side("out", &outputs)?);
        }
        if samples.inputs.is_empty() { Err(NpzError::NoSample) } else { Ok(samples) }
    }
}

impl Npz {
    /// The elements of the array `name`, which stands for a tensor of type `ty`; `None` if there is no such array.
    ///
    /// # Errors
    /// Another type or shape.
    pub fn tensor(&self, name: &str, ty: &TensorType) -> Result<Option<Vec<u8>>, NpzError> {
        let Some(array) = self.get(name) else { return Ok(None) };
        let bytes = array.convert(ty.dtype).filter(|bytes| bytes.len() == ty.bytes());
        let other = || NpzError::Type {
            name: name.to_owned(),
            got: array.to_string(),
            wanted: format!("{}{}", ty.dtype, ty.shape),
        };
        bytes.map(|bytes| Some(bytes.into_owned())).ok_or_else(other)
    }
}

/// How far the f32 results of `program` may lie from an oracle's, relative to the largest.
#[must_use]
pub fn tolerance(program: &Program) -> f64 {
    let kept = program.states.iter().any(|state| program.tensor(state.tensor).ty.dtype == DType::F32);
    if kept { TOLERANCE_OF_STATES } else { TOLERANCE }
}
