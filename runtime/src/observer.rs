//! Looking at a run step by step.

use crate::{Plan, Step};

/// Is shown the arena before the first step of a run and after every step.
///
/// `arena` is all of the network's arena; [`plan::Tensor::values`](crate::plan::Tensor::values)
/// finds a tensor in it. It may be written, to try what a network does with other numbers.
///
/// Closures observe steps:
///
/// ```
/// # waterline::graph! { mod net { input x: f32[4]; output y = relu(x); } }
/// # let mut arena = net::Arena::new();
/// use waterline::{Plan, Step};
/// let mut names = Vec::new();
/// arena.frame().run_with(&mut |plan: &'static Plan, step: &'static Step, arena: &mut [u8]| {
///     let results: Vec<_> = step.results(plan).map(|tensor| tensor.values(arena)).collect();
///     names.push((step.name, results.len()));
/// });
/// assert_eq!(names, [("y", 1)]);
/// ```
pub trait Observer {
    /// The inputs are filled, nothing is computed.
    fn start(&mut self, plan: &'static Plan, arena: &mut [u8]) {
        let _ = (plan, arena);
    }

    /// `step` is done.
    fn after_step(&mut self, plan: &'static Plan, step: &'static Step, arena: &mut [u8]);
}

impl<F: FnMut(&'static Plan, &'static Step, &mut [u8])> Observer for F {
    fn after_step(&mut self, plan: &'static Plan, step: &'static Step, arena: &mut [u8]) {
        self(plan, step, arena);
    }
}

/// Observes nothing.
impl Observer for () {
    fn after_step(&mut self, _: &'static Plan, _: &'static Step, _: &mut [u8]) {}
}
