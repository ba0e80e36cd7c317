//! Steps that could have several kernels get the fastest that fit, and compute the same bits.

use planner_core::arch::Arch;
use planner_core::infer::infer;
use planner_core::layout::search::Progress;
use planner_core::model::{TensorId, TypedModel};
use planner_core::options::Effort;
use planner_core::options::{Options, Prefer};
use planner_core::plan::lock::{Lock, LockedPlan};
use planner_core::plan::{Plan, plan, plan_for, plan_for_observed};
use planner_core::report::{self, Sheet};
use planner_core::source::Src;
use planner_core::steps::{lower_for, lower_with};
use std::ops::ControlFlow;
use waterline_tests::build::{Builder, i8_type, ints, name, q};
use waterline_tests::graphs::random_model;
use waterline_tests::interpreter::{Interpreter, Placement};
use waterline_tests::random::Random;

const SCALE: f32 = 0.05;

/// Weights that machines can pack.
fn weights(random: &mut Random, count: usize) -> Vec<i8> {
    random.i8s(count).into_iter().map(|weight| weight.max(-127)).collect()
}

/// A layer `op` of `x` with weights of `dims`, whose last results scales keep within their range.
fn layer(net: &mut Builder, op: &str, x: TensorId, dims: &[usize], stride: i64, random: &mut Random) -> TensorId {
    let count: usize = dims.iter().product();
    let w = net.param_i8(&format!("w{}", net.model.params.len()), dims, q(0.01, 0), &weights(random, count));
    let conv = [("stride", ints(&[stride; 2])), ("padding", name("same"))];
    net.apply_q(op, &[x, w], if op == "dense" { &[] } else { &conv }, q(SCALE, 3))
}

/// Three dense layers of one row; the first needs the most memory.
fn dense() -> TypedModel {
    let (mut net, random) = (Builder::new(), &mut Random::new(1));
    let mut x = net.input("x", i8_type(&[1, 256], q(SCALE, -4)));
    for inputs in [256, 64, 64] {
        x = layer(&mut net, "dense", x, &[64, inputs], 1, random);
    }
    net.output(x);
    net.infer().unwrap()
}

/// Three convolutions; the first two need the most memory.
fn convolutions() -> TypedModel {
    let (mut net, random) = (Builder::new(), &mut Random::new(2));
    let mut x = net.input("x", i8_type(&[1, 8, 8, 8], q(SCALE, -4)));
    for stride in [1, 2, 1] {
        x = layer(&mut net, "conv2d", x, &[8, 3, 3, 8], stride, random);
    }
    net.output(x);
    net.infer().unwrap()
}

fn planned(typed: &TypedModel, prefer: Prefer, budget: Option<usize>) -> Plan {
    let budget = budget.map(|budget| (budget, Src(0)));
    plan_for(typed, Arch::Dsp, &Options { prefer, budget, ..Options::default() }).unwrap()
}

fn kernels(plan: &Plan) -> Vec<&str> {
    plan.program.steps.iter().map(|step| step.variants.chosen().unwrap().name).collect()
}

/// What `plan` gives for some input.
fn outputs(plan: &Plan) -> Vec<Vec<u8>> {
    let placement = Placement::planned(plan);
    let ty = &plan.program.tensor(plan.program.inputs[0].tensor).ty;
    let input = bytemuck::cast_slice(&Random::new(3).i8s(ty.bytes())).to_vec();
    Interpreter::new(&plan.program, &[]).run(&placement, &mut placement.arena(0x5555_5555), &[input])
}

#[test]
fn faster_kernels_fill_the_arena_that_is_there() {
    let typed = dense();
    let usual = plan(lower_for(&typed, Arch::Dsp).unwrap(), &Options::default()).unwrap();
    assert_eq!(kernels(&usual), ["direct"; 3]);
    let size = planned(&typed, Prefer::Size, None);
    assert_eq!((size.arena_bytes, kernels(&size)), (usual.arena_bytes, vec!["direct", "packed", "packed"]));
    assert_eq!(planned(&typed, Prefer::Size, Some(4096)).arena_bytes, usual.arena_bytes);
    let speed = planned(&typed, Prefer::Speed, None);
    assert_eq!(kernels(&speed), ["packed"; 3]);
    assert!(speed.arena_bytes > usual.arena_bytes);
    assert_eq!(kernels(&planned(&typed, Prefer::Speed, Some(speed.arena_bytes))), ["packed"; 3]);
    let within = planned(&typed, Prefer::Speed, Some(speed.arena_bytes - 1));
    assert_eq!(kernels(&within), kernels(&size));
    assert!(report::line(&size).ends_with(", 2 faster kernels than usual"), "{}", report::line(&size));
    for plan in [size, speed, within] {
        assert_eq!(outputs(&plan), outputs(&usual));
    }
}

