//! Random programs under every order, layout and switch.

mod common;

use common::programs::{random_options, random_program};
use common::random::Random;
use common::{machine, move_buffer};
use planner_core::layout::verify;
use planner_core::plan::{Buffer, Layout, Options, Order, plan};

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
