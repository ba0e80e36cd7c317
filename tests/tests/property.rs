//! Random networks under every order and layout: proved, above the bound, and
//! bit-equal to the layout that shares nothing, run after run, whatever the arena held before.

use planner_core::infer::infer;
use planner_core::model::{Input, InputMode};
use planner_core::plan::{Layout, Options, Order, Plan, plan};
use planner_core::steps::{self, Program};
use waterline_tests::graphs::random_model;
use waterline_tests::interpreter::{Interpreter, Placement};
use waterline_tests::random::Random;

/// How many random networks are tried.
const NETWORKS: u64 = 2_000;
/// How often each is run, so that states matter.
const RUNS: usize = 3;
/// Most operators in a network.
const OPERATORS: usize = 14;

/// Every order with every layout; switches at random.
fn variants(random: &mut Random) -> Vec<Options> {
    let mut all = Vec::new();
    for (_, order) in Order::ALL {
        for (_, layout) in Layout::ALL {
            all.push(Options {
                order,
                layout,
                views: !random.one_in(4),
                in_place: !random.one_in(4),
                concat: !random.one_in(4),
                overlap: !random.one_in(4),
                align: random.pick(&[None, None, Some(4), Some(16)]),
                ..Options::default()
            });
        }
    }
    all
}

#[test]
fn every_plan_computes_the_same_bits() {
    for seed in 0..NETWORKS {
        let mut random = Random::new(seed);
        let model = random_model(seed, OPERATORS);
        let typed = infer(model).unwrap_or_else(|found| panic!("seed {seed}: {found}"));
        let program = steps::lower(&typed).unwrap_or_else(|found| panic!("seed {seed}: {found}"));
        let runs: Vec<Vec<Vec<u8>>> = (0..RUNS).map(|_| inputs(&program, &mut random)).collect();
        let interpreter = Interpreter::new(&program, &[]);
        let apart = Placement::apart(&program);
        let mut arena = apart.arena(0xAAAA_AAAA);
        interpreter.reset(&apart, &mut arena);
        let expected: Vec<_> = runs.iter().map(|inputs| interpreter.run(&apart, &mut arena, inputs)).collect();
        for options in variants(&mut random) {
            let plan = plan(program.clone(), &options).unwrap_or_else(|found| panic!("seed {seed}: {found}"));
            let context = format!("seed {seed}, {:?}, {:?}", options.order, options.layout);
            assert!(plan.arena_bytes >= plan.lower_bound, "{context}");
            check(&interpreter, &plan, &runs, &expected, &context);
        }
    }
}

/// Random bytes for every input.
fn inputs(program: &Program, random: &mut Random) -> Vec<Vec<u8>> {
    let mut bytes = |input: &Input| {
        let ty = &program.tensor(input.tensor).ty;
        if ty.dtype.bytes() == 1 {
            bytemuck::cast_slice(&random.i8s(ty.shape.elements())).to_vec()
        } else {
            bytemuck::cast_slice(&random.f32s(ty.shape.elements())).to_vec()
        }
    };
    program.inputs.iter().map(&mut bytes).collect()
}

/// Runs `plan` several times on a clean and a filled arena whose states are new, and then dirty.
fn check(interpreter: &Interpreter<'_>, plan: &Plan, runs: &[Vec<Vec<u8>>], expected: &[Vec<Vec<u8>>], context: &str) {
    let placement = Placement::planned(plan);
    for pattern in [0, 0xAAAA_AAAA] {
        let mut arena = placement.arena(pattern);
        interpreter.reset(&placement, &mut arena);
        for (run, (inputs, expected)) in runs.iter().zip(expected).enumerate() {
            let outputs = interpreter.run(&placement, &mut arena, inputs);
            assert_eq!(&outputs, expected, "{context}, run {run} on {pattern:#x}");
            for (input, bytes) in plan.program.inputs.iter().zip(inputs) {
                if input.mode == InputMode::Kept {
                    let kept = placement.bytes(&plan.program, input.tensor, &arena);
                    assert_eq!(&kept, bytes, "{context}: a kept input changed");
                }
            }
        }
    }
}