#[test]
fn slower_kernels_meet_a_budget_and_no_more_than_it_takes() {
    let typed = convolutions();
    let small = plan_for(&typed, Arch::Portable, &Options::default()).unwrap();
    let usual = planned(&typed, Prefer::Size, None);
    assert_eq!(kernels(&usual), ["packed"; 3]);
    assert!(usual.arena_bytes > small.arena_bytes);
    assert_eq!(kernels(&planned(&typed, Prefer::Size, Some(usual.arena_bytes))), ["packed"; 3]);
    let tight = planned(&typed, Prefer::Size, Some(small.arena_bytes));
    assert_eq!((tight.arena_bytes, kernels(&tight)), (small.arena_bytes, vec!["portable", "portable", "packed"]));
    assert!(report::line(&tight).ends_with(", 2 slower kernels than usual"), "{}", report::line(&tight));
    for plan in [&usual, &tight] {
        assert_eq!(outputs(plan), outputs(&small));
    }
    let none = Options { budget: Some((small.arena_bytes - 1, Src(0))), ..Options::default() };
    let error = plan_for(&typed, Arch::Dsp, &none).unwrap_err();
    assert!(error.to_string().contains(&format!("an arena of {} bytes", small.arena_bytes)), "{error}");
}

/// A depthwise layer.
fn depthwise([height, width, channels]: [usize; 3], stride: i64) -> TypedModel {
    let (mut net, random) = (Builder::new(), &mut Random::new(4));
    let x = net.input("x", i8_type(&[1, height, width, channels], q(SCALE, -4)));
    let y = layer(&mut net, "depthwise_conv2d", x, &[1, 3, 3, channels], stride, random);
    net.output(y);
    net.infer().unwrap()
}

#[test]
fn smaller_kernels_make_the_arena_smaller_than_the_network_slower() {
    let [many, few] = [64, 4].map(|channels| depthwise([8, 4, channels], 1));
    let options = |prefer| Options { prefer, ..Options::default() };
    // A ring of three rows of four channels is smaller than a row of all and a pixel.
    let [size, speed] = [Prefer::Size, Prefer::Speed].map(|p| plan_for(&many, Arch::Portable, &options(p)).unwrap());
    assert_eq!((kernels(&size), kernels(&speed)), (vec!["ring"], vec!["portable"]));
    let tensor = 8 * 4 * 64;
    assert_eq!((size.arena_bytes, speed.arena_bytes), (tensor + 3 * 4 * 4, tensor + (4 + 1) * 64));
    assert_eq!(outputs(&size), outputs(&speed));
    let only = plan_for(&few, Arch::Portable, &options(Prefer::Size)).unwrap();
    assert!(only.program.steps[0].variants.all.is_empty(), "nothing to choose");
    // With vectors, a few pixels of a row at a time are as small.
    let strided = depthwise([8, 20, 16], 2);
    let usual = plan_for(&strided, Arch::Mve, &options(Prefer::Size)).unwrap();
    let budget = Some((usual.arena_bytes - 1, Src(0)));
    let narrow = plan_for(&strided, Arch::Mve, &Options { budget, ..Options::default() }).unwrap();
    assert_eq!((kernels(&narrow), kernels(&usual)), (vec!["narrow"], vec!["vectors"]));
    assert_eq!(outputs(&narrow), outputs(&usual));
}

#[test]
fn a_ring_holds_no_more_rows_and_channels_than_there_are() {
    for (image, bytes) in [([2, 8, 8], 2 * 8 * 4), ([8, 8, 3], 3 * 8)] {
        let program = lower_for(&depthwise(image, 1), Arch::Portable).unwrap();
        let ring = program.steps[0].variants.all.iter().find(|variant| variant.name == "ring");
        assert_eq!(ring.map(|ring| (ring.scratch, ring.beside)), Some((bytes, 0)), "{image:?}");
    }
}

