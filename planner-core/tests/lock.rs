//! Locked plans: written, read, and made again; stale ones, damaged ones.

mod common;

use common::programs::{random_options, random_program};
use common::random::Random;
use planner_core::arch::Arch;
use planner_core::dtype::DType;
use planner_core::import::graph;
use planner_core::ops::AttrValue;
use planner_core::options::{Effort, Layout, Options, Order};
use planner_core::plan::lock::{Lock, LockError, LockedPlan};
use planner_core::plan::{Plan, plan, plan_observed};
use planner_core::steps::{Program, Scratch};
use planner_core::verify::verify;
use std::ops::ControlFlow;

/// `net` as the default plan has it.
fn locked(program: &Program, options: &Options) -> (Plan, Lock) {
    let plan = plan(program.clone(), options).unwrap();
    let lock = lock_of(&plan, &[Arch::Portable]);
    (plan, lock)
}

fn lock_of(plan: &Plan, machines: &[Arch]) -> Lock {
    let mut lock = Lock::new(&plan.program.name);
    lock.insert(LockedPlan::new(plan, machines));
    lock
}

/// The plan of `program` that `lock` holds.
fn held(lock: &Lock, program: Program, options: &Options) -> Result<Plan, LockError> {
    lock.plan(program, options, Arch::Portable)
}

/// Two parts into a concat, a chain in place, scratch.
fn program() -> Program {
    let mut program = graph::read(
        "image I 40 - 0
         conv N 80 - 1 image
         relu P 80 - 1 conv
         flat V 80 - 1 relu
         pool N 20 - 1 relu
         both N 100 - 2 flat pool
         class N 12 o 1 both",
    )
    .unwrap();
    program.steps[3].scratch = Some(Scratch { bytes: 24, dtype: DType::I32 });
    program
}

/// The text of a lock with `from` replaced by `to`, once.
fn edited(lock: &Lock, from: &str, to: &str) -> Result<Lock, LockError> {
    let text = lock.to_string();
    assert!(text.contains(from), "{from} is not in {text}");
    Lock::read(text.replacen(from, to, 1).as_bytes())
}

/// What a lock with `from` replaced by `to` is refused for.
fn refused(from: &str, to: &str) -> String {
    let options = Options::default();
    let (_, lock) = locked(&program(), &options);
    let plan = edited(&lock, from, to).and_then(|lock| held(&lock, program(), &options));
    plan.map_or_else(|error| error.to_string(), |plan| format!("accepted: {} bytes", plan.arena_bytes))
}

#[test]
fn a_lock_is_text_for_people() {
    let (_, lock) = locked(&program(), &Options::default());
    let hash = format!("{:016x}", lock.plans[0].hash);
    let text = lock.to_string().replace(&hash, "HASH");
    assert_eq!(
        text,
        "waterline lock 1
network graph

machines portable
hash HASH
order source
layout greedy_by_size
arena 200
step conv
step relu
step flat
step pool
step both
step class
share flat of relu at 0
share relu over conv
buffer both 0 100
buffer class 100 12
buffer conv 100 80
buffer image 0 40
buffer pool 180 20
buffer scratch of pool 0 24
end
"
    );
}

#[test]
fn every_plan_is_made_again() {
    for seed in 0..300 {
        let program = random_program(seed, 14);
        for options in random_options(&mut Random::new(seed)) {
            let (plan, lock) = locked(&program, &options);
            let lock = Lock::read(lock.to_string().as_bytes()).unwrap();
            // However it was searched for.
            let asked = Options { order: Order::Source, layout: Layout::Auto, effort: Effort::Fast, ..options.clone() };
            let again =
                held(&lock, program.clone(), &asked).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{lock}"));
            let plan = Plan { options: again.options.clone(), scheduled: Vec::new(), ..plan };
            assert_eq!(format!("{again:?}"), format!("{plan:?}"), "seed {seed}, {options:?}");
        }
    }
}

#[test]
fn the_plan_of_the_lock_is_used() {
    let (plan, lock) = locked(&program(), &Options { layout: Layout::Separate, ..Options::default() });
    assert!(plan.arena_bytes > 200);
    assert_eq!(held(&lock, program(), &Options::default()).unwrap().arena_bytes, plan.arena_bytes);
    let worse = edited(&locked(&program(), &Options::default()).1, "arena 200", "arena 204").unwrap();
    assert!(matches!(held(&worse, program(), &Options::default()), Err(LockError::Number { .. })));
    let lock = edited(&locked(&program(), &Options::default()).1, "class 100", "class 120").unwrap();
    let plan = held(&lock, program(), &Options::default()).unwrap();
    assert!(plan.buffers.iter().any(|buffer| buffer.name == "class" && buffer.offset == 120));
}

