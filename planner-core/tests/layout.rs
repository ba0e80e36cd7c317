//! Layouts of plain problems.

mod common;

use common::random::Random;
use planner_core::layout::{Buffer, Problem};
use planner_core::options::{Layout, Options};

fn random_problem(random: &mut Random) -> Problem {
    let steps = random.range(1, 20);
    let buffers = (0..random.range(0, 30)).map(|_| {
        let first = random.below(steps);
        let align = random.pick(&[1, 4, 16]);
        Buffer { size: random.range(1, 100), align, first, last: random.range(first, steps - 1) }
    });
    Problem { buffers: buffers.collect(), ..Problem::default() }
}

/// Every pair that meets is apart, every offset aligned.
fn check(problem: &Problem, offsets: &[usize], context: &str) {
    for (index, (buffer, &offset)) in problem.buffers.iter().zip(offsets).enumerate() {
        assert!(offset.is_multiple_of(buffer.align), "{context}");
        for (other, &at) in problem.buffers.iter().zip(offsets).take(index) {
            let meet = buffer.first <= other.last && other.first <= buffer.last;
            assert!(
                !meet || offset + buffer.size <= at || at + other.size <= offset,
                "{context}: {problem:?} {offsets:?}"
            );
        }
    }
}

#[test]
fn every_layout_keeps_what_lives_together_apart() {
    for seed in 0..500 {
        let problem = random_problem(&mut Random::new(seed));
        let most = problem.live().into_iter().max().unwrap_or(0);
        for sizes in [&[][..], &[10, 60]] {
            let auto = problem.height(&problem.solve(Layout::Auto, &classes(sizes)));
            for (name, layout) in Layout::ALL {
                let offsets = problem.solve(layout, &classes(sizes));
                check(&problem, &offsets, &format!("seed {seed}, {name}"));
                let height = problem.height(&offsets);
                assert!(height >= most, "seed {seed}, {name}");
                assert!(auto <= height || layout == Layout::Separate, "seed {seed}, {name}");
            }
        }
    }
}

#[test]
fn separate_reuses_nothing() {
    for seed in 0..100 {
        let mut problem = random_problem(&mut Random::new(seed));
        let offsets = problem.solve(Layout::Separate, &Options::default());
        for buffer in &mut problem.buffers {
            (buffer.first, buffer.last) = (0, 100);
        }
        check(&problem, &offsets, &format!("seed {seed}"));
    }
}

fn classes(sizes: &[usize]) -> Options {
    Options { size_classes: sizes.to_vec(), ..Options::default() }
}

fn buffers(list: &[(usize, usize, usize)]) -> Problem {
    let buffer = |&(size, first, last)| Buffer { size, align: 1, first, last };
    Problem { buffers: list.iter().map(buffer).collect(), ..Problem::default() }
}

#[test]
fn best_fit_takes_the_smallest_block_and_joins_neighbours() {
    // Blocks of 30 and 10 are free at step 1; then 40 in one piece at step 2.
    let problem = buffers(&[(30, 0, 0), (5, 0, 1), (10, 0, 0), (5, 0, 9), (8, 1, 1), (40, 2, 2)]);
    assert_eq!(problem.solve(Layout::BestFit, &Options::default()), [0, 30, 35, 45, 35, 0]);
}

#[test]
fn greedy_by_size_fills_the_lowest_gap() {
    let problem = buffers(&[(10, 0, 1), (20, 0, 0), (30, 1, 2), (5, 0, 2)]);
    assert_eq!(problem.solve(Layout::GreedyBySize, &Options::default()), [30, 0, 0, 40]);
}

#[test]
fn coloring_needs_no_more_slots_than_live_at_once() {
    for seed in 0..200 {
        let mut problem = random_problem(&mut Random::new(seed));
        for buffer in &mut problem.buffers {
            (buffer.size, buffer.align) = (1, 1);
        }
        let most = problem.live().into_iter().max().unwrap_or(0);
        assert_eq!(problem.height(&problem.solve(Layout::Coloring, &Options::default())), most, "seed {seed}");
    }
}

#[test]
fn size_classes_round_up_and_are_lent_again() {
    let problem = buffers(&[(5, 0, 0), (7, 1, 1), (3, 1, 1), (100, 2, 2)]);
    assert_eq!(problem.height(&problem.solve(Layout::SizeClass, &Options::default())), 8 + 4 + 100);
    assert_eq!(problem.height(&problem.solve(Layout::SizeClass, &classes(&[10]))), 10 + 10 + 100);
}
