//! Where states lie, and what their updates cost.

mod common;

use common::machine;
use common::programs::Builder;
use planner_core::dtype::DType::F32;
use planner_core::model::InputMode::{Borrowed, Plain};
use planner_core::model::TensorId;
use planner_core::options::{Options, Order};
use planner_core::plan::{Plan, plan};
use planner_core::planned::Place;

fn planned_with(builder: &Builder, options: &Options) -> Plan {
    let plan = plan(builder.program.clone(), options).unwrap();
    machine::run(&plan, &machine::values(&plan, 0)).unwrap();
    plan
}

fn planned(builder: &Builder) -> Plan {
    planned_with(builder, &Options { order: Order::Source, ..Options::default() })
}

fn place(plan: &Plan, tensor: TensorId) -> usize {
    match plan.places[tensor.0] {
        Place::Arena { offset, .. } => offset,
        other => panic!("{other:?}"),
    }
}

/// How often a state's new value is copied.
fn copies(plan: &Plan) -> usize {
    plan.steps.iter().filter(|step| ["assign", "copy"].contains(&plan.program.steps[step.step].op)).count()
}

#[test]
fn a_value_made_of_the_state_takes_its_place() {
    let mut builder = Builder::new();
    let state = builder.state(F32, 8);
    let input = builder.input(F32, 8, Plain);
    let scaled = builder.unary(state);
    let next = builder.compute(&[scaled, input], &[(F32, 8)], true, None)[0];
    let output = builder.compute(&[next], &[(F32, 1)], false, None)[0];
    builder.output(output, false);
    builder.assign(&[(state, next)]);
    let plan = planned(&builder);
    assert_eq!(copies(&plan), 0);
    assert_eq!([scaled, next].map(|tensor| place(&plan, tensor)), [place(&plan, state); 2]);
    assert_eq!((plan.arena_bytes, plan.lower_bound), (64, 64));
}

#[test]
fn a_value_made_after_the_last_reader_takes_its_place() {
    let mut builder = Builder::new();
    let state = builder.state(F32, 8);
    let input = builder.input(F32, 2, Borrowed);
    let seen = builder.compute(&[state], &[(F32, 2)], false, None)[0];
    let next = builder.compute(&[input], &[(F32, 8)], false, None)[0];
    builder.output(seen, false);
    builder.assign(&[(state, next)]);
    let plan = planned(&builder);
    assert_eq!((copies(&plan), place(&plan, next)), (0, place(&plan, state)));
}

#[test]
fn a_value_made_before_the_last_reader_is_copied() {
    let mut builder = Builder::new();
    let state = builder.state(F32, 8);
    let input = builder.input(F32, 2, Borrowed);
    let next = builder.compute(&[input], &[(F32, 8)], false, None)[0];
    let seen = builder.compute(&[state, next], &[(F32, 2)], false, None)[0];
    builder.output(seen, false);
    builder.assign(&[(state, next)]);
    let plan = planned(&builder);
    assert_eq!(copies(&plan), 1);
    assert_ne!(place(&plan, next), place(&plan, state));
}

#[test]
fn states_change_places_by_way_of_copies() {
    let mut builder = Builder::new();
    let (a, b) = (builder.state(F32, 4), builder.state(F32, 4));
    let view = builder.views(b, &[(0, 4)])[0];
    let seen = builder.compute(&[a, b], &[(F32, 1)], false, None)[0];
    builder.output(seen, false);
    builder.assign(&[(a, view), (b, a)]);
    let plan = planned(&builder);
    assert!(copies(&plan) >= 2);
    assert_ne!(place(&plan, a), place(&plan, b));
}

#[test]
fn a_state_is_live_throughout_and_shared_with_nothing_that_stays() {
    let mut builder = Builder::new();
    let state = builder.state(F32, 8);
    let input = builder.input(F32, 8, Plain);
    let scaled = builder.unary(state);
    builder.output(scaled, false);
    let next = builder.unary(input);
    builder.assign(&[(state, next)]);
    for (_, order) in Order::ALL {
        let plan = planned_with(&builder, &Options { order, ..Options::default() });
        let Place::Arena { buffer, .. } = plan.places[state.0] else { panic!("a state is in the arena") };
        let life = plan.buffers[buffer].life;
        assert_eq!((life.first, life.last), (0, plan.steps.len() - 1));
        assert_ne!(place(&plan, scaled), place(&plan, state), "an output outlives the update");
    }
}

#[test]
fn nothing_takes_the_place_of_a_state_where_that_is_switched_off() {
    let mut builder = Builder::new();
    let state = builder.state(F32, 8);
    let next = builder.unary(state);
    builder.output(next, false);
    builder.assign(&[(state, next)]);
    let plan = planned_with(&builder, &Options { in_place: false, ..Options::default() });
    assert_eq!((copies(&plan), plan.arena_bytes), (1, 64));
}
