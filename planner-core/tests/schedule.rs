//! Orders against all orders.

mod common;

use common::programs::random_program;
use common::random::Random;
use planner_core::import::graph;
use planner_core::options::{Effort, Layout, Options, Order};
use planner_core::plan::plan;
use planner_core::schedule::{optimal, peak, schedule};
use planner_core::steps::Program;
use std::fmt::Write;

/// The steps that each step of `program` waits for.
fn before(program: &Program) -> Vec<Vec<usize>> {
    let mut before = program.waits();
    for (step, before) in program.steps.iter().zip(&mut before) {
        let written = |read| program.steps.iter().position(|step| step.writes.contains(read));
        before.extend(step.reads.iter().filter_map(written));
    }
    before
}

fn is_order(program: &Program, order: &[usize]) -> bool {
    let before = before(program);
    let ready = |at: usize| {
        let earlier = &order[..at];
        !earlier.contains(&order[at]) && before[order[at]].iter().all(|step| earlier.contains(step))
    };
    order.len() == before.len() && (0..order.len()).all(ready)
}

/// Calls `visit` for each order of steps that begins with `order`.
fn each_order(before: &[Vec<usize>], order: &mut Vec<usize>, visit: &mut dyn FnMut(&[usize])) {
    if order.len() == before.len() {
        return visit(order);
    }
    for step in 0..before.len() {
        if !order.contains(&step) && before[step].iter().all(|first| order.contains(first)) {
            order.push(step);
            each_order(before, order, visit);
            order.pop();
        }
    }
}

#[test]
fn nothing_beats_the_optimal_order() {
    let mut better = 0;
    for seed in 0..200 {
        let program = random_program(seed, 6);
        if program.steps.len() > 7 {
            continue;
        }
        let options = Options { effort: Effort::Max, ..Options::default() };
        let mut least = usize::MAX;
        each_order(&before(&program), &mut Vec::new(), &mut |order| least = least.min(peak(&program, &options, order)));
        let found = optimal(&program, &options);
        assert!(is_order(&program, &found.order), "seed {seed}");
        assert_eq!(peak(&program, &options, &found.order), found.peak, "seed {seed}");
        assert_eq!((found.peak, found.bound), (least, least), "seed {seed}");
        let source = schedule(&program, &options, Order::Source);
        better += usize::from(found.peak < peak(&program, &options, &source));
    }
    assert!(better > 20, "only {better} programs have something to gain");
}

#[test]
fn no_arena_is_below_the_bound() {
    let mut reached = 0;
    for seed in 0..400 {
        let program = random_program(seed, 10);
        let bound = |effort| optimal(&program, &Options { effort, ..Options::default() }).arena_bound;
        let (fast, bound) = (bound(Effort::Fast), bound(Effort::Default));
        assert!(fast <= bound, "seed {seed}: {fast}, {bound}");
        let best = plan(program.clone(), &Options::default()).unwrap().arena_bytes;
        reached += usize::from(best == bound.next_multiple_of(4));
        for layout in [Layout::BestFit, Layout::Exact, Layout::Coloring] {
            let arena = plan(program.clone(), &Options { layout, ..Options::default() }).unwrap().arena_bytes;
            assert!(best <= arena && bound <= arena, "seed {seed}, {layout:?}: {best}, {bound}, {arena}");
        }
    }
    assert!(reached > 20, "{reached}");
}

/// Two diamonds in a row, of which the order as written and that of the score waste much in the first.
#[test]
fn a_part_that_is_not_solved_bounds_nothing() {
    let mut lines = vec!["x I 8 - 0".to_owned()];
    for part in ["a", "b"] {
        let from = if part == "a" { "x" } else { "a_end" };
        for (branch, wide) in [(0, 100), (1, 90), (2, 80), (3, 70)] {
            lines.push(format!("{part}{branch} N {wide} - 1 {from}"));
        }
        for branch in 0..4 {
            lines.push(format!("{part}{branch}_narrow N 4 - 1 {part}{branch}"));
        }
        let flag = if part == "b" { "o" } else { "-" };
        lines.push(format!("{part}_end N 4 {flag} 4 {part}0_narrow {part}1_narrow {part}2_narrow {part}3_narrow"));
    }
    let program = graph::read(&lines.join("\n")).unwrap();
    let with = |effort| optimal(&program, &Options { effort, ..Options::default() });
    let best = with(Effort::Default);
    assert_eq!(best.peak, best.bound);
    assert!(with(Effort::Fast).bound <= best.peak, "{:?}", with(Effort::Fast));
    assert_eq!(
        plan(program.clone(), &Options { effort: Effort::Max, ..Options::default() }).unwrap().arena_bytes,
        best.peak
    );
}

#[test]
fn less_effort_gives_a_bound_that_holds() {
    let mut cut_short = 0;
    for seed in 0..60 {
        let program = random_program(seed, 40);
        let with = |effort| optimal(&program, &Options { effort, ..Options::default() });
        let (fast, default) = (with(Effort::Fast), with(Effort::Default));
        for found in [&fast, &default] {
            assert!(is_order(&program, &found.order), "seed {seed}");
            assert!(found.bound <= found.peak, "seed {seed}");
        }
        assert!(fast.bound <= default.peak && default.peak <= fast.peak, "seed {seed}");
        for order in [Order::Source, Order::Memory] {
            let order = schedule(&program, &Options::default(), order);
            assert!(fast.peak <= peak(&program, &Options::default(), &order), "seed {seed}");
        }
        cut_short += usize::from(fast.bound < fast.peak);
    }
    assert!(cut_short > 0);
}

