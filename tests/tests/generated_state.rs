//! Generated networks that keep state: whichever way they run, and however they are reset.

use waterline::{Guard, Network};

waterline::graph! {
    /// A leaky sum, the last three inputs, and a count that starts from 5.
    mod net {
        input x: f32[1, 2];
        param decay: f32[1] = splat(0.5);
        param one: f32[1] = splat(1.0);
        state sum: f32[1, 2] = zeros;
        state window: f32[3, 2] = splat(9.0);
        state count: f32[1] = FIVE;
        sum <- add(mul(sum, decay), x);
        let all = concat(window, x, axis = 0);
        window <- slice(all, begin = [1, 0], size = [3, 2]);
        count <- add(count, one);
        output before = add(sum, x);
        output oldest = slice(all, begin = [0, 0], size = [1, 2]).relu();
        output counted = add(count, one);
    }
}

const FIVE: [f32; 1] = [5.0];

/// What the network is to show in its run `turn` after a reset, each input being `[turn, 1]`.
fn wanted(turn: usize) -> ([f32; 2], [f32; 2], [f32; 1]) {
    let mut sum = [0.0f32; 2];
    let mut window = vec![[9.0f32; 2]; 3];
    let mut shown = ([0.0; 2], [0.0; 2], [0.0]);
    for run in 0..=turn {
        let x = input(run);
        shown = ([sum[0] + x[0], sum[1] + x[1]], window[0], [5.0 + number(run) + 1.0]);
        sum = [sum[0] * 0.5 + x[0], sum[1] * 0.5 + x[1]];
        window.push(x);
        window.remove(0);
    }
    shown
}

fn number(turn: usize) -> f32 {
    f32::from(u8::try_from(turn).unwrap())
}

fn input(turn: usize) -> [f32; 2] {
    [number(turn), 1.0]
}

fn check(outputs: &net::Outputs<'_>, turn: usize) {
    assert_eq!((*outputs.before(), *outputs.oldest(), *outputs.counted()), wanted(turn), "run {turn}");
}

#[test]
fn every_way_to_run_goes_on_from_the_run_before() {
    let mut arena = net::Arena::new();
    let mut guard = Guard::<{ net::PLAN.tensors.len() }>::new();
    for turn in 0..12 {
        match turn % 4 {
            0 => check(&net::run(&mut arena, &input(turn)), turn),
            1 => {
                let mut frame = arena.frame();
                *frame.x() = input(turn);
                check(&frame.run_with(&mut guard), turn);
            }
            2 => {
                let mut frame = arena.frame();
                *frame.x() = input(turn);
                let mut steps = frame.steps();
                steps.step();
                check(&steps.finish(), turn);
            }
            _ => {
                let bytes: Vec<u8> = input(turn).iter().flat_map(|x| x.to_le_bytes()).collect();
                let inputs: [&[u8]; 1] = [&bytes];
                let outputs = Network::run(&mut arena, &inputs, &mut ()).unwrap();
                let counted: Vec<u8> = wanted(turn).2.iter().flat_map(|x| x.to_le_bytes()).collect();
                assert_eq!(outputs.get(2), Some(&*counted));
            }
        }
    }
    assert!(guard.damage().is_none(), "{}", guard.damage().unwrap());
}

#[test]
fn a_reset_starts_all_states_again() {
    let mut arena = net::Arena::new();
    for _ in 0..3 {
        for turn in 0..4 {
            check(&net::run(&mut arena, &input(turn)), turn);
        }
        arena.reset();
    }
}

#[test]
fn a_state_is_reset_alone() {
    let mut arena = net::Arena::new();
    for turn in 0..4 {
        net::run(&mut arena, &input(turn));
    }
    arena.reset_count();
    let outputs = net::run(&mut arena, &input(4));
    assert_eq!(outputs.counted(), &[6.0]);
    assert_eq!((*outputs.before(), *outputs.oldest()), (wanted(4).0, wanted(4).1), "the others go on");
}

#[test]
fn a_new_arena_is_all_zero() {
    let mut arena = net::Arena::new();
    assert!(Network::arena(&mut arena).iter().all(|byte| *byte == 0));
    let _ = arena.frame();
    assert!(Network::arena(&mut arena).iter().any(|byte| *byte != 0), "the first frame writes what is not zero");
}

#[test]
fn the_plan_names_its_states() {
    let names: Vec<&str> = net::PLAN.states.iter().map(|state| state.name).collect();
    assert_eq!(names, ["sum", "window", "count"]);
    for state in net::PLAN.states {
        let [old, new] = [state.tensor, state.next].map(|tensor| net::PLAN.tensors[tensor].span());
        assert_eq!(old, new);
    }
}
