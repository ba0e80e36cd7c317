//! The proof that the user's compiler repeats: it accepts what the planner makes and nothing that is broken.

use planner_core::infer::infer;
use planner_core::options::{Layout, Options, Order};
use planner_core::passes;
use planner_core::plan::plan;
use planner_core::steps;
use waterline::__private::prove;
use waterline::plan::{Output, Place, Plan, Shares, Span, Spread, Step, Tensor};
use waterline_tests::graphs::random_model;
use waterline_tests::table::{by_birth, runtime_plan};

/// How many random networks are tried.
const NETWORKS: u64 = 300;
/// Most operators in a network.
const OPERATORS: usize = 14;

#[test]
fn every_plan_is_proved() {
    for seed in 0..NETWORKS {
        let typed = infer(random_model(seed, OPERATORS)).unwrap();
        let program = steps::lower(&passes::rewrite(typed, &Options::default()).unwrap()).unwrap();
        for (_, order) in Order::ALL {
            for (name, layout) in Layout::ALL {
                let options = Options { order, layout, ..Options::default() };
                let plan = runtime_plan(&plan(program.clone(), &options).unwrap());
                let proof = prove(plan, &by_birth(plan));
                assert_eq!(proof, Ok(()), "seed {seed}, layout {name}\n{plan}{}", plan.map());
            }
        }
    }
}

waterline::graph! {
    mod net {
        plan { views = off, in_place = off }
        input x: f32[4];
        input side: f32[4];
        let a = relu(x);
        let b = sigmoid(a);
        output y = add(b, side).add(a);
    }
}

/// The tensors of [`net`], which share nothing.
fn tensors() -> Vec<Tensor> {
    net::PLAN.tensors.to_vec()
}

fn named(name: &str) -> usize {
    net::PLAN.tensors.iter().position(|tensor| tensor.name == name).unwrap()
}

fn with_tensors(tensors: Vec<Tensor>) -> Plan {
    Plan { tensors: tensors.leak(), ..net::PLAN }
}

fn flaw(plan: &Plan) -> &'static str {
    prove(plan, &by_birth(plan)).expect_err("the proof accepts a broken plan")
}

fn at(offset: usize) -> Place {
    Place::Arena { offset }
}

#[test]
fn the_network_itself_is_sound() {
    assert_eq!(prove(&net::PLAN, &by_birth(&net::PLAN)), Ok(()));
}

#[test]
fn a_tensor_outside_the_arena_is_a_flaw() {
    let mut tensors = tensors();
    tensors[named("y")].place = at(net::ARENA_BYTES - 12);
    assert_eq!(flaw(&with_tensors(tensors)), "a tensor leaves the arena");
}

#[test]
fn a_tensor_off_its_alignment_is_a_flaw() {
    let mut tensors = tensors();
    tensors[named("x")].place = at(2);
    assert_eq!(flaw(&with_tensors(tensors)), "a tensor is not aligned");
}

#[test]
fn tensors_that_live_together_may_not_meet() {
    let mut tensors = tensors();
    tensors[named("b")].place = tensors[named("a")].place;
    assert_eq!(flaw(&with_tensors(tensors)), "two tensors that live together share bytes");
    let mut tensors = self::tensors();
    let Place::Arena { offset } = tensors[named("a")].place else { panic!("a is in the arena") };
    tensors[named("b")].place = at(if offset == 0 { 4 } else { offset - 4 });
    assert_eq!(flaw(&with_tensors(tensors)), "two tensors that live together share bytes");
}

#[test]
fn a_lifetime_one_step_short_is_a_flaw() {
    for name in ["a", "b", "side"] {
        let mut tensors = tensors();
        tensors[named(name)].last -= 1;
        assert_eq!(flaw(&with_tensors(tensors)), "a step uses a tensor outside its lifetime", "{name}");
    }
    let mut tensors = tensors();
    tensors[named("a")].first += 1;
    assert_eq!(flaw(&with_tensors(tensors)), "a step uses a tensor outside its lifetime");
}

