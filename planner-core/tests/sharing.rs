//! Which tensors share which bytes, rule by rule.

mod common;

use common::machine;
use common::programs::Builder;
use planner_core::distances::{Direction, Distances};
use planner_core::dtype::DType::{self, F32, I8};
use planner_core::emit::StaticId;
use planner_core::model::InputMode::{Borrowed, Kept, Plain};
use planner_core::model::TensorId;
use planner_core::options::{Options, Order};
use planner_core::plan::{Plan, plan};
use planner_core::planned::Place;
use planner_core::steps::Sharing;

/// The plan of what `builder` built, in source order.
fn planned(builder: Builder) -> Plan {
    planned_with(builder, &Options { order: Order::Source, ..Options::default() })
}

fn planned_with(builder: Builder, options: &Options) -> Plan {
    let plan = plan(builder.program, options).unwrap();
    machine::run(&plan, &machine::values(&plan, 0)).unwrap();
    plan
}

fn offset(plan: &Plan, tensor: TensorId) -> usize {
    match plan.places[tensor.0] {
        Place::Arena { offset, .. } => offset,
        other => panic!("{other:?}"),
    }
}

fn over(plan: &Plan, tensor: TensorId) -> Option<TensorId> {
    plan.shares[tensor.0].over.map(TensorId)
}

#[test]
fn a_chain_of_elementwise_steps_has_one_slot() {
    let mut builder = Builder::new();
    let input = builder.input(F32, 10, Plain);
    let mut last = input;
    for _ in 0..4 {
        last = builder.unary(last);
    }
    builder.output(last, false);
    let plan = planned(builder);
    assert_eq!((plan.arena_bytes, plan.lower_bound, plan.classic_bound), (40, 40, 80));
    assert_eq!(plan.separate_bytes, 200);
    assert_eq!(offset(&plan, last), offset(&plan, input));
}

#[test]
fn nothing_is_written_over_what_is_wanted() {
    let mut builder = Builder::new();
    let kept = builder.input(F32, 4, Kept);
    let borrowed = builder.input(F32, 4, Borrowed);
    let constant = builder.constant(F32, 4);
    let shown = builder.input(F32, 4, Plain);
    builder.output(shown, false);
    for tensor in [kept, borrowed, constant, shown] {
        let result = builder.unary(tensor);
        builder.output(result, false);
    }
    let plan = planned(builder);
    assert!(plan.shares.iter().all(|shares| shares.over.is_none()));
    assert_eq!(plan.places[borrowed.0], Place::Borrowed { input: 1, offset: 0 });
    assert_eq!(plan.places[constant.0], Place::Static { id: StaticId(0), offset: 0 });
}

#[test]
fn nothing_is_written_over_a_tensor_whose_view_is_read_later() {
    let mut builder = Builder::new();
    let input = builder.input(F32, 6, Plain);
    let view = builder.views(input, &[(0, 6)])[0];
    let square = builder.unary(view);
    let result = builder.compute(&[view, square], &[(F32, 6)], false, None)[0];
    builder.output(result, false);
    let plan = planned(builder);
    assert_eq!(over(&plan, square), None);
    assert_eq!(offset(&plan, view), offset(&plan, input));
}

#[test]
fn a_result_goes_over_the_argument_that_dies() {
    for dying in 0..2 {
        let mut builder = Builder::new();
        let arguments = [builder.input(F32, 4, Plain), builder.input(F32, 4, Plain)];
        let sum = builder.compute(&arguments, &[(F32, 4)], true, None)[0];
        let result = builder.compute(&[arguments[1 - dying], sum], &[(F32, 1)], false, None)[0];
        builder.output(result, false);
        assert_eq!(over(&planned(builder), sum), Some(arguments[dying]));
    }
}

#[test]
fn a_result_goes_over_the_argument_that_keeps_nothing_else_alive() {
    let mut builder = Builder::new();
    let large = builder.input(F32, 40, Plain);
    let slice = builder.views(large, &[(8, 4)])[0];
    let whole = builder.input(F32, 4, Plain);
    let sum = builder.compute(&[slice, whole], &[(F32, 4)], true, None)[0];
    builder.output(sum, false);
    assert_eq!(over(&planned(builder), sum), Some(whole));
}

