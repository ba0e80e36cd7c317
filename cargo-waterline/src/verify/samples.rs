//! What the archives say the network takes and computes.

use super::Row;
use super::scratch::Computed;
use crate::Error;
use planner_core::import::FileResult;
use planner_core::model::{TensorId, TensorType};
use planner_core::plan::Plan;
use waterline_npz::{Difference, Npz};

/// Inputs and outputs, by sample and place, as bytes.
pub(super) struct Samples {
    pub(super) inputs: Vec<Vec<Vec<u8>>>,
    pub(super) outputs: Vec<Vec<Vec<u8>>>,
}

impl Samples {
    /// Every sample of `npz` for the network of `plan`.
    ///
    /// # Errors
    /// No samples, a missing array, or one of another type or shape.
    pub(super) fn read(npz: &Npz, plan: &Plan) -> Result<Self, Error> {
        let program = &plan.program;
        let inputs: Vec<TensorId> = program.inputs.iter().map(|input| input.tensor).collect();
        let outputs: Vec<TensorId> = program.outputs.iter().map(|output| output.tensor).collect();
        let mut samples = Self { inputs: Vec::new(), outputs: Vec::new() };
        for sample in 0.. {
            if npz.get(&format!("in{sample}_0")).is_none() && npz.get(&format!("out{sample}_0")).is_none() {
                break;
            }
            let side = |side: &str, tensors: &[TensorId]| -> Result<Vec<Vec<u8>>, Error> {
                let array = |(place, id): (usize, &TensorId)| {
                    let tensor = program.tensor(*id);
                    array(npz, &format!("{side}{sample}_{place}"), &tensor.ty)?
                        .ok_or_else(|| format!("there is no `{side}{sample}_{place}`, `{}`", tensor.name).into())
                };
                tensors.iter().enumerate().map(array).collect()
            };
            samples.inputs.push(side("in", &inputs)?);
            samples.outputs.push(side("out", &outputs)?);
        }
        if samples.inputs.is_empty() {
            return Err("there is no sample: wanted arrays `in0_0`, `out0_0`".into());
        }
        Ok(samples)
    }
}

/// The elements of the array `name`, which stands for a tensor of type `ty`.
fn array(npz: &Npz, name: &str, ty: &TensorType) -> Result<Option<Vec<u8>>, Error> {
    let Some(array) = npz.get(name) else { return Ok(None) };
    let bytes = array.convert(ty.dtype).filter(|bytes| bytes.len() == ty.bytes());
    match bytes {
        Some(bytes) => Ok(Some(bytes.into_owned())),
        None => Err(format!("`{name}` has another type\n  got: {array}\n  wanted: {}{}", ty.dtype, ty.shape).into()),
    }
}

/// The result of every operator of the file that is in `tensors` and that the network computed as a step.
pub(super) fn operators(
    plan: &Plan,
    tensors: &Npz,
    results: &[FileResult],
    computed: &Computed,
) -> Result<Vec<Row>, Error> {
    let mut rows = Vec::new();
    for result in results {
        let Some(name) = &result.name else { continue };
        let Some((_, got)) = computed.results.iter().find(|(computed, _)| computed == name) else { continue };
        let Some(tensor) = plan.program.tensors.iter().find(|tensor| tensor.name == *name) else { continue };
        let Some(wanted) = array(tensors, &format!("t{}", result.tensor), &tensor.ty)? else { continue };
        let difference = Difference::between(tensor.ty.dtype, got, &wanted);
        rows.push(Row { what: result.operator.clone(), name: name.clone(), difference });
    }
    if rows.is_empty() {
        return Err("it has no result of an operator: wanted arrays such as `t7`".into());
    }
    Ok(rows)
}
