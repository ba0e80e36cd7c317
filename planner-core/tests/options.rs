//! Options that a front end may let through.

mod common;

use common::programs::Builder;
use planner_core::diagnostic::Kind;
use planner_core::dtype::DType::I8;
use planner_core::model::InputMode::Plain;
use planner_core::options::{Layout, Options, Order};
use planner_core::plan::{MAX_ALIGN, Plan, plan};

fn planned(options: &Options) -> Result<Plan, Kind> {
    let mut builder = Builder::new();
    let input = builder.input(I8, 5, Plain);
    let large = builder.compute(&[input], &[(I8, 7)], false, None)[0];
    builder.output(large, false);
    plan(builder.program, options).map_err(|found| found.0[0].kind)
}

#[test]
fn an_alignment_is_a_power_of_two_of_bearable_size() {
    for align in [0, 3, 48, MAX_ALIGN * 2, usize::MAX, 1 << 63] {
        let options = Options { align: Some(align), ..Options::default() };
        assert_eq!(planned(&options).err(), Some(Kind::PlanOption), "{align}");
    }
    for (align, arena_align, arena_bytes) in [(1, 16, 12), (16, 16, 24), (64, 64, 72)] {
        let plan = planned(&Options { align: Some(align), ..Options::default() }).unwrap();
        assert_eq!((plan.arena_align, plan.arena_bytes), (arena_align, arena_bytes));
    }
}

#[test]
fn absurd_size_classes_and_weights_are_harmless() {
    for size_classes in [vec![0], vec![usize::MAX], vec![1, 6, usize::MAX / 2]] {
        let options = Options { layout: Layout::SizeClass, size_classes, ..Options::default() };
        assert!(planned(&options).is_ok());
    }
    for alpha in [f64::NAN, f64::INFINITY, -1e300] {
        let options = Options { order: Order::Memory, alpha, beta: alpha, ..Options::default() };
        assert!(planned(&options).is_ok());
    }
}

#[test]
fn the_plan_says_what_was_chosen() {
    let plan = planned(&Options::default()).unwrap();
    assert_eq!((plan.options.order, plan.options.layout), (Order::Source, Layout::GreedyBySize));
    let plan = planned(&Options { layout: Layout::Separate, ..Options::default() }).unwrap();
    assert!(!plan.options.in_place, "a place that is used again would be reuse");
    assert_eq!(plan.arena_bytes, plan.separate_bytes);
}
