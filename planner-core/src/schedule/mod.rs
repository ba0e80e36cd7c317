//! The order of execution.

mod beam;
mod best_first;
mod cut;
mod memory;
mod open;
mod optimal;
mod part;
mod seen;
mod source;
mod values;
mod waits;

pub use optimal::{Optimal, optimal};
pub(crate) use optimal::{low, optimal_observed};

use crate::options::{Options, Order};
use crate::steps::Program;
use std::ops::ControlFlow;

/// Told how many sets of finished steps were looked at; ends the search with what is known.
type Observer<'a> = dyn FnMut(u64) -> ControlFlow<()> + 'a;

/// The steps of `program` in `order`: a permutation in which every tensor is written before it is read.
///
/// [`Order::Auto`] is a choice between finished plans, so that here it means [`Order::Source`].
#[must_use]
pub fn schedule(program: &Program, options: &Options, order: Order) -> Vec<usize> {
    match order {
        Order::Source | Order::Auto => source::schedule(program),
        Order::Memory => memory::schedule(program, options),
        Order::Optimal => optimal(program, options).order,
    }
}

/// Most bytes that live at once when the steps run in `order`, under the sharing rules that `options` allow: a step's
/// arguments, results and scratch with all that is read later, what may be in place counted once.
///
/// A layout may need more, for alignment, gaps between buffers, and storages that live as one.
#[must_use]
pub fn peak(program: &Program, options: &Options, order: &[usize]) -> usize {
    values::Values::new(program, options).peak(order)
}
