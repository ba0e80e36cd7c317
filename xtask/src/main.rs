//! The project's chores: `cargo xtask` lists them.

mod arguments;
mod bench;
mod boards;
mod elf;
mod firmware;
mod kernels;
mod plan_cost;
mod project;
mod record;
mod row;
mod test;
mod toolchain;
mod weights;

use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask test [--require-firmware]
    Every test that this machine can run, and a list of what it could not run
    and how to get it. With --require-firmware that list must be empty.

cargo xtask firmware [--json] [--board NAME] [--opt 3|s] [--kernels]
    Builds the firmware, runs it on emulated boards, compares its results with
    the host's and checks the ELF files. --json prints a line for each run.
    --kernels holds the kernels to random layers and does no more.

cargo xtask bench [--board all|NAME] [--models all|LIST] [--opt all|3|s]
                  [--plan OPTIONS] [--json] [--layers | --check | --write]
    Runs model files of the folder WATERLINE_ZOO on an emulated board, compares
    their outputs with their oracles', and prints what they took: those that
    others have figures of, all, or a list. --layers prints each step too, with
    an estimate of its cycles on Cortex-M4 and M33. --plan is the inside of a
    `plan` block, as `prefer = speed`.
    --check fails where a figure is more than 2 % above that of
    BENCHMARKS.jsonl; --write puts the figures there, and into BENCHMARKS.md.

cargo xtask profile LIST [--board NAME] [--opt 3|s] [--plan OPTIONS] [--json]
cargo xtask profile --write
    The steps of models that take the most. --write puts those of the models
    that others have figures of into BENCHMARKS.md.

cargo xtask host-bench [--models LIST] [--json]
    Runs model files of the folder WATERLINE_ZOO on this machine in turn with
    LiteRT's built-in kernels, one thread each, and prints the medians; fails
    where one takes more than twice as long. It needs python3 with the package
    ai-edge-litert.

cargo xtask plan-cost
    Counts the instructions that an unoptimised macro spends on a network of
    200 operators, and fails when they are too many.
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.split_first() {
        Some((chore, rest)) if chore == "test" => test::main(rest),
        Some((chore, rest)) if chore == "firmware" => firmware::main(rest),
        Some((chore, rest)) if chore == "bench" => bench::main(rest),
        Some((chore, rest)) if chore == "profile" => bench::profile(rest),
        Some((chore, rest)) if chore == "host-bench" => bench::host(rest),
        Some((chore, rest)) if chore == "plan-cost" => plan_cost::main(rest),
        None => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Some((chore, _)) => Err(format!("unknown chore `{chore}`\n\n{USAGE}")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
