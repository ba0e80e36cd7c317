//! Bytes as a `.csv` file of an allocation problem: an error, or offsets that are checked and read back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use planner_core::import::csv;
use planner_core::layout::search::{Limits, check, solve};

fuzz_target!(|bytes: &[u8]| {
    let Ok(problem) = csv::read(bytes) else { return };
    let solution = solve(&problem.instance, Limits { nodes: 1_000 }, None);
    assert_eq!(check(&problem.instance, &solution.offsets), Ok(solution.bytes));
    assert!(solution.bound <= solution.bytes);
    assert_eq!(csv::read(csv::write(&problem, None).as_bytes()).as_ref(), Ok(&problem));
});
