//! Orders times layouts: the smallest arena wins.

use super::assemble::Candidate;
use super::watch::{Observer, Watch};
use super::{Plan, budget, choose_sharing};
use crate::bounds;
use crate::diagnostic::{Diagnostic, Diagnostics, Kind};
use crate::layout::search::Progress;
use crate::options::{Effort, Layout, Options, Order};
use crate::planned::Rules;
use crate::schedule::{self, Optimal};
use crate::steps::{Program, Sharing};
use crate::uses::Uses;
use crate::verify::{Violation, verify};
use std::iter;
use std::ops::ControlFlow;
use std::rc::Rc;

/// The largest alignment that a plan may ask for.
pub const MAX_ALIGN: usize = 4096;

/// Plans `program`.
///
/// # Errors
/// [`Kind::Budget`] if the arena exceeds the budget, [`Kind::PlanOption`] for an alignment that is no
/// power of two or above [`MAX_ALIGN`], [`Kind::Internal`] if the plan fails its own verification.
pub fn plan(program: Program, options: &Options) -> Result<Plan, Diagnostics> {
    plan_observed(program, options, &mut |_| ControlFlow::Continue(()))
}

/// As [`plan`]; `observer` is told how far the search is, and it ends with the best so far when it breaks.
///
/// # Errors
/// As for [`plan`].
pub fn plan_observed(program: Program, options: &Options, observer: &mut Observer<'_>) -> Result<Plan, Diagnostics> {
    budget::check(unchecked(program, options, observer)?, options).map_err(Diagnostics::from)
}

/// As [`plan_observed`], whatever the budget is.
///
/// # Errors
/// As for [`plan`].
pub(super) fn unchecked(program: Program, options: &Options, observer: &mut Observer<'_>) -> Result<Plan, Diagnostics> {
    if let Some(align) = options.align.filter(|align| !align.is_power_of_two() || *align > MAX_ALIGN) {
        let message = format!("the alignment is not a power of two up to {MAX_ALIGN}");
        return Err(Diagnostic::new(Kind::PlanOption, program.src, message).got(align.to_string()).into());
    }
    let options = &effective(options);
    let best = Search { program: &program, options, watch: Watch::new(observer) }.best();
    let src = program.src;
    finish(program, options, best).map_err(|violation| {
        let message = format!("the plan failed its verification: {violation}");
        let help = "this is a defect of the planner, please report it; `layout = separate` may avoid it";
        Diagnostic::new(Kind::Internal, src, message).help(help).into()
    })
}

/// The plan with its bounds, if it passes its verification.
pub(super) fn finish(program: Program, options: &Options, best: Best) -> Result<Plan, Violation> {
    let Ordered { kind, steps: order, uses, lower_bound } = Rc::unwrap_or_clone(best.order);
    let apart = effective(&Options { layout: Layout::Separate, ..options.clone() });
    let apart_uses = Uses::new(&program, &apart, &order);
    let apart = Candidate::new(&program, &apart, &order, &apart_uses, &apart_uses.allowed).problem;
    let classic_bound = bounds::classic(&program, &order, &uses);
    let separate_bytes = apart.height(&apart.solve(Layout::Separate, options)).next_multiple_of(4);
    let chosen = Options { order: kind, layout: best.placed.layout, ..options.clone() };
    let plan = Rc::unwrap_or_clone(best.candidate).plan(program, chosen, &best.placed.offsets);
    let plan = Plan { order, classic_bound, lower_bound, separate_bytes, ..plan };
    verify(&plan).map(|()| plan)
}

/// The arena of the best plan of `program`.
pub(super) fn arena_bytes(program: &Program, options: &Options) -> usize {
    let mut patient = |_: &Progress| ControlFlow::Continue(());
    let search = Search { program, options: &effective(options), watch: Watch::new(&mut patient) };
    search.best().placed.height.next_multiple_of(4)
}

/// `options` with what [`Layout::Separate`] implies: a place that is used again would be reuse.
pub(super) fn effective(options: &Options) -> Options {
    let reuse = options.layout != Layout::Separate;
    Options { in_place: options.in_place && reuse, overlap: options.overlap && reuse, ..options.clone() }
}

/// An order of steps and what follows from it alone.
#[derive(Clone)]
pub(super) struct Ordered {
    pub(super) kind: Order,
    pub(super) steps: Vec<usize>,
    pub(super) uses: Uses,
    pub(super) lower_bound: usize,
}