#[test]
fn an_argument_used_twice_is_replaced_only_if_both_uses_allow_it() {
    for both in [true, false] {
        let mut builder = Builder::new();
        let input = builder.input(F32, 4, Plain);
        let sum = builder.compute(&[input, input], &[(F32, 4)], true, None)[0];
        if !both {
            builder.program.steps[0].sharing.retain(|rule| matches!(rule, Sharing::InPlace { arg: 0, .. }));
        }
        builder.output(sum, false);
        assert_eq!(over(&planned(builder), sum), both.then_some(input));
    }
}

/// Two results of one argument, concatenated.
fn fire(builder: &mut Builder) -> [TensorId; 4] {
    let input = builder.input(F32, 128, Plain);
    let squeezed = builder.compute(&[input], &[(F32, 64)], false, None)[0];
    let parts = [0, 1].map(|_| builder.compute(&[squeezed], &[(F32, 64)], false, None)[0]);
    [squeezed, parts[0], parts[1], builder.concat(&parts)]
}

#[test]
fn a_concat_is_produced_in_place() {
    let mut builder = Builder::new();
    let [_, first, second, whole] = fire(&mut builder);
    builder.output(whole, false);
    let plan = planned(builder);
    assert_eq!(offset(&plan, first), offset(&plan, whole));
    assert_eq!(offset(&plan, second), offset(&plan, whole) + 256);
    assert_eq!(plan.steps.len(), 3, "the concat is no step");
    assert_eq!((plan.arena_bytes, plan.lower_bound), (768, 768));
}

#[test]
fn what_a_part_of_a_concat_is_a_view_of_is_inside_too() {
    let mut builder = Builder::new();
    let input = builder.input(F32, 8, Plain);
    let under = builder.compute(&[input], &[(F32, 4)], false, None)[0];
    let first = builder.unary(under);
    let view = builder.views(first, &[(0, 4)])[0];
    let second = builder.compute(&[input], &[(F32, 4)], false, None)[0];
    let whole = builder.concat(&[view, second]);
    builder.output(whole, false);
    let plan = planned(builder);
    assert_eq!(over(&plan, first), Some(under));
    assert_eq!(plan.shares[view.0].inside, Some(first.0));
    assert_eq!(plan.shares[first.0].inside, Some(whole.0));
}

#[test]
fn each_switch_switches_its_rule_off() {
    let build = || {
        let mut builder = Builder::new();
        let [_, _, _, whole] = fire(&mut builder);
        let view = builder.views(whole, &[(0, 128)])[0];
        let result = builder.unary(view);
        builder.output(result, false);
        builder
    };
    let sharing = |options: &Options| {
        let plan = planned_with(build(), options);
        let inside = plan.shares.iter().filter(|shares| shares.inside.is_some()).count();
        (inside, plan.shares.iter().filter(|shares| shares.over.is_some()).count(), plan.steps.len())
    };
    let all = Options { order: Order::Source, ..Options::default() };
    assert_eq!(sharing(&all), (3, 1, 4));
    assert_eq!(sharing(&Options { views: false, ..all.clone() }), (2, 1, 5));
    assert_eq!(sharing(&Options { in_place: false, ..all.clone() }), (3, 0, 4));
    assert_eq!(sharing(&Options { concat: false, ..all }), (1, 1, 5));
}

#[test]
fn what_is_in_a_concat_twice_or_elsewhere_is_copied() {
    let mut builder = Builder::new();
    let (x, y) = (builder.input(F32, 2, Plain), builder.input(F32, 1, Plain));
    let repeated = builder.concat(&[x, y, x]);
    let result = builder.compute(&[repeated], &[(F32, 1)], false, None)[0];
    builder.output(result, false);
    let plan = planned(builder);
    assert_eq!(plan.steps[0].calls, [0, 2], "the calls for `x` remain, that for `y` is spared");
    assert_eq!(plan.shares[y.0].inside, Some(repeated.0));

    let mut builder = Builder::new();
    let x = builder.input(I8, 8, Plain);
    let rest = [builder.input(I8, 8, Borrowed), builder.constant(I8, 8), builder.input(I8, 8, Kept)];
    let whole = builder.concat(&[x, rest[0], rest[1], rest[2]]);
    let again = builder.concat(&[x, whole]);
    let result = builder.compute(&[again], &[(I8, 1)], false, None)[0];
    builder.output(result, false);
    let plan = planned(builder);
    assert_eq!(plan.steps[0].calls, [1, 2, 3], "only the plain input is produced in place");
    assert_eq!(plan.shares[x.0].inside, Some(whole.0));
    assert_eq!(plan.shares[whole.0].inside, None, "`x` would be in `again` twice");
}

