//! `cargo waterline`: the command for the files that `graph!` compiles.
#![forbid(unsafe_code)]

mod check;
mod import;
mod lock;
mod peaks;
mod plan;
mod progress;
mod solve;
mod source;
mod verify;

use clap::{Parser, Subcommand};
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

/// Plans, checks, imports, locks, solves and verifies networks for Waterline.
#[derive(Debug, Parser)]
#[command(name = "cargo-waterline", bin_name = "cargo waterline", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Plan(plan::Args),
    Check(check::Args),
    Import(import::Args),
    Lock(lock::Args),
    Solve(solve::Args),
    Verify(verify::Args),
}

/// What a command found out.
struct Report {
    /// For standard output.
    lines: Vec<String>,
    /// Nothing is wrong with what it was given.
    sound: bool,
}

/// Why a command could not do what it was asked to.
type Error = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    // Cargo passes the name of the subcommand on.
    let cargo = std::env::args_os().nth(1).is_some_and(|argument| argument == "waterline");
    let cli = Cli::parse_from(std::env::args_os().skip(usize::from(cargo)));
    let done = match &cli.command {
        Command::Plan(args) => plan::run(args),
        Command::Check(args) => Ok(check::run(args)),
        Command::Import(args) => import::run(args),
        Command::Lock(args) => lock::run(args),
        Command::Solve(args) => solve::run(args),
        Command::Verify(args) => verify::run(args),
    };
    match done.and_then(|Report { lines, sound }| print(&lines).map(|()| sound)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Writes `lines` to standard output, which may be closed early.
fn print(lines: &[String]) -> Result<(), Error> {
    let text = lines.join("\n") + "\n";
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}
