//! What a plan that exceeds its budget says.

mod common;

use common::programs::Builder;
use planner_core::diagnostic::Kind;
use planner_core::distances::{Direction, Distances};
use planner_core::dtype::DType;
use planner_core::model::InputMode;
use planner_core::options::{Layout, Options, Order};
use planner_core::plan::plan;
use planner_core::source::Src;
use planner_core::steps::Program;

/// Two branches whose first steps are written one after the other, though each could end before the next begins.
fn branches() -> Program {
    let mut builder = Builder::new();
    let input = builder.input(DType::F32, 4, InputMode::Kept);
    let large: Vec<_> = (0..3).map(|_| builder.compute(&[input], &[(DType::F32, 100)], false, None)[0]).collect();
    let small: Vec<_> =
        large.iter().map(|&read| builder.compute(&[read], &[(DType::F32, 1)], false, None)[0]).collect();
    let result = builder.compute(&small, &[(DType::F32, 1)], false, None)[0];
    builder.output(result, false);
    builder.program
}

fn options(budget: usize) -> Options {
    Options { budget: Some((budget, Src(7))), ..Options::default() }
}

#[test]
fn a_plan_at_its_budget_is_no_error_and_one_above_is() {
    let bytes = plan(branches(), &Options::default()).unwrap().arena_bytes;
    assert_eq!(plan(branches(), &options(bytes)).unwrap().arena_bytes, bytes);
    assert_eq!(plan(branches(), &options(bytes - 1)).unwrap_err().0[0].kind, Kind::Budget);
}

#[test]
fn another_order_is_offered_where_it_fits() {
    let options = Options { order: Order::Source, layout: Layout::BestFit, ..options(1000) };
    let error = plan(branches(), &options).unwrap_err().0.remove(0);
    assert_eq!((error.kind, error.src), (Kind::Budget, Src(7)));
    assert_eq!(
        error.to_string(),
        "the plan exceeds its budget by 220 bytes
  got: an arena of 1220 bytes, with `order = source, layout = best_fit`
  wanted: at most 1000 bytes
  note: no plan of this order can need less than 1220 bytes
  note: most is live at step `t4` (compute), 1220 bytes:
         400  t1
         400  t2
         400  t3
          16  in0
           4  t4
  help: `order = auto` fits: 428 bytes
  help: a smaller `t1` would help most, with 400 bytes it is the largest there; as i8 it would take a quarter"
    );
}

#[test]
fn switches_are_offered_together_where_one_is_not_enough() {
    let mut builder = Builder::new();
    let input = builder.input(DType::I8, 64, InputMode::Plain);
    let viewed = builder.views(input, &[(0, 64)])[0];
    let result = builder.unary(viewed);
    builder.output(result, false);
    let options = Options { views: false, in_place: false, ..options(100) };
    let error = plan(builder.program, &options).unwrap_err().to_string();
    assert!(error.contains("`views = on` with `in_place = on` fits: 64 bytes"), "{error}");
    assert!(!error.contains("quarter"), "{error}");
}

#[test]
fn overlap_is_offered() {
    let mut builder = Builder::new();
    let input = builder.input(DType::I8, 64, InputMode::Plain);
    let result = builder.compute(&[input], &[(DType::I8, 48)], false, None)[0];
    builder.overlap(0, 0, Direction::Forward, Distances::at_least(4));
    builder.output(result, false);
    let error = plan(builder.program, &Options { overlap: false, ..options(100) }).unwrap_err().to_string();
    assert!(error.contains("`overlap = on` fits: 68 bytes"), "{error}");
}

#[test]
fn a_hopeless_budget_says_so() {
    let error = plan(branches(), &options(0)).unwrap_err().to_string();
    assert!(error.contains("no plan of this order can need less than"), "{error}");
}
