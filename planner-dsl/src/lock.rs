//! The plan that a file holds, which `lock` names.

use crate::files::Files;
use crate::lower::{Lowered, absent};
use crate::spans::Spans;
use planner_core::arch::Arch;
use planner_core::diagnostic::{Diagnostic, Kind};
use planner_core::plan::lock::{Lock, LockError};
use planner_core::plan::{Options, Plan};
use planner_core::source::Src;
use planner_core::steps::Program;
use std::path::PathBuf;

/// The file that `lock` names.
#[derive(Clone, Debug)]
pub struct LockFile {
    /// The path, as written.
    pub path: String,
    /// Where the path stands.
    pub src: Src,
    /// What it holds, once it has been read.
    pub plan: Option<Lock>,
}

/// Reads the locked plan of `lowered`, if it has one.
pub(crate) fn read(lowered: &mut Lowered, spans: &Spans, files: &mut Files) -> Option<Diagnostic> {
    let lock = lowered.lock.as_mut()?;
    let read = files.read(&lock.path, spans.first(lock.src));
    lowered.files = files.paths().map(PathBuf::from).collect();
    let found = match read {
        Ok(bytes) => match Lock::read(&bytes) {
            Ok(plan) => {
                lock.plan = Some(plan);
                return None;
            }
            Err(error) => Some(error.diagnostic(lock.src)),
        },
        Err(error) => absent(&lock.path, lock.src, Kind::Lock, error),
    };
    lowered.incomplete |= found.is_none();
    let command = command(&lowered.model.name, lock.src, spans, files);
    found.map(|found| found.help(command))
}

impl LockFile {
    /// The plan of `program`, which is for `arch`.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub(crate) fn plan(
        &self,
        program: Program,
        options: &Options,
        arch: Arch,
        spans: &Spans,
        files: &Files,
    ) -> Result<Plan, Diagnostic> {
        let command = command(&program.name, self.src, spans, files);
        let Some(lock) = &self.plan else {
            return Err(Diagnostic::new(Kind::Lock, self.src, "the locked plan has not been read"));
        };
        lock.plan(program, options, arch).map_err(|error| match error {
            LockError::Budget(_) => error.diagnostic(self.src),
            _ => error.diagnostic(self.src).help(command),
        })
    }
}

/// What makes the file anew, for the network `name` in the file of `src`.
fn command(name: &str, src: Src, spans: &Spans, files: &Files) -> String {
    let file = files.source(spans.first(src)).map_or_else(|| "FILE".into(), |path| path.display().to_string());
    format!("`cargo waterline lock {file} --network {name}` makes it anew")
}