impl Ordered {
    pub(super) fn new(program: &Program, options: &Options, kind: Order, steps: Vec<usize>) -> Self {
        let uses = Uses::new(program, options, &steps);
        let lower_bound = bounds::lower(program, &steps, &uses);
        Self { kind, steps, uses, lower_bound }
    }
}

/// The best that was found.
pub(super) struct Best {
    pub(super) order: Rc<Ordered>,
    pub(super) candidate: Rc<Candidate>,
    pub(super) placed: Placed,
}

/// An order with all sharing.
#[derive(Clone)]
struct Shared {
    order: Rc<Ordered>,
    all: Rc<Candidate>,
}

/// Offsets of a candidate's buffers.
pub(super) struct Placed {
    pub(super) layout: Layout,
    pub(super) offsets: Vec<usize>,
    pub(super) height: usize,
}

/// The search for a plan.
struct Search<'a, 'o> {
    program: &'a Program,
    options: &'a Options,
    watch: Watch<'o>,
}

impl Search<'_, '_> {
    /// The best plan. Where more is allowed, a search may find less, so its order is also tried without overlap.
    fn best(mut self) -> Best {
        let best = self.once();
        let Options { overlap, layout, .. } = *self.options;
        if !overlap || layout != Layout::Auto || self.is_final(best.placed.height, &best.order) {
            return best;
        }
        let (found, kind, steps) = (best.placed.height, best.order.kind, best.order.steps.clone());
        let options = Options { overlap: false, ..self.options.clone() };
        let mut apart = Search { program: self.program, options: &options, watch: self.watch };
        let orders = apart.candidates(vec![(kind, steps)]);
        let best = apart.improve(best, &orders);
        if best.placed.height == found {
            return best;
        }
        let order = Ordered::new(self.program, self.options, kind, best.order.steps.clone());
        Best { order: Rc::new(order), ..best }
    }

    /// The best plan of all orders that are asked for.
    fn once(&mut self) -> Best {
        if self.options.order != Order::Auto {
            let steps = self.steps(self.options.order);
            let best = self.best_of(vec![(self.options.order, steps)]);
            self.watch.bound(best.order.lower_bound);
            return best;
        }
        if self.options.effort == Effort::Max {
            // Of the longest search alone it is worth knowing from the start how far it can come.
            let fast = Options { effort: Effort::Fast, ..self.options.clone() };
            self.ordered(&schedule::optimal(self.program, &fast));
        }
        let mut orders: Vec<(Order, Vec<usize>)> = Vec::new();
        for kind in [Order::Source, Order::Memory, Order::Optimal] {
            let steps = self.steps(kind);
            if orders.iter().all(|(_, other)| *other != steps) {
                orders.push((kind, steps));
            }
        }
        let mut tried: Vec<Vec<usize>> = orders.iter().map(|(_, steps)| steps.clone()).collect();
        let mut best = self.best_of(orders);
        // What shares nothing has another peak, and may leave less to waste.
        let apart = Options { in_place: false, ..self.options.clone() };
        let bare = Options { views: false, concat: false, ..apart.clone() };
        let joins = |rule: &Sharing| matches!(rule, Sharing::View { .. } | Sharing::Into { .. });
        let joins = self.program.steps.iter().any(|step| step.sharing.iter().any(joins));
        // Where nothing is joined the two are one.
        for options in [bare, apart].iter().take(if joins { 2 } else { 1 }) {
            if self.watch.is_stopped() || self.watch.is_proved() {
                break;
            }
            let steps = schedule::low(self.program, options);
            if !tried.contains(&steps) {
                tried.push(steps.clone());
                let orders = self.candidates(vec![(Order::Optimal, steps)]);
                best = self.improve(best, &orders);
            }
        }
        best
    }

    fn steps(&mut self, kind: Order) -> Vec<usize> {
        if kind != Order::Optimal {
            return schedule::schedule(self.program, self.options, kind);
        }
        let watch = &mut self.watch;
        let found = schedule::optimal_observed(self.program, self.options, &mut |states| watch.states(states));
        self.ordered(&found);
        found.order
    }

    /// Tells of a search for an order.
    fn ordered(&mut self, found: &Optimal) {
        self.watch.order(found.states, found.arena_bound);
    }

