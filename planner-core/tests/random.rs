//! Random programs under every order, layout and switch.

mod common;

use common::programs::{random_options, random_program};
use common::random::Random;
use common::{machine, move_buffer};
use planner_core::options::{Layout, Options, Order};
use planner_core::plan::{Buffer, Plan, plan};
use planner_core::planned::Place;
use planner_core::verify;

/// How many random programs are tried.
const PROGRAMS: u64 = 500;
/// Most steps in a program.
const STEPS: usize = 14;

#[test]
fn every_plan_is_right() {
    for seed in 0..PROGRAMS {
        let program = random_program(seed, STEPS);
        for options in random_options(&mut Random::new(seed)) {
            let context = format!("seed {seed}, {options:?}");
            let plan = plan(program.clone(), &options).unwrap_or_else(|found| panic!("{context}: {found}"));
            machine::run(&plan, &machine::values(&plan, 0))
                .unwrap_or_else(|what| panic!("{context}: {what}\n{plan:#?}"));
            let (lower, classic, arena) = (plan.lower_bound, plan.classic_bound, plan.arena_bytes);
            assert!(lower <= arena && lower <= classic, "{context}: {lower}, {classic}, {arena}");
            assert!(plan.arena_bytes <= plan.separate_bytes || options.layout != Layout::Auto, "{context}");
        }
    }
}

/// The outermost tensor that holds `tensor`.
fn holder(plan: &Plan, mut tensor: usize) -> usize {
    while let Some(outer) = plan.shares[tensor].inside {
        tensor = outer;
    }
    tensor
}

/// `new` begins where `old` ends, and what they have in common is written there by what has the bytes of
/// `new` over what has those of `old`.
fn replaces(plan: &Plan, new: usize, old: usize) -> bool {
    let bytes = |tensor: usize| match plan.places[tensor] {
        Place::Arena { offset, .. } => offset..offset + plan.extent(tensor),
        _ => 0..0,
    };
    let (Some(begin), Some(end)) = (plan.lifetimes[new], plan.lifetimes[old]) else { return false };
    let common = bytes(new).start.max(bytes(old).start)..bytes(new).end.min(bytes(old).end);
    begin.first == end.last
        && plan.steps.get(end.last).into_iter().flat_map(|step| step.writes(&plan.program)).any(|writer| {
            let shares = plan.shares[writer.0];
            let under = shares.over.or(shares.ahead.map(|ahead| ahead.of)).map(|under| holder(plan, under));
            let written = bytes(writer.0);
            under == Some(holder(plan, old))
                && holder(plan, writer.0) == holder(plan, new)
                && written.start <= common.start
                && common.end <= written.end
        })
}

#[test]
fn what_overlaps_shares() {
    for seed in 0..PROGRAMS * 4 {
        let plan = plan(random_program(seed, STEPS), &Options::default()).unwrap();
        let slot = |tensor: usize| match (plan.places[tensor], plan.lifetimes[tensor]) {
            (Place::Arena { offset, .. }, Some(life)) => Some((offset, offset + plan.extent(tensor), life)),
            _ => None,
        };
        for a in 0..plan.places.len() {
            let Some((start, end, life)) = slot(a) else { continue };
            if let Some((outer_start, outer_end, _)) = plan.shares[a].inside.and_then(slot) {
                assert!(outer_start <= start && end <= outer_end, "seed {seed}: {a} leaves what it is inside");
            }
            for b in 0..a {
                let Some((other_start, other_end, other)) = slot(b) else { continue };
                let meet = life.first <= other.last && other.first <= life.last;
                if meet && start < other_end && other_start < end {
                    let same = holder(&plan, a) == holder(&plan, b);
                    let replaced = replaces(&plan, a, b) || replaces(&plan, b, a);
                    assert!(same || replaced, "seed {seed}: {a} and {b}");
                }
            }
        }
    }
}

#[test]
fn auto_is_the_best_of_all() {
    for seed in 0..PROGRAMS / 2 {
        let program = random_program(seed, STEPS);
        let bytes = |order, layout| {
            let options = Options { order, layout, ..Options::default() };
            plan(program.clone(), &options).unwrap_or_else(|found| panic!("seed {seed}: {found}")).arena_bytes
        };
        let best = bytes(Order::Auto, Layout::Auto);
        for (_, order) in Order::ALL {
            for (_, layout) in Layout::ALL {
                assert!(best <= bytes(order, layout), "seed {seed}: {order:?}, {layout:?}");
            }
        }
    }
}

#[test]
fn sharing_costs_nothing() {
    for seed in (0..PROGRAMS / 2).chain([1963]) {
        let program = random_program(seed, STEPS);
        for align in [None, Some(16)] {
            let bytes = |options| plan(program.clone(), &Options { align, ..options }).unwrap().arena_bytes;
            let best = bytes(Options::default());
            for (order, layout) in [(Order::Source, Layout::Separate), (Order::Optimal, Layout::Exact)] {
                let bare = Options { views: false, in_place: false, concat: false, ..Options::default() };
                assert!(
                    best <= bytes(Options { order, layout, ..bare }),
                    "seed {seed}, {align:?}: {order:?}, {layout:?}"
                );
            }
        }
    }
}

#[test]
fn overlap_costs_nothing() {
    let mut gains = 0;
    for seed in 0..PROGRAMS {
        let bytes = |overlap| {
            let options = Options { overlap, ..Options::default() };
            plan(random_program(seed, STEPS), &options).unwrap().arena_bytes
        };
        let [on, off] = [true, false].map(bytes);
        assert!(on <= off, "seed {seed}: {on} bytes with overlap, {off} without");
        gains += usize::from(on < off);
    }
    assert!(gains > 20, "overlap made only {gains} plans smaller");
}

#[test]
fn the_same_program_has_the_same_plan() {
    for seed in 0..PROGRAMS / 2 {
        let once = || format!("{:?}", plan(random_program(seed, STEPS), &Options::default()));
        assert_eq!(once(), once(), "seed {seed}");
    }
}

#[test]
fn verify_objects_exactly_where_bytes_are_lost() {
    let (mut broken_plans, mut whole_plans) = (0, 0);
    for seed in 0..PROGRAMS {
        let random = &mut Random::new(seed);
        let program = random_program(seed, STEPS);
        let options = random_options(random).swap_remove(random.below(18));
        let plan = plan(program, &options).unwrap_or_else(|found| panic!("seed {seed}: {found}"));
        let values: Vec<_> = (0..4).map(|salt| machine::values(&plan, salt)).collect();
        for _ in 0..20 {
            let mut broken = plan.clone();
            for _ in 0..random.range(1, 2) {
                let steps = broken.steps.len();
                if random.one_in(2) && steps > 1 {
                    broken.steps.swap(random.below(steps), random.below(steps));
                } else if !broken.buffers.is_empty() && broken.steps == plan.steps {
                    let buffer = random.below(broken.buffers.len());
                    let Buffer { size, align, .. } = broken.buffers[buffer];
                    let offset = random.below((broken.arena_bytes - size) / align + 1) * align;
                    move_buffer(&mut broken, buffer, offset);
                }
            }
            // Small tensors may hold the right bytes by chance.
            let loss = values.iter().find_map(|values| machine::run(&broken, values).err());
            let found = verify::bytes(&broken).err();
            assert_eq!(found.is_some(), loss.is_some(), "seed {seed}: {found:?}, {loss:?}\n{broken:#?}");
            if loss.is_some() { broken_plans += 1 } else { whole_plans += 1 }
        }
    }
    assert!(broken_plans > 1000 && whole_plans > 1000, "{broken_plans} broken, {whole_plans} whole");
}