#[test]
fn a_lock_holds_the_kernels() {
    let typed = convolutions();
    let small = plan_for(&typed, Arch::Portable, &Options::default()).unwrap();
    let plan = planned(&typed, Prefer::Size, Some(small.arena_bytes));
    let mut lock = Lock::new("network");
    lock.insert(LockedPlan::new(&plan, &[Arch::Dsp]));
    let text = lock.to_string();
    let kernel = format!("kernel portable {}\n", plan.program.steps[0].name);
    assert!(text.contains(&kernel), "{text}");
    let again = |text: &str| {
        let lock = Lock::read(text.as_bytes()).unwrap();
        let program = lower_with(&typed, Arch::Dsp, &lock.kernels(Arch::Dsp)).unwrap();
        lock.plan(program, &Options::default(), Arch::Dsp)
    };
    let read = again(&text).unwrap();
    assert_eq!((kernels(&read), &read.places), (kernels(&plan), &plan.places));
    assert!(again(&text.replace(&kernel, "")).is_err());
    assert!(Lock::read(text.replace(&kernel, &kernel.repeat(2)).as_bytes()).is_err());
    // The last step has its usual kernel, which is what it gets for a name that there is not.
    let last = &plan.program.steps[2].name;
    for (line, why) in [
        ("kernel portable nothing\n".to_owned(), "has a kernel of a step that there is not"),
        (format!("kernel nothing {last}\n"), "has a kernel that its step does not have"),
        (format!("kernel packed {last}\n"), "has a kernel that its step does not have"),
    ] {
        let error = again(&text.replace(&kernel, &format!("{kernel}{line}"))).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn the_final_plan_is_searched_for_as_long_as_asked() {
    let (dense, convolutions) = (dense(), convolutions());
    let small = plan_for(&convolutions, Arch::Portable, &Options::default()).unwrap().arena_bytes;
    for (typed, prefer, budget) in
        [(&dense, Prefer::Size, None), (&dense, Prefer::Speed, None), (&convolutions, Prefer::Size, Some(small))]
    {
        let budget = budget.map(|budget| (budget, Src(0)));
        let options = Options { prefer, budget, effort: Effort::Max, ..Options::default() };
        let plan = plan_for(typed, Arch::Dsp, &options).unwrap();
        assert_eq!(plan.options.effort, Effort::Max, "{options:?}");
        assert_eq!(kernels(&plan), kernels(&planned(typed, prefer, budget.map(|(bytes, _)| bytes))));
    }
}

#[test]
fn who_ends_the_search_ends_the_choice_of_kernels() {
    let typed = dense();
    let options = Options { prefer: Prefer::Speed, effort: Effort::Max, ..Options::default() };
    let plan = plan_for_observed(&typed, Arch::Dsp, &options, &mut |_| ControlFlow::Break(())).unwrap();
    assert_eq!(kernels(&plan), ["direct"; 3]);
    // The last word is that of the plan.
    let mut last = Progress::default();
    let mut observer = |now: &Progress| {
        last = *now;
        ControlFlow::Continue(())
    };
    let plan = plan_for_observed(&typed, Arch::Dsp, &options, &mut observer).unwrap();
    assert_eq!((last.bytes, kernels(&plan)), (plan.arena_bytes, vec!["packed"; 3]));
    // A budget is met all the same.
    let typed = convolutions();
    let small = plan_for(&typed, Arch::Portable, &Options::default()).unwrap().arena_bytes;
    let options = Options { budget: Some((small, Src(0))), effort: Effort::Max, ..Options::default() };
    let plan = plan_for_observed(&typed, Arch::Dsp, &options, &mut |_| ControlFlow::Break(())).unwrap();
    assert_eq!((plan.arena_bytes, kernels(&plan)), (small, vec!["portable"; 3]));
}

#[test]
fn random_networks_keep_to_what_is_asked() {
    let (mut slower, mut smaller) = (0, 0);
    for seed in 0..300 {
        let random = &mut Random::new(seed);
        let typed = infer(random_model(seed, 14)).unwrap();
        let arch = random.pick(&[Arch::Dsp, Arch::Mve]);
        let usual = plan(lower_for(&typed, arch).unwrap(), &Options::default()).unwrap();
        let prefer = random.pick(&[Prefer::Size, Prefer::Speed]);
        let most = usual.arena_bytes + 100;
        let budget = random.one_in(2).then(|| (random.size(usual.arena_bytes * 3 / 4, most), Src(0)));
        let fits = |arena: usize| budget.is_none_or(|(budget, _)| arena <= budget);
        let context = format!("seed {seed}, {arch:?}, {prefer:?}, {budget:?}");
        let plan = match plan_for(&typed, arch, &Options { prefer, budget, ..Options::default() }) {
            Ok(plan) => plan,
            Err(found) => {
                assert!(!fits(usual.arena_bytes), "{context}: {found}");
                continue;
            }
        };
        assert!(fits(plan.arena_bytes), "{context}");
        assert!(prefer == Prefer::Speed || plan.arena_bytes <= usual.arena_bytes, "{context}");
        let sheet = Sheet::from(&plan);
        if fits(usual.arena_bytes) {
            let cost = |plan: &Plan| plan.arena_bytes as u64 * plan.program.instructions();
            assert!(if prefer == Prefer::Speed { sheet.slower == 0 } else { cost(&plan) <= cost(&usual) }, "{context}");
            smaller += sheet.slower;
        }
        slower += sheet.slower;
        if plan.program.states.is_empty() && plan.program.inputs.len() == 1 {
            assert_eq!(outputs(&plan), outputs(&usual), "{context}");
        }
    }
    assert!(slower > 10 && smaller > 2, "only {slower} slower kernels, {smaller} of them by choice");
}
