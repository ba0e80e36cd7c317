//! The debug observer: silent on sound plans, and it names what a broken one destroys.

use waterline::plan::{Place, Plan, Tensor};
use waterline::{Guard, Network, Observer};

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

/// Runs `steps` as if they were those of `plan`: after each step one byte is written.
fn pretend(plan: &'static Plan, writes: &[Option<usize>]) -> Guard<8> {
    let mut guard = Guard::<8>::new();
    let mut arena = vec![0u8; plan.arena_bytes];
    guard.start(plan, &mut arena);
    for (step, byte) in plan.steps.iter().zip(writes) {
        for tensor in step.results(plan) {
            let span = tensor.span().unwrap();
            arena[span.offset..span.end()].fill(u8::try_from(step.index).unwrap() + 1);
        }
        if let Some(byte) = byte {
            arena[*byte] ^= 1;
        }
        guard.after_step(plan, step, &mut arena);
    }
    guard
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
    let guard = pretend(&chain::PLAN, &[None, Some(a.offset + 5), None]);
    let damage = guard.damage().unwrap();
    assert_eq!((damage.step.name, damage.tensor.map(|t| t.name)), ("b", Some("a")));
    assert_eq!(damage.history().map(|tensor| tensor.name).collect::<Vec<_>>(), ["a"]);
    assert!(damage.to_string().starts_with("step 1 `b` (sigmoid) changed `a: f32[4]`, bytes "), "{damage}");
    assert!(pretend(&chain::PLAN, &[None, None, None]).damage().is_none());
}

#[test]
fn a_write_to_dead_bytes_is_noticed() {
    let x = row("x").span().unwrap();
    let guard = pretend(&chain::PLAN, &[None, Some(x.offset), None]);
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
    let guard = pretend(plan, &[None, None, None]);
    let damage = guard.damage().unwrap();
    assert_eq!((damage.step.name, damage.tensor.map(|t| t.name)), ("b", Some("a")));
    assert_eq!(damage.history().map(|tensor| tensor.name).collect::<Vec<_>>(), ["a", "b"]);
}