#[test]
fn inputs_live_from_the_start_and_outputs_to_the_end() {
    let mut tensors = tensors();
    tensors[named("side")].first = 1;
    assert_eq!(flaw(&with_tensors(tensors)), "an input's lifetime is too short");
    let b = Box::leak(Box::new([Output { name: "b", tensor: named("b"), kept: false }]));
    assert_eq!(flaw(&Plan { outputs: b, ..net::PLAN }), "an output's lifetime is too short");
    let kept = Box::leak(Box::new([Output { name: "y", tensor: named("y"), kept: true }]));
    assert_eq!(flaw(&Plan { outputs: kept, ..net::PLAN }), "an output's lifetime is too short");
}

#[test]
fn sharing_must_be_as_declared() {
    let mut tensors = tensors();
    tensors[named("b")].shares = Shares { inside: Some(named("y")), over: None, ahead: None, spread: None };
    assert_eq!(flaw(&with_tensors(tensors)), "a tensor is not inside the one that holds it");
    let mut tensors = self::tensors();
    tensors[named("b")].shares = Shares { inside: None, over: Some(named("a")), ahead: None, spread: None };
    assert_eq!(flaw(&with_tensors(tensors)), "a tensor is not over the one that it replaces");
    // `a` is read again after `b` took its place.
    let mut tensors = self::tensors();
    tensors[named("b")].place = tensors[named("a")].place;
    tensors[named("b")].shares = Shares { inside: None, over: Some(named("a")), ahead: None, spread: None };
    assert_eq!(flaw(&with_tensors(tensors)), "a tensor is not over the one that it replaces");
    // Two results inside one tensor may not meet.
    let mut tensors = self::tensors();
    tensors[named("b")].place = tensors[named("a")].place;
    for part in ["a", "b"] {
        tensors[named(part)].shares = Shares { inside: Some(named("side")), over: None, ahead: None, spread: None };
    }
    tensors[named("side")].place = tensors[named("a")].place;
    assert_eq!(flaw(&with_tensors(tensors)), "two tensors that live together share bytes");
}

#[test]
fn scratch_meets_nothing_that_lives() {
    let scratch = |scratch| {
        let mut steps: Vec<Step> = net::PLAN.steps.to_vec();
        steps[1].scratch = Some(scratch);
        Plan { steps: steps.leak(), ..net::PLAN }
    };
    let a = net::PLAN.tensors[named("a")].span().unwrap();
    assert_eq!(flaw(&scratch(Span { offset: a.offset + 12, size: 4 })), "a step's scratch shares bytes with a tensor");
    let end = Span { offset: net::ARENA_BYTES, size: 4 };
    assert_eq!(flaw(&scratch(end)), "a step's scratch leaves the arena");
}

#[test]
fn the_list_by_birth_hides_nothing() {
    let rows = by_birth(&net::PLAN);
    let mut swapped = rows.clone();
    swapped.swap(0, 1);
    assert_eq!(prove(&net::PLAN, &swapped), Err("the list by birth is not sorted"));
    assert_eq!(prove(&net::PLAN, &rows[1..]), Err("a tensor is missing from the list by birth"));
    let mut twice = rows.clone();
    twice[1] = twice[0];
    assert_eq!(prove(&net::PLAN, &twice), Err("the list by birth is not sorted"));
}

waterline::graph! {
    mod sliding {
        input x: f32[1, 4, 4, 2];
        param w: f32[4, 3, 3, 2] = random(1);
        output y = x.conv2d(w, padding = same);
    }
}

#[test]
fn what_is_read_ahead_keeps_its_distance() {
    let plan = &sliding::PLAN;
    assert_eq!(prove(plan, &by_birth(plan)), Ok(()));
    let position = |name| plan.tensors.iter().position(|tensor| tensor.name == name).unwrap();
    let (x, y) = (position("x"), position("y"));
    let ahead = plan.tensors[y].shares.ahead.unwrap();
    let (Place::Arena { offset: read }, Place::Arena { offset: written }) =
        (plan.tensors[x].place, plan.tensors[y].place)
    else {
        panic!("not in the arena")
    };
    assert_eq!((ahead.of, read.abs_diff(written)), (x, ahead.any), "as near as it may be");
    let broken = |change: &dyn Fn(&mut Tensor)| {
        let mut tensors = plan.tensors.to_vec();
        change(&mut tensors[y]);
        flaw(&Plan { tensors: tensors.leak(), ..*plan })
    };
    let near = "a tensor is too near to the one that is read ahead of it";
    let meet = "two tensors that live together share bytes";
    let farther = |y: &mut Tensor| {
        let ahead = y.shares.ahead.as_mut().unwrap();
        (ahead.from, ahead.any) = (ahead.from + 4, ahead.any + 4);
    };
    assert_eq!(broken(&farther), near);
    assert_eq!(broken(&|y| y.shares.ahead.as_mut().unwrap().backward ^= true), near);
    assert_eq!(broken(&|y| y.shares.ahead = None), meet);
    assert_eq!(broken(&|tensor| tensor.shares.ahead.as_mut().unwrap().of = y), near);
    // It is read a second time, in an order that nobody knows.
    let mut steps = plan.steps.to_vec();
    steps[0].reads = vec![x, x].leak();
    assert_eq!(flaw(&Plan { steps: steps.leak(), ..*plan }), meet);
}