    /// `orders` with all sharing, those of the lowest bounds first.
    fn candidates(&self, orders: Vec<(Order, Vec<usize>)>) -> Vec<Shared> {
        let shared = orders.into_iter().map(|(kind, steps)| {
            let order = Ordered::new(self.program, self.options, kind, steps);
            let all = self.sharing(&order, &order.uses.allowed);
            Shared { order: Rc::new(order), all: Rc::new(all) }
        });
        let mut shared: Vec<Shared> = shared.collect();
        shared.sort_by_key(|Shared { order, all }| all.problem.least().max(order.lower_bound));
        shared
    }

    /// The best plan of `orders`, of which there is one.
    fn best_of(&mut self, orders: Vec<(Order, Vec<usize>)>) -> Best {
        let orders = self.candidates(orders);
        let Shared { order, all } = orders[0].clone();
        let best = Best { placed: self.place(&all, &order), order, candidate: all };
        self.improve(best, &orders)
    }

    /// The best plan of `orders` if it is lower than `best`, which else it remains: with all sharing or, if that leaves
    /// something to gain, with less.
    fn improve(&mut self, mut best: Best, orders: &[Shared]) -> Best {
        for Shared { order, all } in orders {
            let height = best.placed.height;
            if !self.is_final(height, order)
                && !Rc::ptr_eq(all, &best.candidate)
                && let Some(placed) = self.place_below(height, all, order)
            {
                best = Best { order: Rc::clone(order), candidate: Rc::clone(all), placed };
            }
        }
        for Shared { order, all } in orders {
            if let Some((candidate, placed)) = self.less_sharing(order, all, best.placed.height) {
                best = Best { order: Rc::clone(order), candidate: Rc::new(candidate), placed };
            }
        }
        best
    }

    /// The best candidate that shares less than `all` and lies below `height`.
    fn less_sharing(&mut self, order: &Ordered, all: &Candidate, mut height: usize) -> Option<(Candidate, Placed)> {
        let (program, options, uses) = (self.program, self.options, &order.uses);
        let improved = || choose_sharing::improve(program, options, &order.steps, uses, all);
        let fewer = || choose_sharing::fewer(program, uses).into_iter();
        let fewer =
            iter::once_with(fewer).flatten().map(|rules| Candidate::new(program, options, &order.steps, uses, &rules));
        let mut others = iter::once_with(improved).flatten().chain(fewer);
        let mut best = None;
        while !self.is_final(height, order)
            && let Some(other) = others.next()
        {
            if let Some(placed) = self.place_below(height, &other, order) {
                height = placed.height;
                best = Some((other, placed));
            }
        }
        best
    }

    /// Nothing lower than `height` can be found in `order`, or nobody wants it.
    fn is_final(&self, height: usize, order: &Ordered) -> bool {
        height <= order.lower_bound || self.watch.is_stopped()
    }

    /// `order` with `rules` of sharing.
    fn sharing(&self, order: &Ordered, rules: &Rules) -> Candidate {
        Candidate::new(self.program, self.options, &order.steps, &order.uses, rules)
    }

    /// The layout of `candidate` with the least height if that is below `height`.
    fn place_below(&mut self, height: usize, candidate: &Candidate, order: &Ordered) -> Option<Placed> {
        let hopeless = candidate.problem.least() >= height;
        (!hopeless).then(|| self.place(candidate, order)).filter(|placed| placed.height < height)
    }

    /// The layout of `candidate` with the least height, the first such.
    fn place(&mut self, candidate: &Candidate, order: &Ordered) -> Placed {
        let (first, others) = match self.options.layout {
            Layout::Auto => (Layout::SHARING[0], &Layout::SHARING[1..]),
            layout => (layout, &[][..]),
        };
        let bound = candidate.problem.least().max(order.lower_bound);
        let mut best = self.placed(candidate, first);
        for &layout in others {
            if best.height <= bound || self.watch.is_stopped() {
                break;
            }
            let other = self.placed(candidate, layout);
            if other.height < best.height {
                best = other;
            }
        }
        best
    }

    fn placed(&mut self, candidate: &Candidate, layout: Layout) -> Placed {
        let watch = &mut self.watch;
        let mut nodes = 0;
        let offsets = candidate.problem.solve_observed(layout, self.options, &mut |progress| {
            nodes = progress.nodes;
            watch.part(progress.bytes, nodes)
        });
        let height = candidate.problem.height(&offsets);
        watch.finished(height, nodes);
        Placed { layout, offsets, height }
    }
}
