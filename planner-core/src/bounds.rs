//! What memory an order of steps needs, whatever the layout.

use crate::plan::Options;
use crate::steps::{Program, Sharing};
use crate::uses::Uses;

/// Most bytes live at once when every tensor has a buffer of its own; only a reshape is its argument.
#[must_use]
pub fn classic(program: &Program, options: &Options, order: &[usize], uses: &Uses) -> usize {
    let mut of: Vec<usize> = (0..program.tensors.len()).collect();
    let bytes = |tensor: usize| program.tensors[tensor].ty.bytes();
    let mut born: Vec<Option<usize>> =
        uses.roles.iter().map(|role| (role.input || role.kept_output).then_some(0)).collect();
    for (position, &index) in order.iter().enumerate() {
        let step = &program.steps[index];
        for &rule in &step.sharing {
            if let Sharing::View { result, arg, .. } = rule {
                let (view, whole) = (step.writes[result].0, step.reads[arg].0);
                if uses.allows(program, options, step, rule) && bytes(view) == bytes(whole) {
                    of[view] = of[whole];
                }
            }
        }
        for result in &step.writes {
            born[result.0].get_or_insert(position);
        }
    }
    let end = order.len().saturating_sub(1);
    let mut died = born.clone();
    for tensor in 0..of.len() {
        let last = if uses.roles[tensor].survives() { Some(end) } else { uses.last_read[tensor] };
        let whole = of[tensor];
        died[whole] = died[whole].max(last).max(born[tensor].filter(|_| born[whole].is_some()));
    }
    let mut live = vec![0; order.len() + 1];
    let mut dead = vec![0; order.len() + 1];
    for tensor in (0..of.len()).filter(|&tensor| of[tensor] == tensor) {
        if let (Some(first), Some(last)) = (born[tensor], died[tensor]) {
            live[first] += bytes(tensor);
            dead[last + 1] += bytes(tensor);
        }
    }
    let mut sum = 0;
    let mut peak = 0;
    for position in 0..=end {
        sum += live[position];
        sum -= dead[position];
        let scratch = order.get(position).and_then(|&step| program.steps[step].scratch);
        peak = peak.max(sum + scratch.map_or(0, |scratch| scratch.bytes));
    }
    peak
}

/// No plan of this order can need less.
#[must_use]
pub fn lower(_program: &Program, _options: &Options, _order: &[usize], _uses: &Uses) -> usize {
    0
}