#[test]
fn a_kept_output_has_a_place_of_its_own() {
    let mut builder = Builder::new();
    let input = builder.input(F32, 4, Plain);
    let view = builder.views(input, &[(0, 4)])[0];
    let over_it = builder.unary(view);
    let joined = builder.concat(&[input, over_it]);
    for tensor in [view, over_it, joined] {
        builder.output(tensor, true);
    }
    let plan = planned(builder);
    assert!(plan.shares.iter().all(|shares| shares.inside.is_none() && shares.over.is_none()), "{:?}", plan.shares);
    let end = plan.steps.len() - 1;
    for tensor in [view, over_it, joined] {
        let life = plan.lifetimes[tensor.0].unwrap();
        assert_eq!((life.first, life.last), (0, end));
    }
}

/// Inside it would keep the rest of a concat alive from the first step to the last.
#[test]
fn what_is_kept_is_copied_into_a_concat_though_it_comes_as_a_view() {
    let mut builder = Builder::new();
    let input = builder.input(I8, 4, Kept);
    let other = builder.input(I8, 4, Plain);
    let output = builder.compute(&[other], &[(I8, 4)], false, None)[0];
    let views = [input, output].map(|kept| builder.views(kept, &[(0, 4)])[0]);
    let joined = builder.concat(&views);
    let result = builder.compute(&[joined], &[(I8, 1)], false, None)[0];
    builder.output(output, true);
    builder.output(result, false);
    let plan = planned(builder);
    let inside = [input, output].map(|kept| plan.shares[kept.0].inside);
    assert_eq!(inside, [None, None]);
    assert_eq!(views.map(|view| plan.shares[view.0].inside), [Some(input.0), Some(output.0)]);
}

#[test]
fn nothing_overlaps_what_a_view_still_shows() {
    for viewed_first in [true, false] {
        let mut builder = Builder::new();
        let input = builder.input(I8, 8, Plain);
        let view = |builder: &mut Builder| builder.views(input, &[(0, 8)])[0];
        let early = viewed_first.then(|| view(&mut builder));
        let result = builder.compute(&[input], &[(I8, 8)], false, None)[0];
        builder.overlap(0, 0, Direction::Forward, Distances::at_least(2));
        // It takes no step, so that the other one is the last of both.
        let shown = early.unwrap_or_else(|| view(&mut builder));
        builder.output(shown, false);
        builder.output(result, false);
        let plan = planned(builder);
        assert_eq!((plan.steps.len(), plan.arena_bytes, plan.shares[result.0].ahead), (1, 16, None));
    }
}

#[test]
fn views_of_what_is_outside_the_arena_are_outside() {
    let mut builder = Builder::new();
    let (borrowed, constant) = (builder.input(F32, 6, Borrowed), builder.constant(I8, 6));
    let (view, tail) = (builder.views(borrowed, &[(2, 4)])[0], builder.views(constant, &[(5, 1)])[0]);
    let nested = builder.views(view, &[(1, 1)])[0];
    for tensor in [borrowed, view, tail, nested] {
        builder.output(tensor, false);
    }
    let plan = planned(builder);
    assert_eq!(plan.places[view.0], Place::Borrowed { input: 0, offset: 8 });
    assert_eq!(plan.places[nested.0], Place::Borrowed { input: 0, offset: 12 });
    assert_eq!(plan.places[tail.0], Place::Static { id: StaticId(0), offset: 5 });
    assert_eq!((plan.steps.len(), plan.arena_bytes, plan.lower_bound), (0, 0, 0));
}

