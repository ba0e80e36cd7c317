//! Orders times layouts: the smallest arena wins.

use super::assemble::Candidate;
use super::watch::{Observer, Watch};
use super::{Plan, choose_sharing};
use crate::bounds;
use crate::diagnostic::{Diagnostic, Diagnostics, Kind};
use crate::layout::Problem;
use crate::layout::search::Progress;
use crate::options::{Effort, Layout, Options, Order};
use crate::planned::Rules;
use crate::schedule::{self, Optimal};
use crate::steps::{Program, Sharing};
use crate::uses::Uses;
use crate::verify::{Violation, verify};
use std::ops::ControlFlow;
use std::rc::Rc;
use std::slice;

/// The largest alignment that a plan may ask for.
pub const MAX_ALIGN: usize = 4096;

/// Most buffers of which everything is tried.
const FEW: usize = 64;

/// Steps of all orders together, but for the first, for which it is chosen what shares, in each group of orders.
const CHOICES: usize = 300;

/// The best plan of `program`, whatever the budget is; `observer` is told how far the search is, and it ends with the
/// best so far when it breaks.
///
/// # Errors
/// As for [`plan`](super::plan), but for the budget.
pub(super) fn best(program: Program, options: &Options, observer: &mut Observer<'_>) -> Result<Plan, Diagnostics> {
    if let Some(align) = options.align.filter(|align| !align.is_power_of_two() || *align > MAX_ALIGN) {
        let message = format!("the alignment is not a power of two up to {MAX_ALIGN}");
        return Err(Diagnostic::new(Kind::PlanOption, program.src, message).got(align.to_string()).into());
    }
    let options = &effective(options);
    let (best, scheduled) = Search::new(&program, options, observer).best();
    let src = program.src;
    let plan = finish(program, options, best).map(|plan| Plan { scheduled, ..plan });
    plan.map_err(|violation| {
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
    Search::new(program, &effective(options), &mut patient).best().0.placed.height.next_multiple_of(4)
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

/// An order with some sharing.
#[derive(Clone)]
struct Shared {
    order: Rc<Ordered>,
    candidate: Rc<Candidate>,
}

impl Shared {
    /// No layout of it needs less.
    fn bound(&self) -> usize {
        self.candidate.peak.bytes.max(self.order.lower_bound)
    }
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
    /// Nodes that are left for layouts, of which each gets half, once it is known how many there are.
    nodes: Option<u64>,
    /// The order of each kind that was asked for.
    scheduled: Vec<(Order, Vec<usize>)>,
}

impl<'a, 'o> Search<'a, 'o> {
    fn new(program: &'a Program, options: &'a Options, observer: &'o mut Observer<'o>) -> Self {
        Self { program, options, watch: Watch::new(observer), nodes: None, scheduled: Vec::new() }
    }

    /// The best plan, and the orders of each kind. Where more is allowed, a search may find less, so the best order is
    /// also tried without overlap.
    fn best(mut self) -> (Best, Vec<(Order, Vec<usize>)>) {
        let mut best = self.once();
        let scheduled = std::mem::take(&mut self.scheduled);
        let Options { overlap, layout, .. } = *self.options;
        if !overlap || layout != Layout::Auto || self.is_final(best.placed.height, &best.order) {
            return (best, scheduled);
        }
        let (found, kind, steps) = (best.placed.height, best.order.kind, best.order.steps.clone());
        let options = Options { overlap: false, ..self.options.clone() };
        let mut apart = Search { options: &options, ..self };
        let candidates = apart.candidates(vec![(kind, steps)]);
        apart.improve(&mut best, candidates);
        if best.placed.height < found {
            best.order = Rc::new(Ordered::new(self.program, self.options, kind, best.order.steps.clone()));
        }
        (best, scheduled)
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
                let candidates = self.candidates(vec![(Order::Optimal, steps)]);
                self.improve(&mut best, candidates);
            }
        }
        best
    }

    fn steps(&mut self, kind: Order) -> Vec<usize> {
        let steps = if kind == Order::Optimal {
            let watch = &mut self.watch;
            let found = schedule::optimal_observed(self.program, self.options, &mut |states| watch.states(states));
            self.ordered(&found);
            found.order
        } else {
            schedule::schedule(self.program, self.options, kind)
        };
        self.scheduled.push((kind, steps.clone()));
        steps
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
            Shared { order: Rc::new(order), candidate: Rc::new(all) }
        });
        let mut shared: Vec<Shared> = shared.collect();
        shared.sort_by_key(Shared::bound);
        shared
    }

    /// The best plan of `orders`, of which there is one.
    fn best_of(&mut self, orders: Vec<(Order, Vec<usize>)>) -> Best {
        let candidates = self.candidates(orders);
        let Shared { order, candidate } = candidates[0].clone();
        // Whatever is found is better.
        let offsets = candidate.problem.solve(Layout::Separate, self.options);
        let mut best =
            Best { order, candidate, placed: Placed { layout: Layout::Separate, offsets, height: usize::MAX } };
        self.improve(&mut best, candidates);
        best
    }

    /// Makes the best plan of `orders`, which share all, `best` if it is lower: with all sharing or, if that leaves
    /// something to gain, with less.
    fn improve(&mut self, best: &mut Best, mut orders: Vec<Shared>) {
        let (program, options) = (self.program, self.options);
        // Those that may come lowest first: not all are worth the work.
        orders.sort_by_key(|shared| shared.order.lower_bound);
        let mut candidates = Vec::new();
        let mut work = CHOICES;
        for shared in &orders {
            let Shared { order, candidate: all } = shared;
            if all.peak.bytes <= order.lower_bound {
                self.adopt(best, shared);
            } else {
                candidates.push(shared.clone());
            }
            if work > 0 && !self.is_final(best.placed.height, order) {
                work = work.saturating_sub(order.steps.len());
                let less = choose_sharing::improve(program, options, &order.steps, &order.uses, all);
                candidates.extend(less.map(|less| Shared { order: Rc::clone(order), candidate: Rc::new(less) }));
            }
        }
        candidates.sort_by_key(Shared::bound);
        for shared in &candidates {
            self.adopt(best, shared);
        }
        for Shared { order, .. } in &orders {
            for rules in choose_sharing::fewer(program, &order.uses) {
                if self.is_final(best.placed.height, order) {
                    break;
                }
                let candidate = Rc::new(self.sharing(order, &rules));
                self.adopt(best, &Shared { order: Rc::clone(order), candidate });
            }
        }
    }

    /// Makes `shared` the best plan if it can be placed below that.
    fn adopt(&mut self, best: &mut Best, shared: &Shared) {
        let Shared { order, candidate } = shared;
        let height = best.placed.height;
        if candidate.peak.bytes < height
            && !self.is_final(height, order)
            && let Some(placed) = self.place_below(height, shared)
        {
            *best = Best { order: Rc::clone(order), candidate: Rc::clone(candidate), placed };
        }
    }

    /// Nothing lower than `height` can be found in `order`, or nobody wants it.
    fn is_final(&self, height: usize, order: &Ordered) -> bool {
        height <= order.lower_bound || self.watch.is_stopped()
    }

    /// `order` with `rules` of sharing.
    fn sharing(&self, order: &Ordered, rules: &Rules) -> Candidate {
        Candidate::new(self.program, self.options, &order.steps, &order.uses, rules)
    }

    /// The lowest layout of `shared`, if that is below `height`. What may overlap is harder to search, so it is first
    /// searched as if nothing might.
    fn place_below(&mut self, height: usize, shared: &Shared) -> Option<Placed> {
        let Shared { order, candidate } = shared;
        let problem = &candidate.problem;
        if problem.overlaps.is_empty() || self.options.layout != Layout::Auto {
            return self.search(height, problem, shared.bound());
        }
        let apart = Problem { buffers: problem.buffers.clone(), overlaps: Vec::new() };
        let (least, least_apart) = (candidate.peak.bytes, apart.least());
        let bound_apart = least_apart.max(order.lower_bound);
        let placed = if least_apart < height { self.search(height, &apart, bound_apart) } else { None };
        let height = placed.as_ref().map_or(height, |placed| placed.height);
        let hopeless = least >= height || least == least_apart && problem.buffers.len() > FEW;
        if hopeless { placed } else { self.search(height, problem, shared.bound()).or(placed) }
    }

    /// The layout of `problem` with the least height, the first such, if that is below `height`; none is below `bound`.
    fn search(&mut self, mut height: usize, problem: &Problem, bound: usize) -> Option<Placed> {
        let layouts = match &self.options.layout {
            Layout::Auto => &Layout::SHARING[..],
            layout => slice::from_ref(layout),
        };
        let mut best = None;
        for &layout in layouts {
            if height <= bound || self.watch.is_stopped() {
                break;
            }
            if let Some(placed) = self.placed(height, problem, layout) {
                height = placed.height;
                best = Some(placed);
            }
        }
        best
    }

    /// The layout of `problem` by `layout` if that is below `height`.
    fn placed(&mut self, height: usize, problem: &Problem, layout: Layout) -> Option<Placed> {
        let buffers = problem.buffers.len().max(1) as u64;
        let most = self.options.effort.nodes(problem.buffers.len());
        let all = || if self.options.effort == Effort::Max { 4 * most } else { most + 200 * most / buffers };
        let left = self.nodes.get_or_insert_with(all);
        let share = most.min(left.div_ceil(2));
        let watch = &mut self.watch;
        let mut nodes = 0;
        let offsets = problem.solve_below(layout, self.options, height, share, &mut |progress| {
            nodes = progress.nodes;
            watch.part(progress.bytes, nodes)
        });
        *left = left.saturating_sub(nodes);
        let placed = offsets.map(|offsets| Placed { layout, height: problem.height(&offsets), offsets });
        watch.finished(placed.as_ref().map(|placed| placed.height), nodes);
        placed
    }
}
