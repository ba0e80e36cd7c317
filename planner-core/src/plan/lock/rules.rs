//! Rules of sharing by the names of their tensors.

use crate::distances::{Direction, Distances};
use crate::planned::Rules;
use crate::steps::{Program, Sharing, Step};

/// The rules of `applied`, sorted.
pub(super) fn applied(program: &Program, applied: &Rules) -> Vec<String> {
    let steps = program.steps.iter().zip(applied);
    let rules = steps.flat_map(|(step, applied)| step.sharing.iter().zip(applied).map(move |rule| (step, rule)));
    let rules = rules.filter(|(_, (_, applied))| **applied);
    let mut rules: Vec<String> = rules.map(|(step, (rule, _))| text(program, step, *rule)).collect();
    rules.sort();
    rules
}

/// `result over argument`, and how.
pub(super) fn text(program: &Program, step: &Step, rule: Sharing) -> String {
    let read = |arg: usize| &program.tensor(step.reads[arg]).name;
    let written = |result: usize| &program.tensor(step.writes[result]).name;
    match rule {
        Sharing::View { result, arg, offset } => format!("{} of {} at {offset}", written(result), read(arg)),
        Sharing::Into { arg, result, offset, spread: None } => {
            format!("{} into {} at {offset}", read(arg), written(result))
        }
        Sharing::Into { arg, result, offset, spread: Some(spread) } => {
            let (run, stride) = (spread.run, spread.stride);
            format!("{} into {} at {offset}, {run} of each {stride}", read(arg), written(result))
        }
        Sharing::Update { arg, result } => format!("{} becomes {}", read(arg), written(result)),
        Sharing::Overlap { arg, result, direction, distances: Distances { from, multiple, any } } => {
            let side = match direction {
                Direction::Forward => "below",
                Direction::Backward => "above",
            };
            format!("{} {side} {} by {from} in steps of {multiple}, or {any}", written(result), read(arg))
        }
        Sharing::InPlace { arg, result } => format!("{} over {}", written(result), read(arg)),
    }
}
