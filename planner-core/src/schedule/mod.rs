//! The order of execution.
//!
//! `optimal` (dynamic programming over downward-closed sets of steps) will be a file here.

mod memory;
mod source;

use crate::plan::{Options, Order};
use crate::steps::Program;

/// The steps of `program` in `order`: a permutation in which every tensor is written before it is read.
///
/// [`Order::Auto`] is a choice between finished plans, so that here it means [`Order::Source`].
#[must_use]
pub fn schedule(program: &Program, options: &Options, order: Order) -> Vec<usize> {
    match order {
        Order::Source | Order::Auto => source::schedule(program),
        Order::Memory => memory::schedule(program, options),
    }
}