waterline::graph! {
    mod joined {
        input x: f32[1, 2, 2, 1];
        param a: f32[2, 3, 3, 1] = random(1);
        param b: f32[3, 3, 3, 1] = random(2);
        output y = concat(x.conv2d(a, padding = same), x.conv2d(b, padding = same), axis = 3);
    }
}

#[test]
fn runs_may_interleave_but_not_meet() {
    assert_eq!(prove(&joined::PLAN, &by_birth(&joined::PLAN)), Ok(()));
    let spread = |tensor: &Tensor| tensor.shares.spread.is_some();
    let part = joined::PLAN.tensors.iter().position(spread).unwrap();
    let flaw = |change: &dyn Fn(&mut Tensor)| {
        let mut tensors = joined::PLAN.tensors.to_vec();
        change(&mut tensors[part]);
        flaw(&Plan { tensors: tensors.leak(), ..joined::PLAN })
    };
    let longer = |tensor: &mut Tensor| {
        let spread = tensor.shares.spread.as_mut().unwrap();
        let runs = tensor.size / spread.run;
        spread.run += 4;
        runs
    };
    let whole_runs = "a tensor is spread over nothing, or not in whole runs";
    let meet = "two tensors that live together share bytes";
    assert_eq!(flaw(&|tensor| _ = longer(tensor)), whole_runs);
    assert_eq!(flaw(&|tensor| tensor.size += longer(tensor) * 4), meet);
    assert_eq!(flaw(&|tensor| tensor.shares.spread = None), meet);
    assert_eq!(flaw(&|tensor| tensor.shares.inside = None), whole_runs);
    assert_eq!(flaw(&|tensor| tensor.shares.spread = Some(Spread { run: 24, stride: 20 })), whole_runs);
    assert_eq!(flaw(&|tensor| tensor.shares.spread.as_mut().unwrap().stride -= 4), meet);

    let mut steps = joined::PLAN.steps.to_vec();
    steps.last_mut().unwrap().reads = vec![part].leak();
    let reading = Plan { steps: steps.leak(), ..joined::PLAN };
    assert_eq!(prove(&reading, &by_birth(&reading)), Err("a step reads a tensor that is spread"));
}

waterline::graph! {
    mod keeping {
        plan { in_place = off }
        input x: f32[4];
        state h: f32[4] = zeros;
        h <- add(h, x);
        output y = relu(h);
    }
}

#[test]
fn states_stay_where_they_are_from_the_start_to_the_end() {
    let tensors = keeping::PLAN.tensors;
    let state = keeping::PLAN.states[0];
    let broken = |change: &dyn Fn(&mut Vec<Tensor>)| {
        let mut tensors = tensors.to_vec();
        change(&mut tensors);
        flaw(&Plan { tensors: tensors.leak(), ..keeping::PLAN })
    };
    let free = keeping::PLAN.arena_bytes;
    let moved = Plan { arena_bytes: free + 16, ..keeping::PLAN };
    let mut elsewhere = tensors.to_vec();
    elsewhere[state.next].place = Place::Arena { offset: free };
    let moved = Plan { tensors: elsewhere.leak(), ..moved };
    assert_eq!(flaw(&moved), "a state is not updated in its place");
    assert_eq!(broken(&|tensors| tensors[state.tensor].first = 1), "a step uses a tensor outside its lifetime");
    let short = broken(&|tensors| tensors[state.next].last = 0);
    assert!(short.contains("lifetime"), "{short}");
}
