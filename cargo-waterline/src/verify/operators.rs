//! What an archive says each operator computes.

use super::Row;
use super::scratch::Computed;
use crate::Error;
use planner_core::import::FileResult;
use planner_core::model::TensorId;
use planner_core::plan::Plan;
use waterline_npz::{Difference, Npz};

/// The result of every operator of the file that is in `tensors` and that the network computed as a step. Channels that
/// were removed as constant are held to their constants; those that nothing reads are passed over.
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
        let Some(tensor) = plan.program.tensors.iter().position(|tensor| tensor.name == *name) else { continue };
        let ty = &plan.program.tensor(TensorId(tensor)).ty;
        let reduced = plan.program.reduced.iter().find(|reduced| reduced.tensor.0 == tensor);
        let whole = reduced.map_or_else(|| ty.clone(), |reduced| reduced.whole(ty));
        let Some(wanted) = tensors.tensor(&format!("t{}", result.tensor), &whole)? else { continue };
        let got = reduced.map(|reduced| reduced.restored(ty.dtype.bytes(), got, &wanted)).unwrap_or(got.clone());
        let difference = Difference::between(ty.dtype, &got, &wanted);
        let channels = reduced.map(|reduced| reduced.channels.clone()).unwrap_or_default();
        rows.push(Row { what: result.operator.clone(), name: name.clone(), channels, difference });
    }
    if rows.is_empty() {
        return Err("it has no result of an operator: wanted arrays such as `t7`".into());
    }
    Ok(rows)
}
