//! What people see of a plan.

mod common;

use common::programs::Builder;
use planner_core::dtype::DType::{F32, I32};
use planner_core::events::EventKind::{self, Alloc, Exec, Free};
use planner_core::model::InputMode::{Borrowed, Plain};
use planner_core::options::{Layout, Options, Order};
use planner_core::plan::{Plan, plan};
use planner_core::report;
use planner_core::steps::Scratch;

/// A step with a constant and scratch, a step in place, a view of its half, a concat in place.
fn example() -> Plan {
    let mut builder = Builder::new();
    let (input, other) = (builder.input(F32, 100, Plain), builder.input(F32, 4, Borrowed));
    let weights = builder.constant(F32, 20);
    let scratch = Some(Scratch { bytes: 64, dtype: I32 });
    let first = builder.compute(&[input, weights], &[(F32, 50)], false, scratch)[0];
    let second = builder.unary(first);
    let half = builder.views(second, &[(25, 25)])[0];
    let third = builder.compute(&[half, other], &[(F32, 10)], false, None)[0];
    let whole = builder.concat(&[third, weights]);
    builder.output(whole, false);
    let options = Options { order: Order::Source, layout: Layout::GreedyBySize, ..Options::default() };
    plan(builder.program, &options).unwrap()
}

#[test]
fn a_line() {
    let text = "net: arena 664 B (no reuse 984 B, classic bound 664 B, lower bound 664 B), \
                weights 80 B (80 B in the model), 796 MACs, 4 steps";
    assert_eq!(report::line(&example()), text);
}

#[test]
fn a_table_of_steps() {
    let wanted = "\
net: arena 664 B (no reuse 984 B, classic bound 664 B, lower bound 664 B), weights 80 B (80 B in the model), 796 MACs, 4 steps
order source, layout greedy_by_size

step  operator  reads                        writes       scratch   MACs
   0  compute   in0 0..400, w0 (flash)       t3 400..600  600..664   480
   1  compute   t3 400..600                  t4 400..600             200
   2  compute   t5 500..600, in1 (borrowed)  t6 0..40                116
   3  concat    w0 (flash)                   t7 0..120
";
    assert_eq!(report::table(&example()), wanted);
}

#[test]
fn a_map_of_the_arena() {
    let wanted = "\
640 |###.........|
576 |###ccc......|
512 |bbbccc......|
448 |bbbccc......|
384 |bbbccc......|
320 |aaa.........|
256 |aaa.........|
192 |aaa.........|
128 |aaa.........|
 64 |aaa......eee|
  0 |aaa...dddeee|
      0  1  2  3
";
    let map = report::map(&example());
    assert!(map.starts_with(wanted), "{map}");
    assert!(map.contains("\n  a in0: f32[100], 0..400, step 0\n"), "{map}");
    assert!(map.contains("\n  e t7: f32[30], 0..120, step 3\n"), "{map}");
}

#[test]
fn a_picture() {
    let picture = report::svg(&example());
    let count = |text: &str| picture.matches(text).count();
    for tag in ["svg", "g", "text", "title", "tspan", "pattern", "defs"] {
        let opened = count(&format!("<{tag}>")) + count(&format!("<{tag} "));
        assert_eq!(opened, count(&format!("</{tag}>")), "{tag}");
    }
    for text in ["peak: 664 B live", "arena 664 B", "in0", "t3", "t4", "t6", "t7", "scratch of t3"] {
        assert!(picture.contains(text), "{text}");
    }
    assert!(!picture.contains("NaN") && !picture.contains("inf"));
}

#[test]
fn names_cannot_break_the_picture() {
    let mut plan = example();
    plan.program.tensors[0].name = "<a & \"b\">".into();
    assert!(report::svg(&plan).contains("&lt;a &amp; &quot;b&quot;&gt;"));
}

#[test]
fn an_empty_plan_can_be_shown() {
    let mut builder = Builder::new();
    let input = builder.input(F32, 1, Borrowed);
    builder.output(input, false);
    let plan = plan(builder.program, &Options::default()).unwrap();
    assert!(report::table(&plan).contains("0 steps"));
    assert!(report::map(&plan).trim().is_empty());
    assert!(!report::svg(&plan).contains("NaN"));
}

#[test]
fn every_tensor_of_the_arena_is_allocated_before_it_is_written_and_freed_after() {
    let plan = example();
    let rows: Vec<(usize, EventKind, &str)> = plan
        .events
        .iter()
        .map(|event| (event.step, event.kind, plan.program.tensors[event.tensor].name.as_str()))
        .collect();
    let wanted = [
        (0, Alloc, "in0"),
        (0, Alloc, "t3"),
        (0, Exec, "t3"),
        (0, Free, "in0"),
        (1, Alloc, "t4"),
        (1, Alloc, "t5"),
        (1, Exec, "t4"),
        (1, Free, "t3"),
        (1, Free, "t4"),
        (2, Alloc, "t6"),
        (2, Exec, "t6"),
        (2, Free, "t5"),
        (3, Alloc, "t7"),
        (3, Exec, "t7"),
        (3, Free, "t6"),
        (3, Free, "t7"),
    ];
    assert_eq!(rows, wanted);
}