#[test]
fn what_changes_a_plan_makes_it_stale() {
    let stale = |change: &dyn Fn(&mut Program), options: &Options| {
        let mut program = program();
        let (_, lock) = locked(&program, &Options::default());
        change(&mut program);
        matches!(held(&lock, program, options), Err(LockError::Stale { .. }))
    };
    let same = Options::default();
    assert!(!stale(&|_| (), &same));
    assert!(!stale(
        &|_| (),
        &Options { order: Order::Memory, layout: Layout::Separate, effort: Effort::Max, ..same.clone() }
    ));
    assert!(stale(&|program| program.steps[4].scratch = Some(Scratch { bytes: 8, dtype: DType::I32 }), &same));
    assert!(stale(&|program| program.steps[0].attributes.push(("stride", AttrValue::Int(2))), &same));
    assert!(stale(&|program| program.steps[0].calls[0].kernel = "other", &same));
    assert!(stale(&|program| program.steps[1].sharing.clear(), &same));
    assert!(stale(&|program| program.outputs[0].kept = true, &same));
    assert!(stale(&|program| program.tensors[2].name.push('2'), &same));
    for changed in [
        Options { views: false, ..same.clone() },
        Options { in_place: false, ..same.clone() },
        Options { concat: false, ..same.clone() },
        Options { align: Some(16), ..same.clone() },
    ] {
        assert!(stale(&|_| (), &changed), "{changed:?}");
    }
    let other = Program { name: "other".into(), ..graph::read("x I 4 - 0\ny N 4 o 1 x").unwrap() };
    let (_, lock) = locked(&program(), &same);
    assert!(matches!(held(&lock, other, &same), Err(LockError::Network { .. })));
}

