//! Most bytes that live at once, by order.

use planner_core::options::Order;
use planner_core::plan::Plan;
use planner_core::schedule;

/// The peak of every order, with its name.
pub(crate) fn peaks(plan: &Plan) -> Vec<(&'static str, usize)> {
    let Plan { program, options, scheduled, .. } = plan;
    let peak = |order| {
        let known = scheduled.iter().find(|(kind, _)| *kind == order);
        let peak = |steps: &[usize]| schedule::peak(program, options, steps);
        known.map_or_else(|| peak(&schedule::schedule(program, options, order)), |(_, steps)| peak(steps))
    };
    let orders = Order::ALL.into_iter().filter(|(_, order)| *order != Order::Auto);
    orders.map(|(name, order)| (name, peak(order))).collect()
}

/// The same as a line for people.
pub(crate) fn line(plan: &Plan) -> String {
    let peaks: Vec<String> = peaks(plan).iter().map(|(name, peak)| format!("{name} {peak}")).collect();
    format!("peaks: {}", peaks.join(", "))
}
