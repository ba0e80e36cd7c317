//! Planners that are broken on purpose: each must be caught by `verify`.

mod common;

use common::machine;
use common::programs::{Builder, random_program};
use common::random::Random;
use planner_core::distances::{Direction, Distances};
use planner_core::dtype::DType;
use planner_core::layout::{Buffer, Problem};
use planner_core::model::InputMode;
use planner_core::options::{Layout, Options, Order};
use planner_core::plan::{Plan, plan};
use planner_core::planned::{Lifetime, Place};
use planner_core::verify::{self, Violation};

/// Plans of random programs whose layout reuses memory.
fn plans() -> impl Iterator<Item = Plan> {
    let options = Options { order: Order::Source, layout: Layout::BestFit, ..Options::default() };
    (0..300).map(move |seed| plan(random_program(seed, 14), &options).unwrap())
}

fn problem(plan: &Plan) -> Problem {
    let buffer = |buffer: &planner_core::plan::Buffer| Buffer {
        size: buffer.size,
        align: buffer.align,
        first: buffer.life.first,
        last: buffer.life.last,
    };
    Problem { buffers: plan.buffers.iter().map(buffer).collect(), ..Problem::default() }
}

/// `plan` with its buffers elsewhere.
fn moved(plan: &Plan, offsets: &[usize]) -> Plan {
    let mut moved = plan.clone();
    moved.arena_bytes = problem(plan).height(offsets).next_multiple_of(4);
    for (index, offset) in offsets.iter().enumerate() {
        common::move_buffer(&mut moved, index, *offset);
    }
    moved
}

/// `verify` objects to `broken` where bytes are lost; whether they are.
fn caught(broken: &Plan) -> bool {
    let lost = (0..4).find_map(|salt| machine::run(broken, &machine::values(broken, salt)).err());
    let found = verify::bytes(broken).err();
    assert_eq!(lost.is_some(), found.is_some(), "{lost:?}, {found:?}");
    lost.is_some()
}

#[test]
fn a_lifetime_one_step_short() {
    let mut count = 0;
    for plan in plans() {
        for index in 0..plan.buffers.len() {
            let mut problem = problem(&plan);
            let buffer = &mut problem.buffers[index];
            if buffer.last > buffer.first {
                buffer.last -= 1;
                count += usize::from(caught(&moved(&plan, &problem.solve(Layout::BestFit, &Options::default()))));
            }
        }
        for tensor in 0..plan.lifetimes.len() {
            let mut broken = plan.clone();
            let Some(life) = plan.lifetimes[tensor].filter(|life| life.last > life.first) else { continue };
            // What holds it and lives longer keeps its bytes, if nothing reads them here.
            let (program, step) = (&plan.program, &plan.steps[life.last]);
            let used = step.reads(program).chain(step.writes(program)).any(|id| id.0 == tensor);
            let holder = plan.shares[tensor].inside.and_then(|holder| plan.lifetimes[holder]);
            if !used && holder.is_some_and(|holder| holder.first < life.last && life.last <= holder.last) {
                continue;
            }
            broken.lifetimes[tensor] = Some(Lifetime { last: life.last - 1, ..life });
            assert!(matches!(verify::tables(&broken), Err(Violation::Lifetime { .. })), "{tensor}: {broken:#?}");
        }
    }
    assert!(count > 100, "only {count} plans were broken");
}

#[test]
fn a_freed_block_returned_twice() {
    let mut count = 0;
    for plan in plans() {
        let buffers = problem(&plan).buffers;
        let mut free: Vec<(usize, usize)> = Vec::new();
        let mut end: usize = 0;
        let mut offsets = vec![0; buffers.len()];
        for step in 0..plan.steps.len() {
            for index in (0..buffers.len()).filter(|&index| buffers[index].first == step) {
                let Buffer { size, align, .. } = buffers[index];
                let fits = |(offset, room): &(usize, usize)| offset.is_multiple_of(align) && size <= *room;
                offsets[index] = match free.iter().position(fits) {
                    Some(block) => free.swap_remove(block).0,
                    None => end.next_multiple_of(align),
                };
                end = end.max(offsets[index] + size);
            }
            for index in (0..buffers.len()).filter(|&index| buffers[index].last == step) {
                free.extend([(offsets[index], buffers[index].size); 2]);
            }
        }
        count += usize::from(caught(&moved(&plan, &offsets)));
    }
    assert!(count > 10, "only {count} plans were broken");
}

#[test]
fn an_in_place_before_the_last_reader() {
    let mut builder = Builder::new();
    let input = builder.input(DType::F32, 4, InputMode::Plain);
    let early = builder.unary(input);
    let result = builder.compute(&[early, input], &[(DType::F32, 1)], false, None)[0];
    builder.output(result, false);
    let mut plan = plan(builder.program, &Options::default()).unwrap();
    assert_eq!(verify::verify(&plan), Ok(()));
    assert!(plan.shares[early.0].over.is_none(), "the input is still read");

    plan.places[early.0] = plan.places[input.0];
    assert!(caught(&plan));
    let damaged = Violation::Damaged { tensor: "in0".into(), step: Some("t2".into()), by: Some("`t1`".into()) };
    assert_eq!(verify::bytes(&plan), Err(damaged));
}

