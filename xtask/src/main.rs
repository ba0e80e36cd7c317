//! The project's chores: `cargo xtask` lists them.

mod arguments;
mod bench;
mod boards;
mod elf;
mod firmware;
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

cargo xtask firmware [--json] [--board NAME] [--opt 3|s]
    Builds the firmware, runs it on emulated boards, compares its results with
    the host's and checks the ELF files. --json prints a line for each run.

cargo xtask bench [--board NAME] [--models LIST] [--opt 3|s] [--layers] [--json]
    Runs the model files of the folder WATERLINE_ZOO, or those of the list, on
    an emulated board, and compares their outputs with their oracles'.
    --layers prints each step too.

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
