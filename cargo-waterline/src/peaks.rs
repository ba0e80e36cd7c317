//! Most bytes that live at once, by order.

use planner_core::options::{Options, Order};
use planner_core::schedule;
use planner_core::steps::Program;

/// The peak of every order, with its name.
pub(crate) fn peaks(program: &Program, options: &Options) -> Vec<(&'static str, usize)> {
    let orders = Order::ALL.into_iter().filter(|(_, order)| *order != Order::Auto);
    let peak = |order| schedule::peak(program, options, &schedule::schedule(program, options, order));
    orders.map(|(name, order)| (name, peak(order))).collect()
}

/// The same as a line for people.
pub(crate) fn line(program: &Program, options: &Options) -> String {
    let peaks: Vec<String> = peaks(program, options).iter().map(|(name, peak)| format!("{name} {peak}")).collect();
    format!("peaks: {}", peaks.join(", "))
}
