//! The plan as a table of events, in order.

use crate::planned::{Lifetime, Place, PlannedStep};
use crate::steps::Program;

/// What happens to a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// Its bytes become its own.
    Alloc,
    /// A step writes it.
    Exec,
    /// Its bytes are free again.
    Free,
}

/// One row of the event table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// What happens.
    pub kind: EventKind,
    /// To which tensor.
    pub tensor: usize,
    /// In which buffer.
    pub buffer: usize,
    /// At which step, by index into [`Plan::steps`](crate::planned::Plan::steps).
    pub step: usize,
}

/// The events of `steps`: at each step what is allocated, what is written, what is freed.
#[must_use]
pub fn events(
    program: &Program,
    steps: &[PlannedStep],
    places: &[Place],
    lifetimes: &[Option<Lifetime>],
) -> Vec<Event> {
    let mut born = vec![Vec::new(); steps.len()];
    let mut dead = vec![Vec::new(); steps.len()];
    let buffer = |tensor: usize| match places[tensor] {
        Place::Arena { buffer, .. } => Some(buffer),
        _ => None,
    };
    for (tensor, life) in lifetimes.iter().enumerate() {
        if let Some(life) = life.filter(|life| life.last < steps.len()) {
            born[life.first].push(tensor);
            dead[life.last].push(tensor);
        }
    }
    let mut events = Vec::with_capacity(3 * lifetimes.len());
    for (step, planned) in steps.iter().enumerate() {
        let written: Vec<usize> = planned.writes(program).map(|result| result.0).collect();
        for (kind, tensors) in
            [(EventKind::Alloc, &born[step]), (EventKind::Exec, &written), (EventKind::Free, &dead[step])]
        {
            let rows = tensors.iter().filter_map(|&tensor| Some((tensor, buffer(tensor)?)));
            events.extend(rows.map(|(tensor, buffer)| Event { kind, tensor, buffer, step }));
        }
    }
    events
}