/// Two chains whose ends are added, one after the other or turn by turn.
const DIAMOND: &str = "\
x I 100 - 0
a N 800 - 1 x
b N 800 - 1 x
c N 10 - 1 a
d N 10 - 1 b
y P 10 o 2 c d
";

#[test]
fn one_chain_after_the_other() {
    let program = graph::read(DIAMOND).unwrap();
    let found = optimal(&program, &Options::default());
    // While b is computed, there are also its argument and c.
    assert_eq!((found.peak, found.bound), (910, 910));
    let plan = plan(program, &Options::default()).unwrap();
    assert_eq!((plan.options.order, plan.arena_bytes), (Order::Memory, 912));
}

#[test]
fn steps_that_divide_the_network_divide_the_search() {
    // Twelve such diamonds in a row have more sets of finished steps than could be looked at.
    let mut text = DIAMOND.replace(" o ", " - ");
    for index in 1..12 {
        let from = if index == 1 { "y".to_owned() } else { format!("y{}", index - 1) };
        for line in DIAMOND.replace(" o ", " - ").lines().skip(1) {
            let words = line.split(' ').enumerate().map(|(at, word)| match word {
                "x" => from.clone(),
                _ if at == 0 || at > 4 => format!("{word}{index}"),
                _ => word.to_owned(),
            });
            text += &(words.collect::<Vec<_>>().join(" ") + "\n");
        }
    }
    let found = optimal(&graph::read(&text).unwrap(), &Options::default());
    assert_eq!((found.peak, found.bound), (910, 910));
    assert!(found.states < 100, "{}", found.states);
}

#[test]
fn defects_of_graphs() {
    let defect = |text: &str| graph::read(text).unwrap_err().0[0].to_string();
    assert!(defect("x I 4").starts_with("line 1: not a node"));
    assert!(defect("x I four - 0").contains("got: `four`"));
    assert!(defect("x I 0 - 0").contains("no tensor has so many bytes"));
    assert!(defect("x I 4 - 0\n\nx I 4 - 0").starts_with("line 3: a second node is called `x`"));
    assert!(defect("x I 4 - 0\ny N 4 - 1 z").contains("no node above is called `z`"));
    assert!(defect("x I 4 - 0\ny N 4 - 2 x").contains("wanted: 2"));
    assert!(defect("x I 4 - 0\ny V 5 - 1 x").contains("a view is larger than its source"));
    assert!(defect("x I 4 - 0\ny V 4 - 2 x x").contains("a view has one source"));
    assert!(defect("x I 4 - 0\ny I 4 - 1 x").contains("an input has no sources"));
    assert!(defect("x I 4 q 0").contains("wanted: `o` or `-`"));
    assert!(defect("x Q 4 - 0").contains("unknown kind of node"));
    assert_eq!(graph::read(&"x\n".repeat(99)).unwrap_err().0.len(), 20);
}

/// A graph of which every node reads one or two of the last twenty, so that nothing divides it.
fn tangle(seed: u64) -> Program {
    let random = &mut Random::new(seed);
    let mut text = "n0 I 64 - 0\n".to_owned();
    for node in 1..150 {
        let mut source = || node - 1 - random.below(node.min(20));
        let (first, second) = (source(), source());
        let bytes = 16 * random.range(1, 40);
        let sources = if first == second { format!("1 n{first}") } else { format!("2 n{first} n{second}") };
        writeln!(text, "n{node} N {bytes} - {sources}").unwrap();
    }
    graph::read(&text).unwrap()
}

#[test]
fn what_is_too_large_to_prove_is_ordered_well() {
    let mut percent = 0;
    for seed in 0..8 {
        let program = tangle(seed);
        let options = Options::default();
        let found = optimal(&program, &options);
        assert!(found.bound < found.peak && is_order(&program, &found.order), "seed {seed}");
        assert_eq!(peak(&program, &options, &found.order), found.peak, "seed {seed}");
        let heuristics = [Order::Source, Order::Memory].map(|order| schedule(&program, &options, order));
        let best = heuristics.iter().map(|order| peak(&program, &options, order)).min().unwrap();
        assert!(found.peak <= best, "seed {seed}");
        percent += 100 - 100 * found.peak / best;
    }
    assert!(percent > 80, "less than a tenth on average: {percent} / 8 %");
}

#[test]
fn cuts_bound_what_is_too_large_to_prove() {
    for seed in 0..2 {
        let with = |effort| optimal(&tangle(seed), &Options { effort, ..Options::default() });
        let [fast, default, max] = [Effort::Fast, Effort::Default, Effort::Max].map(with);
        assert!(max.bound <= max.peak && 2 * max.bound > max.peak, "{} of {}", max.bound, max.peak);
        // A few of them are not much worse.
        assert!(default.bound <= max.peak && 5 * default.bound > 4 * max.bound, "{} of {}", default.bound, max.bound);
        assert!(default.bound > 2 * fast.bound, "{} beside {}", default.bound, fast.bound);
    }
}