/// Plans of chains in which each result slides over its argument.
fn sliding_plans() -> impl Iterator<Item = Plan> {
    (0..100).map(|seed| {
        let random = &mut Random::new(seed);
        let mut builder = Builder::new();
        let mut last = builder.input(DType::I8, random.range(20, 60), InputMode::Plain);
        for _ in 0..5 {
            last = builder.compute(&[last], &[(DType::I8, random.range(20, 60))], false, None)[0];
            for direction in [Direction::Forward, Direction::Backward] {
                let (from, more) = (random.below(20), random.below(20));
                let distances = Distances { from, multiple: random.pick(&[1, 3, 8]), any: from + more };
                builder.overlap(0, 0, direction, distances);
            }
        }
        builder.output(last, false);
        plan(builder.program, &Options { layout: Layout::Exact, ..Options::default() }).unwrap()
    })
}

#[test]
fn an_overlap_one_byte_short() {
    let (mut count, mut backward) = (0, 0);
    for plan in sliding_plans() {
        for (tensor, shares) in plan.shares.iter().enumerate() {
            let Some(ahead) = shares.ahead else { continue };
            let (Place::Arena { buffer, offset }, Place::Arena { buffer: under, offset: read }) =
                (plan.places[tensor], plan.places[ahead.of])
            else {
                unreachable!("both are in the arena")
            };
            let distance = offset.abs_diff(read);
            if distance == 0 || ahead.distances.allows(distance - 1) {
                continue;
            }
            // The one that starts higher comes down by a byte.
            let higher = if offset > read { buffer } else { under };
            let mut broken = plan.clone();
            common::move_buffer(&mut broken, higher, plan.buffers[higher].offset - 1);
            assert!(caught(&broken), "{broken:#?}");
            count += 1;
            backward += usize::from(ahead.direction == Direction::Backward);
        }
    }
    assert!(count > 50 && backward > 10, "only {count} plans were broken, {backward} of a kernel that runs backward");
}

#[test]
fn an_overlap_in_the_wrong_direction_or_switched_off() {
    let mut count = 0;
    for plan in sliding_plans() {
        for tensor in 0..plan.shares.len() {
            let mut broken = plan.clone();
            let Some(ahead) = &mut broken.shares[tensor].ahead else { continue };
            let (Place::Arena { offset, .. }, Place::Arena { offset: read, .. }) =
                (plan.places[tensor], plan.places[ahead.of])
            else {
                unreachable!("both are in the arena")
            };
            if offset != read {
                ahead.direction = match ahead.direction {
                    Direction::Forward => Direction::Backward,
                    Direction::Backward => Direction::Forward,
                };
                assert!(matches!(verify::bytes(&broken), Err(Violation::Overlap { .. })), "{broken:#?}");
            }
            let mut broken = plan.clone();
            broken.shares[tensor].ahead = None;
            assert!(matches!(verify::bytes(&broken), Err(Violation::Overlap { .. })), "{broken:#?}");
            let mut broken = plan.clone();
            broken.options.overlap = false;
            assert!(matches!(verify::bytes(&broken), Err(Violation::Overlap { .. })), "{broken:#?}");
            count += 1;
        }
    }
    assert!(count > 10, "only {count} plans were broken");
}

#[test]
fn scratch_over_an_argument() {
    let mut count = 0;
    for plan in plans() {
        let arguments = |step: &planner_core::steps::Step| {
            step.reads.iter().find_map(|read| match plan.places[read.0] {
                Place::Arena { offset, .. } => Some(offset),
                _ => None,
            })
        };
        for index in 0..plan.steps.len() {
            let mut broken = plan.clone();
            let planned = &mut broken.steps[index];
            let step = &plan.program.steps[planned.step];
            if let (Some(scratch), Some(offset)) = (&mut planned.scratch, arguments(step)) {
                *scratch = offset..offset + scratch.len();
                broken.arena_bytes += scratch.len();
                assert!(caught(&broken));
                count += 1;
            }
        }
    }
    assert!(count > 10, "only {count} plans were broken");
}

#[test]
fn a_run_one_element_too_long() {
    let mut count = 0;
    for plan in plans() {
        for tensor in 0..plan.shares.len() {
            let mut broken = plan.clone();
            let Some(spread) = &mut broken.shares[tensor].spread else { continue };
            spread.run += plan.program.tensors[tensor].ty.dtype.bytes();
            assert!(matches!(verify::bytes(&broken), Err(Violation::Misplaced { .. })), "{tensor}: {broken:#?}");
            count += 1;
        }
    }
    assert!(count > 10, "only {count} plans were broken");
}

#[test]
fn a_part_read_where_it_is_spread() {
    let mut count = 0;
    for plan in plans() {
        for (index, step) in plan.program.steps.iter().enumerate().filter(|(_, step)| step.op == "concat") {
            let spread = step.reads.iter().position(|read| plan.shares[read.0].spread.is_some());
            let mut broken = plan.clone();
            let planned = broken.steps.iter_mut().find(|planned| planned.step == index);
            if let (Some(call), Some(planned)) = (spread, planned) {
                planned.calls.push(call);
                assert!(verify::bytes(&broken).is_err(), "{broken:#?}");
                count += 1;
            }
        }
    }
    assert!(count > 0, "no plan was broken");
}