#[test]
fn an_input_may_be_an_output_and_an_output_have_two_names() {
    let mut builder = Builder::new();
    let input = builder.input(F32, 4, Plain);
    let result = builder.unary(input);
    for tensor in [input, result, result] {
        builder.output(tensor, false);
    }
    let plan = planned(builder);
    assert_eq!((plan.arena_bytes, plan.lower_bound), (32, 32));
}

#[test]
fn an_alignment_keeps_views_and_parts_apart_that_are_not_aligned() {
    let build = || {
        let mut builder = Builder::new();
        let input = builder.input(I8, 8, Plain);
        let half = builder.views(input, &[(4, 4)])[0];
        let part = builder.compute(&[half], &[(I8, 4)], false, None)[0];
        let whole = builder.concat(&[part, half]);
        let result = builder.compute(&[whole], &[(I8, 1)], false, None)[0];
        builder.output(result, false);
        (builder, half, part)
    };
    let (builder, half, part) = build();
    let plan = planned(builder);
    assert!(plan.shares[half.0].inside.is_some() && plan.shares[part.0].inside.is_some());
    let (builder, half, part) = build();
    let plan = planned_with(builder, &Options { align: Some(8), ..Options::default() });
    assert!(plan.shares[half.0].inside.is_none() && plan.shares[part.0].inside.is_some());
    assert!(plan.buffers.iter().all(|buffer| buffer.offset.is_multiple_of(8)));
}

#[test]
fn a_concat_is_copied_where_its_place_would_cost_more() {
    // A skip connection: the concat's first argument exists long before the second.
    let mut builder = Builder::new();
    let input = builder.input(I8, 100, Plain);
    let skip = builder.compute(&[input], &[(I8, 100)], false, None)[0];
    let mut deep = builder.compute(&[skip], &[(I8, 10)], false, None)[0];
    for elements in [400, 400, 10] {
        deep = builder.compute(&[deep], &[(I8, elements)], false, None)[0];
    }
    let up = builder.compute(&[deep], &[(I8, 300)], false, None)[0];
    let whole = builder.concat(&[skip, up]);
    let result = builder.compute(&[whole], &[(I8, 1)], false, None)[0];
    builder.output(result, false);
    let plan = planned(builder);
    assert_eq!((plan.arena_bytes, plan.lower_bound), (900, 900));
    assert_eq!(plan.shares[skip.0].inside, None);
    assert_eq!(plan.shares[up.0].inside, Some(whole.0));
}

#[test]
fn a_program_without_steps_has_a_plan() {
    let mut builder = Builder::new();
    let tensors: [TensorId; 2] = [builder.input(DType::I32, 3, Plain), builder.input(I8, 5, Kept)];
    builder.output(tensors[0], false);
    let plan = planned(builder);
    assert_eq!((plan.arena_bytes, plan.lower_bound, plan.classic_bound), (20, 17, 17));
    assert!(plan.events.is_empty());
}

#[test]
fn a_part_is_spread_only_if_its_kernel_can_and_nothing_else_sees_it() {
    /// Which of two parts is spread over a concat of this many rows.
    fn spread(rows: usize, change: impl Fn(&mut Builder, TensorId)) -> [bool; 2] {
        let mut builder = Builder::new();
        let input = builder.input(F32, 4, Plain);
        let parts = [(); 2].map(|()| builder.compute(&[input], &[(F32, 8)], false, None)[0]);
        change(&mut builder, parts[0]);
        let whole = builder.join(&parts, rows);
        builder.output(whole, false);
        let plan = planned(builder);
        parts.map(|part| plan.shares[part.0].spread.is_some())
    }
    let shown = |builder: &mut Builder, part| builder.output(part, false);
    let read = |builder: &mut Builder, part| {
        let other = builder.compute(&[part], &[(F32, 1)], false, None)[0];
        builder.output(other, false);
    };
    let viewed = |builder: &mut Builder, part| builder.views(part, &[(0, 4)]).clear();
    assert_eq!(spread(4, |_, _| ()), [true, true]);
    assert_eq!(spread(4, shown), [false, true]);
    assert_eq!(spread(4, read), [false, true]);
    assert_eq!(spread(4, viewed), [false, true]);
    assert_eq!(spread(2, |_, _| ()), [false, false], "the kernel's rows are shorter");
    assert_eq!(spread(1, |_, _| ()), [false, false], "they lie in one piece");
}
