//! The debug observer: silent on sound plans, and it names what a broken one destroys.

use planner_core::options::{Layout, Options, Order};
use planner_core::plan::plan;
use planner_core::{infer, passes, steps};
use waterline::plan::{Place, Plan, Tensor};
use waterline::{Guard, Network, Observer, Step};
use waterline_tests::graphs::random_model;
use waterline_tests::random::Random;
use waterline_tests::table::runtime_plan;

waterline::graph! {
    mod net {
        input x: f32[4];
        input side: f32[2, 4] kept;
        param w: f32[4, 4] = random(1);
        let a = x.relu();
        let both = concat(a.reshape(shape = [1, 4]), side, axis = 0);
        let (first, rest) = split(both, parts = [1, 2], axis = 0);
        let b = dense(first, w);
        output y = add(b, rest);
        output z: f32[1, 4] kept = sigmoid(b);
    }
}

const TENSORS: usize = net::PLAN.tensors.len();

fn run(observer: &mut dyn Observer) -> Vec<u8> {
    let mut arena = net::Arena::new();
    let (x, side) = ([0x3f; 16], [0x3e; 32]);
    let outputs = arena.run(&[&x, &side], observer).map(|outputs| outputs.get(0).unwrap().to_vec());
    outputs.unwrap()
}

#[test]
fn a_sound_run_is_silent_and_unchanged() {
    let mut guard = Guard::<TENSORS>::new();
    assert_eq!(run(&mut guard), run(&mut ()));
    assert!(guard.damage().is_none(), "{}", guard.damage().unwrap());
    assert_eq!(guard.unwatched(), 0);
}

#[test]
fn small_guards_say_what_they_could_not_watch() {
    let mut guard = Guard::<2>::new();
    run(&mut guard);
    assert_eq!(guard.unwatched(), TENSORS - 2);
}

/// A run that writes noise where each step of `plan` may write, and then does what `slip` does.
fn pretend(plan: &'static Plan, mut slip: impl FnMut(&Step, &mut [u8])) -> Guard<64> {
    let mut guard = Guard::<64>::new();
    let mut random = Random::new(1);
    let mut arena = vec![0u8; plan.arena_bytes];
    guard.start(plan, &mut arena);
    assert_eq!(guard.unwatched(), 0);
    for step in plan.steps {
        for piece in step.results(plan).flat_map(Tensor::pieces).chain(step.scratch) {
            arena[piece.offset..piece.end()].fill_with(|| random.bits().to_le_bytes()[0]);
        }
        slip(step, &mut arena);
        guard.after_step(plan, step, &mut arena);
    }
    guard
}

/// Flips a bit of `byte` after step `index`.
fn flip(index: usize, byte: usize) -> impl FnMut(&Step, &mut [u8]) {
    move |step, arena| {
        if step.index == index {
            arena[byte] ^= 1;
        }
    }
}

/// Tensors that share nothing and need their bytes from before to after `step`.
fn survivors(plan: &'static Plan, step: &Step) -> impl Iterator<Item = (usize, &'static Tensor)> {
    let holds = |index| plan.tensors.iter().any(|tensor| tensor.shares.inside == Some(index));
    let shared = move |index, tensor: &Tensor| holds(index) || tensor.shares.inside.is_some();
    let (at, writes) = (step.index, step.writes);
    let lives = move |tensor: &Tensor| tensor.span().is_some() && tensor.first < at && at < tensor.last;
    let tensors = plan.tensors.iter().enumerate();
    tensors.filter(move |(index, tensor)| lives(tensor) && !shared(*index, tensor) && !writes.contains(index))
}

#[test]
fn random_plans_are_sound_and_every_slip_is_noticed() {
    let mut slips = 0;
    for seed in 0..100 {
        let typed = infer::infer(random_model(seed, 14)).unwrap();
        let program = steps::lower(&passes::rewrite(typed, &Options::default()).unwrap()).unwrap();
        for (name, layout) in Layout::ALL {
            let options = Options { layout, order: Order::Memory, ..Options::default() };
            let plan = runtime_plan(&plan(program.clone(), &options).unwrap());
            let guard = pretend(plan, |_, _| ());
            assert!(guard.damage().is_none(), "seed {seed}, {name}: {}\n{plan}", guard.damage().unwrap());
            for step in plan.steps {
                for (index, tensor) in survivors(plan, step) {
                    let guard = pretend(plan, flip(step.index, tensor.span().unwrap().end() - 1));
                    let damage = guard.damage().unwrap_or_else(|| panic!("seed {seed}, {name}: {tensor} at {step:?}"));
                    let named = damage.tensor.is_some_and(|named| std::ptr::eq(named, &raw const plan.tensors[index]));
                    assert!(named && damage.step.index == step.index, "seed {seed}, {name}: {damage}");
                    slips += 1;
                }
            }
        }
    }
    assert!(slips > 1_000, "only {slips} slips were made");
}

waterline::graph! {
    mod chain {
        plan { layout = separate, in_place = off }
        input x: f32[4];
        let a = relu(x);
        let b = sigmoid(a);
        output y = add(b, a);
    }
}

fn row(name: &str) -> &'static Tensor {
    chain::PLAN.tensors.iter().find(|tensor| tensor.name == name).unwrap()
}

#[test]
fn damage_to_a_living_tensor_is_named_with_its_history() {
    let a = row("a").span().unwrap();
    let guard = pretend(&chain::PLAN, flip(1, a.offset + 5));
    let damage = guard.damage().unwrap();
    assert_eq!((damage.step.name, damage.tensor.map(|t| t.name)), ("b", Some("a")));
    assert_eq!(damage.history().map(|tensor| tensor.name).collect::<Vec<_>>(), ["a"]);
    assert!(damage.to_string().starts_with("step 1 `b` (sigmoid) changed `a: f32[4]`, bytes "), "{damage}");
    assert!(pretend(&chain::PLAN, |_, _| ()).damage().is_none());
}

#[test]
fn a_write_to_dead_bytes_is_noticed() {
    let x = row("x").span().unwrap();
    let guard = pretend(&chain::PLAN, flip(1, x.offset));
    let damage = guard.damage().unwrap();
    assert_eq!((damage.step.name, damage.tensor.map(|t| t.name), damage.span.offset), ("b", None, x.offset));
}

#[test]
fn a_lifetime_one_step_short_shows_as_damage() {
    // `b` takes the place of `a`, which `y` still reads: the table says that it may.
    let mut tensors = chain::PLAN.tensors.to_vec();
    let index = |name: &str| chain::PLAN.tensors.iter().position(|tensor| tensor.name == name).unwrap();
    let place = tensors[index("a")].place;
    assert!(matches!(place, Place::Arena { .. }));
    tensors[index("b")].place = place;
    let plan = Box::leak(Box::new(Plan { tensors: tensors.leak(), ..chain::PLAN }));
    let guard = pretend(plan, |_, _| ());
    let damage = guard.damage().unwrap();
    assert_eq!((damage.step.name, damage.tensor.map(|t| t.name)), ("b", Some("a")));
    assert_eq!(damage.history().map(|tensor| tensor.name).collect::<Vec<_>>(), ["a", "b"]);
}
