//! `check`: what is wrong with files, all of it.

use crate::source::{self, Settings};
use crate::{Error, Report};
use planner_core::arch::Arch;
use std::path::PathBuf;

/// Lists everything that is wrong or not supported in files.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Model files, or files of Rust with `graph!` in them
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    settings: Settings,
}

pub(crate) fn run(args: &Args) -> Report {
    let mut report = Report { lines: Vec::new(), sound: true };
    for file in &args.files {
        let found: Vec<Error> = match source::read(file, &args.settings) {
            Ok(networks) => networks.iter().filter_map(|network| network.planned(Arch::Portable).err()).collect(),
            Err(error) => vec![error],
        };
        if found.is_empty() {
            report.lines.push(format!("{}: supported", file.display()));
        }
        report.sound &= found.is_empty();
        report.lines.extend(found.iter().map(ToString::to_string));
    }
    report
}
