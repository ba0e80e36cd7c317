//! Orders times layouts: the smallest arena wins.

use super::assemble::Candidate;
use super::{Layout, Options, Order, Plan, budget, unshare};
use crate::bounds;
use crate::diagnostic::{Diagnostic, Diagnostics, Kind};
use crate::layout::verify::verify;
use crate::schedule::schedule;
use crate::steps::Program;
use crate::uses::Uses;

/// Plans `program`.
///
/// # Errors
/// [`Kind::Budget`] if the arena exceeds the budget, [`Kind::PlanOption`] for an alignment that is no
/// power of two, [`Kind::Internal`] if the plan fails its own verification.
pub fn plan(program: Program, options: &Options) -> Result<Plan, Diagnostics> {
    if let Some(align) = options.align.filter(|align| !align.is_power_of_two()) {
        let message = "the alignment is not a power of two";
        return Err(Diagnostic::new(Kind::PlanOption, program.src, message).got(align.to_string()).into());
    }
    let best = search(&program, options);
    let (order, uses) = (&best.order, &best.uses);
    let (classic_bound, lower_bound) = (bounds::classic(&program, options, order, uses), best.lower_bound);
    let chosen = Options { order: best.order_kind, layout: best.layout, ..options.clone() };
    let apart = Candidate::new(&program, &separate(options), order, uses, &[]).problem;
    let separate_bytes = apart.height(&apart.solve(Layout::Separate, &[])).next_multiple_of(4);
    let plan =
        Plan { classic_bound, lower_bound, separate_bytes, ..best.candidate.plan(program, chosen, &best.offsets) };
    if let Err(violation) = verify(&plan) {
        let message = format!("the plan failed its verification: {violation}");
        let help = "this is a defect of the planner, please report it; `layout = separate` may avoid it";
        return Err(Diagnostic::new(Kind::Internal, plan.program.src, message).help(help).into());
    }
    budget::check(plan, options).map_err(Diagnostics::from)
}

/// The arena of the best plan of `program`.
pub(super) fn arena_bytes(program: &Program, options: &Options) -> usize {
    search(program, options).height.next_multiple_of(4)
}

/// The options by which nothing that is dead is reused.
fn separate(options: &Options) -> Options {
    Options { in_place: false, ..options.clone() }
}

/// The best candidate so far.
struct Best {
    order_kind: Order,
    layout: Layout,
    order: Vec<usize>,
    uses: Uses,
    lower_bound: usize,
    candidate: Candidate,
    offsets: Vec<usize>,
    height: usize,
}

fn search(program: &Program, options: &Options) -> Best {
    let options = if options.layout == Layout::Separate { &separate(options) } else { options };
    let orders: &[Order] = match options.order {
        Order::Auto => &[Order::Source, Order::Memory],
        Order::Source => &[Order::Source],
        Order::Memory => &[Order::Memory],
    };
    let layouts: &[Layout] = match &options.layout {
        Layout::Auto => &Layout::SHARING,
        layout => std::slice::from_ref(layout),
    };
    let mut best: Option<Best> = None;
    for &order_kind in orders {
        let order = schedule(program, options, order_kind);
        let uses = Uses::new(program, &order);
        let lower_bound = bounds::lower(program, options, &order, &uses);
        let mut enough = |candidate: Candidate| {
            for &layout in layouts {
                let offsets = candidate.problem.solve(layout, &options.size_classes);
                let height = candidate.problem.height(&offsets);
                if best.as_ref().is_none_or(|best| height < best.height) {
                    let (order, uses, candidate) = (order.clone(), uses.clone(), candidate.clone());
                    best = Some(Best { order_kind, layout, order, uses, lower_bound, candidate, offsets, height });
                }
                if height <= lower_bound {
                    break;
                }
            }
            best.as_ref().is_some_and(|best| best.height <= lower_bound)
        };
        let candidate = Candidate::new(program, options, &order, &uses, &[]);
        if !enough(candidate.clone()) {
            if let Some(better) = unshare::improve(program, options, &order, &uses, candidate) {
                enough(better);
            }
        }
    }
    best.expect("there is an order and a layout")
}
