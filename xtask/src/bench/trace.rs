//! Which blocks of code run on an emulated board, as the emulator tells.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::ops::Range;
use std::path::Path;
use std::process::Stdio;

use crate::boards::Board;
use crate::project;

/// How often the code at one address went on to that at another.
pub(super) type Blocks = HashMap<(u32, u32), u64>;

/// Runs `elf` until its code has gone `count` times through the code at `mark`, done something, and come back to it.
/// Returns what it did each time.
pub(super) fn trace(board: &Board, elf: &Path, mark: Range<u32>, count: usize) -> Result<Vec<Blocks>, String> {
    let mut command = board.command(elf);
    // A line for each block that is entered: blocks are not chained.
    command.args(["-d", "exec,nochain"]).stdout(Stdio::null()).stderr(Stdio::piped());
    let shown = project::show(&command);
    let failed = |error: std::io::Error| format!("{shown}: {error}");
    let mut child = command.spawn().map_err(failed)?;
    let mut lines = BufReader::with_capacity(1 << 20, child.stderr.take().ok_or("no output")?);
    let mut fold = Fold { mark, last: None, again: false, entries: 0, traces: Vec::new() };
    let mut line = String::new();
    while fold.entries < 2 * count && lines.read_line(&mut line).map_err(failed)? > 0 {
        fold.line(&line);
        line.clear();
    }
    // It may have ended by itself.
    let _ = child.kill();
    let _ = child.wait();
    if fold.traces.len() < count { Err(format!("{} of {count} traces", fold.traces.len())) } else { Ok(fold.traces) }
}

/// The emulator's lines so far.
struct Fold {
    mark: Range<u32>,
    /// The block that was entered last.
    last: Option<u32>,
    /// The last block has not run; it is entered again.
    again: bool,
    /// How often the mark was entered.
    entries: usize,
    traces: Vec<Blocks>,
}

impl Fold {
    fn line(&mut self, line: &str) {
        if line.starts_with("Trace ") {
            if let Some(block) = line.split(['[', '/']).nth(2).and_then(hex) {
                self.enter(block);
            }
        } else if line.starts_with("Stopped execution") {
            self.again = true;
        } else if let Some((_, rest)) = line.split_once("rewound execution of TB to ") {
            // The block ran up to there.
            self.again |= hex(rest.trim()) == self.last;
        }
    }

    fn enter(&mut self, block: u32) {
        if std::mem::take(&mut self.again) && self.last == Some(block) {
            return;
        }
        let last = self.last.replace(block);
        let [was_inside, inside] = [last, Some(block)].map(|block| block.is_some_and(|b| self.mark.contains(&b)));
        if was_inside && !inside && self.entries % 2 == 1 {
            self.traces.push(Blocks::new());
        }
        if let (Some(last), false, 1, Some(trace)) = (last, was_inside, self.entries % 2, self.traces.last_mut()) {
            *trace.entry((last, block)).or_default() += 1;
        }
        self.entries += usize::from(inside && !was_inside);
    }
}

fn hex(digits: &str) -> Option<u32> {
    u32::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ran_between_marks_is_counted() {
        let mut fold = Fold { mark: 0x80..0x90, last: None, again: false, entries: 0, traces: Vec::new() };
        let enter = |block: u32| format!("Trace 0: 0x7f00 [00800408/{block:08x}/00000110/ff020200] name\n");
        let rewound = |block: u32| format!("cpu_io_recompile: rewound execution of TB to {block:08x}\n");
        let stopped = "Stopped execution of TB chain before 0x7f00 [00000010] name\n".to_owned();
        let lines = [0x10, 0x80, 0x84, 0x10, 0x20, 0x20].map(enter).into_iter();
        let lines = lines.chain([stopped, enter(0x20), enter(0x20), rewound(0x24), enter(0x24), enter(0x80)]);
        let lines = lines.chain([0x10, 0x80, 0x10, 0x88].map(enter));
        lines.for_each(|line| fold.line(&line));
        let first = Blocks::from([((0x10, 0x20), 1), ((0x20, 0x20), 2), ((0x20, 0x24), 1), ((0x24, 0x80), 1)]);
        let second = Blocks::from([((0x10, 0x88), 1)]);
        assert_eq!(fold.traces, [first, second]);
    }
}
