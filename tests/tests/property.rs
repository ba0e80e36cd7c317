//! Random networks under every order and layout, with every other option at random, for every machine, found anew or
//! from a lock: proved, above the bound, and bit-equal to the layout that shares nothing, run after run, whatever the
//! arena held before.

use planner_core::arch::Arch;
use planner_core::diagnostic::Kind;
use planner_core::infer::infer;
use planner_core::model::{Input, InputMode};
use planner_core::options::{Effort, Layout, Options, Order, Prefer};
use planner_core::plan::lock::{Lock, LockedPlan};
use planner_core::plan::{Plan, plan};
use planner_core::source::Src;
use planner_core::steps::{self, Program, Step};
use planner_core::variants::Choice;
use waterline_tests::graphs::random_model;
use waterline_tests::interpreter::{Interpreter, Placement};
use waterline_tests::random::Random;

/// How many random networks are tried.
const NETWORKS: u64 = 2_000;
/// How often each is run, so that states matter.
const RUNS: usize = 3;
/// Most operators in a network.
const OPERATORS: usize = 14;

/// Every order with every layout; all else at random.
fn variants(random: &mut Random) -> Vec<Options> {
    let mut all = Vec::new();
    for (_, order) in Order::ALL {
        for (_, layout) in Layout::ALL {
            all.push(Options {
                budget: random.one_in(8).then(|| (random.size(0, 2_000), Src(0))),
                order,
                layout,
                align: random.pick(&[None, None, Some(4), Some(16)]),
                alpha: random.pick(&[0.7, 0.0, 2.0]),
                beta: random.pick(&[0.3, 0.0, 2.0]),
                views: !random.one_in(4),
                in_place: !random.one_in(4),
                concat: !random.one_in(4),
                overlap: !random.one_in(4),
                // A pass before planning.
                elimination: true,
                size_classes: if random.one_in(2) { Vec::new() } else { vec![8, 100, 256] },
                effort: random.pick(&[Effort::Fast, Effort::Default]),
                // Kernels are at random.
                prefer: Prefer::Size,
            });
        }
    }
    all
}

#[test]
fn every_plan_computes_the_same_bits() {
    let (mut refused, mut chosen) = (0, 0);
    for seed in 0..NETWORKS {
        let mut random = Random::new(seed);
        let model = random_model(seed, OPERATORS);
        let typed = infer(model).unwrap_or_else(|found| panic!("seed {seed}: {found}"));
        let mut lowered = |arch| {
            let usual = steps::lower_for(&typed, arch).unwrap_or_else(|found| panic!("seed {seed}: {found}"));
            let choice = random_choice(&usual, &mut random);
            chosen += choice.len();
            steps::lower_with(&typed, arch, &choice).unwrap_or_else(|found| panic!("seed {seed}: {found}"))
        };
        let programs = Arch::ALL.map(&mut lowered);
        let interpreters: Vec<Interpreter<'_>> =
            programs.iter().map(|program| Interpreter::new(program, &[])).collect();
        let runs: Vec<Vec<Vec<u8>>> = (0..RUNS).map(|_| inputs(&programs[0], &mut random)).collect();
        let apart = Placement::apart(&programs[0]);
        let mut arena = apart.arena(0xAAAA_AAAA);
        interpreters[0].reset(&apart, &mut arena);
        let expected: Vec<_> = runs.iter().map(|inputs| interpreters[0].run(&apart, &mut arena, inputs)).collect();
        for options in variants(&mut random) {
            let machine = random.size(0, Arch::ALL.len() - 1);
            let (program, arch) = (&programs[machine], Arch::ALL[machine]);
            let context = format!("seed {seed}, {}, {options:?}", arch.name());
            let mut plan = match plan(program.clone(), &options) {
                Ok(plan) => plan,
                Err(found) => {
                    let budget = options.budget.is_some() && found.0.iter().all(|one| one.kind == Kind::Budget);
                    assert!(budget, "{context}: {found}");
                    refused += 1;
                    continue;
                }
            };
            assert!(plan.arena_bytes >= plan.lower_bound, "{context}");
            assert!(options.budget.is_none_or(|(budget, _)| plan.arena_bytes <= budget), "{context}");
            if random.one_in(4) {
                plan = locked(&plan, program, &options, arch, &context);
            }
            check(&interpreters[machine], &plan, &runs, &expected, &context);
        }
    }
    assert!(refused > 100, "only {refused} budgets were too small");
    assert!(chosen > 100, "only {chosen} steps had other kernels");
}

/// For some of the steps of `program` that could have several kernels, any of them.
fn random_choice(program: &Program, random: &mut Random) -> Choice {
    let steps = program.steps.iter().filter(|step| !step.variants.all.is_empty());
    let mut any = |step: &Step| {
        let variant = random.size(0, step.variants.all.len() - 1);
        (variant > 0).then(|| (step.name.clone(), step.variants.all[variant].name.to_owned()))
    };
    steps.filter_map(&mut any).collect()
}

/// `plan` from the text of its lock.
fn locked(plan: &Plan, program: &Program, options: &Options, arch: Arch, context: &str) -> Plan {
    let mut lock = Lock::new(&program.name);
    lock.insert(LockedPlan::new(plan, &[arch]));
    let lock = Lock::read(lock.to_string().as_bytes()).unwrap_or_else(|error| panic!("{context}: {error}"));
    let variants = |step: &Step| Some((step.name.clone(), step.variants.unusual()?.to_owned()));
    assert_eq!(lock.kernels(arch), program.steps.iter().filter_map(variants).collect(), "{context}");
    let again = lock.plan(program.clone(), options, arch);
    let again = again.unwrap_or_else(|error| panic!("{context}: {error}"));
    assert_eq!((again.arena_bytes, &again.places), (plan.arena_bytes, &plan.places), "{context}");
    again
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
