//! How far a search is, on standard error, and Ctrl-C, which ends it.

use crate::Error;
use planner_core::layout::search;
use std::io::{IsTerminal, Write};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often a terminal is written to.
const TICK: Duration = Duration::from_millis(100);

/// What becomes of searches, one after the other.
pub(crate) struct Progress {
    /// Ctrl-C was pressed.
    interrupted: Arc<AtomicBool>,
    is_terminal: bool,
    /// What is searched for.
    name: String,
    start: Instant,
    shown: Option<Instant>,
    last: search::Progress,
}

impl Progress {
    /// From here on Ctrl-C ends searches, and the program if pressed twice.
    pub(crate) fn new() -> Result<Self, Error> {
        let interrupted = Arc::new(AtomicBool::new(false));
        let flag = interrupted.clone();
        ctrlc::set_handler(move || {
            if flag.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        })?;
        let (is_terminal, start) = (std::io::stderr().is_terminal(), Instant::now());
        let (name, last) = (String::new(), search::Progress::default());
        Ok(Self { interrupted, is_terminal, name, start, shown: None, last })
    }

    /// A search for the plan of `name`; nothing has been found yet.
    pub(crate) fn start(&mut self, name: &str) {
        (self.name, self.last) = (name.to_owned(), search::Progress::default());
        (self.start, self.shown) = (Instant::now(), None);
    }

    /// Shows `now`: on a terminal in one line, elsewhere a line for each better plan.
    pub(crate) fn show(&mut self, now: &search::Progress) -> ControlFlow<()> {
        let better = (now.bytes, now.bound) != (self.last.bytes, self.last.bound);
        self.last = *now;
        if self.is_terminal && self.shown.is_none_or(|shown| shown.elapsed() >= TICK) {
            self.shown = Some(Instant::now());
            eprint!("\r\x1b[K{}", self.line());
            let _ = std::io::stderr().flush();
        } else if !self.is_terminal && better {
            eprintln!("{}", self.line());
        }
        if self.interrupted.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// The end of the search, as a line.
    pub(crate) fn end(&self) -> String {
        if self.is_terminal {
            eprint!("\r\x1b[K");
        }
        self.line()
    }

    fn line(&self) -> String {
        format!("{}: {}, {:.1} s", self.name, self.last, self.start.elapsed().as_secs_f64())
    }
}
