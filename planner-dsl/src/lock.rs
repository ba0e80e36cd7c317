//! The plan that a file holds, which `lock` names.

use crate::files::Files;
use crate::spans::Spans;
use planner_core::arch::Arch;
use planner_core::diagnostic::{Diagnostic, Diagnostics, Kind};
use planner_core::model::TypedModel;
use planner_core::options::Options;
use planner_core::plan::Plan;
use planner_core::plan::lock::{Lock, LockError};
use planner_core::source::Src;
use planner_core::steps::lower_with;

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

impl LockFile {
    /// Reads the plan of the network `name`.
    ///
    /// # Errors
    /// What is wrong with the file; `None` if it cannot be looked for.
    pub(crate) fn read(&mut self, name: &str, spans: &Spans, files: &mut Files) -> Result<(), Option<Diagnostic>> {
        let help = command(name, self.src, spans, files);
        let read = match files.read(&self.path, spans.first(self.src)) {
            Ok(bytes) => Lock::read(&bytes).map_err(|error| Some(error.diagnostic(self.src))),
            Err(error) => Err(error.diagnostic(&self.path, self.src, Kind::Lock)),
        };
        self.plan = Some(read.map_err(|found| found.map(|found| found.help(help)))?);
        Ok(())
    }

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