#[test]
fn a_search_that_is_ended_keeps_the_best_so_far() {
    let options = Options { effort: Effort::Max, ..Options::default() };
    for seed in 0..200 {
        let program = random_program(seed, 14);
        let (mut told, mut least) = (0, usize::MAX);
        for limit in [1, 2, 5, usize::MAX] {
            told = 0;
            let plan = plan_observed(program.clone(), &options, &mut |progress| {
                told += 1;
                least = progress.bytes;
                if told < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
            let plan = plan.unwrap();
            assert!(told <= limit, "seed {seed}: told again after it broke");
            assert_eq!(plan.arena_bytes, least, "seed {seed}");
        }
        assert!(told > 0 && least == self::plan(program, &options).unwrap().arena_bytes, "seed {seed}");
    }
}

#[test]
fn a_better_plan_than_one_asked_for_stays() {
    let better = (0..500).filter(|&seed| {
        let program = random_program(seed, 14);
        let asked = Options { order: Order::Source, layout: Layout::BestFit, ..Options::default() };
        let (best, lock) = locked(&program, &Options::default());
        assert_eq!(held(&lock, program.clone(), &asked).unwrap().arena_bytes, best.arena_bytes, "seed {seed}");
        best.arena_bytes < plan(program, &asked).unwrap().arena_bytes
    });
    assert!(better.count() > 50);
}

/// [`program`] as a machine has it whose kernels need more scratch.
fn on_dsp() -> Program {
    let mut program = program();
    program.steps[4].scratch = Some(Scratch { bytes: 8, dtype: DType::I32 });
    program
}

#[test]
fn each_machine_has_its_own_plan() {
    let options = Options::default();
    let plans = [plan(program(), &options).unwrap(), plan(on_dsp(), &options).unwrap()];
    let mut lock = lock_of(&plans[0], &[Arch::Portable]);
    let dsp = |lock: &Lock| lock.plan(on_dsp(), &options, Arch::Dsp).map(|plan| plan.arena_bytes);
    assert_eq!(dsp(&lock), Err(LockError::Machine { got: vec!["portable".into()], wanted: Arch::Dsp }));

    lock.insert(LockedPlan::new(&plans[1], &[Arch::Dsp]));
    let lock = Lock::read(lock.to_string().as_bytes()).unwrap();
    assert_eq!(dsp(&lock), Ok(plans[1].arena_bytes));
    assert_eq!(held(&lock, program(), &options).unwrap().arena_bytes, plans[0].arena_bytes);
    // What needs nothing of its machine is content with the plan of any other.
    assert_eq!(lock.plan(program(), &options, Arch::Dsp).unwrap().arena_bytes, plans[0].arena_bytes);

    // A machine's plan is replaced, those of others stay.
    let mut again = lock.clone();
    again.insert(LockedPlan::new(&plans[1], &[Arch::Dsp]));
    assert_eq!(again, lock);
    again.insert(LockedPlan::new(&plans[0], &[Arch::Dsp, Arch::Portable]));
    assert_eq!(again, lock_of(&plans[0], &[Arch::Portable, Arch::Dsp]));
    assert!(matches!(dsp(&again), Err(LockError::Stale { .. })));
    // Another version's machines mean nothing here, and stay.
    let other = lock.to_string().replace("machines dsp", "machines later dsp");
    assert_eq!(dsp(&Lock::read(other.as_bytes()).unwrap()), Ok(plans[1].arena_bytes));
    assert_eq!(Lock::read(other.as_bytes()).unwrap().to_string(), other);
}

#[test]
fn the_budget_counts() {
    let (_, lock) = locked(&program(), &Options::default());
    let tight = Options { budget: Some((100, planner_core::source::Src(0))), ..Options::default() };
    assert!(matches!(held(&lock, program(), &tight), Err(LockError::Budget(_))));
}

#[test]
fn damage_is_explained() {
    for (from, to, wanted) in [
        ("waterline lock 1", "waterline lock 2", "line 1\n  got: `waterline lock 2`\n  wanted: `waterline lock 1`"),
        ("machines portable\n", "", "line 4\n  got: `hash"),
        ("machines portable", "machines portable portable", "got: `portable`\n  wanted: each machine once"),
        ("arena 200\n", "", "line 8\n  got: `step conv`\n  wanted: `arena` and a value"),
        ("arena 200", "arena many", "line 8\n  got: `many`\n  wanted: a number of bytes"),
        ("step both", "stop both", "line 13\n  got: `stop both`"),
        ("buffer both 0 100", "buffer both 0", "line 17\n  got: `buffer both 0`\n  wanted: `buffer`, a name"),
        ("end\n", "", "line 23\n  got: the end of the file"),
        (
            "end\n",
            "end\nmore\n",
            "line 24\n  got: `more`\n  wanted: `machines` and their names, or the end of the file",
        ),
        ("step both\n", "", "lacks a step\n  got: `both`"),
        ("step both\n", "step both\nstep both\n", "has a step twice"),
        ("step both", "step bath", "has a step that there is not\n  got: `bath`"),
        ("step both\nstep class", "step class\nstep both", "has a step before what it needs\n  got: `class`"),
        ("order source", "order random", "has an unknown order"),
        ("layout greedy_by_size", "layout x", "has an unknown layout"),
        ("share relu over conv", "share relu over image", "shares by a rule that there is not"),
        ("share relu over conv\n", "share relu over conv\nshare relu over conv\n", "shares by a rule twice"),
        ("share relu over conv\n", "", "lacks a buffer\n  got: `relu`"),
        ("buffer pool 180 20\n", "", "lacks a buffer\n  got: `pool`"),
        ("buffer pool 180 20\n", "buffer pool 180 20\nbuffer x 0 1\n", "has a buffer that there is not\n  got: `x`"),
        ("buffer pool 180 20", "buffer pool 180 21", "size of buffer `pool`\n  got: 21\n  wanted: 20"),
        ("buffer pool 180 20", "buffer pool 190 20", "offset of buffer `pool`\n  got: 190"),
        ("buffer scratch of pool 0 24", "buffer scratch of pool 1 24", "wanted: a multiple of 4"),
        ("buffer pool 180 20", "buffer pool 170 20", "would lose bytes"),
        ("arena 200", "arena 18446744073709551615", "wanted: less than"),
    ] {
        let got = refused(from, to);
        assert!(got.contains(wanted), "{to}: {got}");
    }
}

/// Of the bytes of a lock: an error, or a plan that passes its verification.
fn harmless(bytes: &[u8], program: &Program) -> bool {
    let plan = Lock::read(bytes).and_then(|lock| held(&lock, program.clone(), &Options::default()));
    plan.is_ok_and(|plan| verify(&plan) == Ok(()))
}

#[test]
fn no_damage_is_dangerous() {
    let mut accepted = 0;
    for (seed, program) in [program()].into_iter().chain((0..20).map(|seed| random_program(seed, 10))).enumerate() {
        let mut lock = locked(&program, &Options::default()).1;
        let first = lock.to_string().len();
        let other = plan(program.clone(), &Options { align: Some(16), ..Options::default() }).unwrap();
        lock.insert(LockedPlan::new(&other, &[Arch::Dsp]));
        let text = lock.to_string().into_bytes();
        assert!(harmless(&text, &program));
        for length in 0..first - 1 {
            assert!(!harmless(&text[..length], &program), "seed {seed}: the first {length} bytes are accepted");
        }
        for at in 0..text.len() {
            for bit in 0..8 {
                let mut text = text.clone();
                text[at] ^= 1 << bit;
                accepted += usize::from(harmless(&text, &program));
            }
        }
        let random = &mut Random::new(seed as u64);
        let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
        for _ in 0..500 {
            let mut lines = lines.clone();
            for _ in 0..=random.below(2) {
                let (from, to) = (random.below(lines.len()), random.below(lines.len()));
                match random.below(3) {
                    0 => lines.swap(from, to),
                    1 => lines.insert(to, lines[from]),
                    _ => lines[to] = lines[from],
                }
            }
            accepted += usize::from(harmless(&lines.concat(), &program));
        }
    }
    // Steps and buffers have places to spare.
    assert!(accepted > 100, "{accepted}");
}
