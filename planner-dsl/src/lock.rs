//! The plan that a file holds, which `lock` names.

use crate::files::Files;
use crate::lower::{Lowered, absent};
use crate::spans::Spans;
use planner_core::arch::Arch;
use planner_core::diagnostic::{Diagnostic, Diagnostics, Kind};
use planner_core::model::TypedModel;
use planner_core::options::Options;
use planner_core::plan::Plan;
use planner_core::plan::lock::{Lock, LockError};
use planner_core::source::Src;
use planner_core::steps::lower_with;
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
    /// The plan of a checked model for `arch`.
    ///
    /// # Errors
    /// What is wrong with the file, or with lowering the model.
    pub(crate) fn plan(
        &self,
        typed: &TypedModel,
        options: &Options,
        arch: Arch,
        spans: &Spans,
        files: &Files,
    ) -> Result<Plan, Diagnostics> {
        let command = command(&typed.model.name, self.src, spans, files);
        let Some(lock) = &self.plan else {
            return Err(Diagnostic::new(Kind::Lock, self.src, "the locked plan has not been read").into());
        };
        let program = lower_with(typed, arch, &lock.kernels(arch))?;
        lock.plan(program, options, arch).map_err(|error| match error {
            LockError::Budget(_) => error.diagnostic(self.src).into(),
            _ => error.diagnostic(self.src).help(command).into(),
        })
    }
}

/// What makes the file anew, for the network `name` in the file of `src`.
fn command(name: &str, src: Src, spans: &Spans, files: &Files) -> String {
    let file = files.source(spans.first(src)).map_or_else(|| "FILE".into(), |path| path.display().to_string());
    format!("`cargo waterline lock {file} --network {name}` makes it anew")
}
