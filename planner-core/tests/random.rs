//! Random programs under every order, layout and switch.

mod common;

use common::machine;
use common::programs::{random_options, random_program};
use common::random::Random;
use planner_core::layout::verify::verify;
use planner_core::plan::{Layout, Options, Order, Plan, plan};

/// How many random programs are tried.
const PROGRAMS: u64 = 1_000;
/// Most steps in a program.
const STEPS: usize = 14;

#[test]
fn every_plan_is_right() {
    for seed in 0..PROGRAMS {
        let program = random_program(seed, STEPS);
        let values = machine::values(&program);
        for options in random_options(&mut Random::new(seed)) {
            let plan =
                plan(program.clone(), &options).unwrap_or_else(|found| panic!("seed {seed}, {options:?}: {found}"));
            machine::run(&plan, &values).unwrap_or_else(|what| panic!("seed {seed}, {options:?}: {what}\n{plan:#?}"));
            assert!(plan.arena_bytes >= plan.lower_bound, "seed {seed}, {options:?}");
            assert!(plan.lower_bound <= plan.classic_bound, "seed {seed}, {options:?}");
        }
    }
}
