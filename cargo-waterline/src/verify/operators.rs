//! What an archive says each operator computes.

use super::Row;
use super::scratch::Computed;
use crate::Error;
use planner_core::import::FileResult;
use planner_core::plan::Plan;
use waterline_npz::{Difference, Npz};

/// The result of every operator of the file that is in `tensors` and that the network computed as a step.
pub(super) fn compared(
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
        let Some(wanted) = tensors.tensor(&format!("t{}", result.tensor), &tensor.ty)? else { continue };
        let difference = Difference::between(tensor.ty.dtype, got, &wanted);
        rows.push(Row { what: result.operator.clone(), name: name.clone(), difference });
    }
    if rows.is_empty() {
        return Err("it has no result of an operator: wanted arrays such as `t7`".into());
    }
    Ok(rows)
}
