//! The files that a `graph!` names: where they are, what is in them, which were read.

use planner_core::diagnostic::{Diagnostic, Kind};
use planner_core::source::Src;
use proc_macro2::Span;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Finds and reads files, each once.
#[derive(Debug, Default)]
pub struct Files {
    manifest_dir: PathBuf,
    source: Option<PathBuf>,
    read: BTreeMap<PathBuf, Arc<[u8]>>,
}

/// Why there is nothing to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileError {
    /// The path is relative to a source file that is not known, as in rust-analyzer.
    NoSource,
    /// There is no such file.
    Missing {
        /// Where it was looked for.
        tried: PathBuf,
        /// The folder that was not looked in, if it is known: the source file's, or the manifest's if the path
        /// starts with `./`.
        other: Option<PathBuf>,
        /// It is in that folder.
        is_there: bool,
    },
    /// There is one, but it cannot be read.
    Unreadable {
        /// Where it is.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
}

impl FileError {
    /// The defect `kind` at `src`, which names the file `path`; `None` if the file cannot be looked for.
    pub(crate) fn diagnostic(self, path: &str, src: Src, kind: Kind) -> Option<Diagnostic> {
        match self {
            Self::NoSource => None,
            Self::Missing { tried, other, is_there } => {
                let error = Diagnostic::new(kind, src, format!("cannot find `{path}`"))
                    .info(format!("looked for {}", tried.display()));
                let bare = path.strip_prefix("./").map_or(format!("./{path}"), str::to_string);
                Some(match (is_there, other) {
                    (true, _) => error.help(format!("did you mean `{bare}`?")),
                    (false, Some(folder)) => {
                        error.help(format!("`{bare}` would be looked for in {}", folder.display()))
                    }
                    (false, None) => error,
                })
            }
            Self::Unreadable { path: at, reason } => {
                let error = Diagnostic::new(kind, src, format!("cannot read `{path}`"));
                Some(error.info(format!("{}: {reason}", at.display())))
            }
        }
    }
}

impl Files {
    /// Files relative to `manifest_dir`; those that start with `./` are looked for beside the source file.
    #[must_use]
    pub fn new(manifest_dir: PathBuf) -> Self {
        Self { manifest_dir, ..Self::default() }
    }

    /// As if every token stood in the file `source`.
    #[must_use]
    pub fn of(self, source: PathBuf) -> Self {
        Self { source: Some(source), ..self }
    }

    /// The file that `span` stands in, if it is known.
    #[must_use]
    pub fn source(&self, span: Span) -> Option<PathBuf> {
        self.source.clone().or_else(|| span.local_file())
    }

    /// Where the file that is called `path` at `span` is or would be.
    ///
    /// # Errors
    /// [`FileError::NoSource`].
    pub fn find(&self, path: &str, span: Span) -> Result<PathBuf, FileError> {
        let folder = match path.starts_with("./") {
            true => self.source_dir(span).ok_or(FileError::NoSource)?,
            false => self.manifest_dir.clone(),
        };
        Ok(in_folder(&folder, path))
    }

    fn source_dir(&self, span: Span) -> Option<PathBuf> {
        Some(self.source(span)?.parent()?.to_path_buf())
    }

    /// The content of the file that is called `path` at `span`.
    ///
    /// # Errors
    /// See [`FileError`].
    pub fn read(&mut self, path: &str, span: Span) -> Result<Arc<[u8]>, FileError> {
        let found = self.find(path, span)?;
        if let Some(bytes) = self.read.get(&found) {
            return Ok(bytes.clone());
        }
        if !found.exists() {
            let (folder, other) = match (path.starts_with("./"), self.source_dir(span)) {
                (true, source_dir) => (source_dir, Some(self.manifest_dir.clone())),
                (false, source_dir) => (Some(self.manifest_dir.clone()), source_dir),
            };
            let other = other.filter(|other| folder.as_ref() != Some(other));
            let is_there = other.as_ref().is_some_and(|other| in_folder(other, path).is_file());
            return Err(FileError::Missing { tried: found, other, is_there });
        }
        let unreadable = |reason: String| FileError::Unreadable { path: found.clone(), reason };
        if !found.is_file() {
            return Err(unreadable("it is not a file".into()));
        }
        let bytes: Arc<[u8]> = std::fs::read(&found).map_err(|error| unreadable(error.to_string()))?.into();
        self.read.insert(found, bytes.clone());
        Ok(bytes)
    }

    /// Absolute paths of all files read, sorted.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.read.keys().map(PathBuf::as_path)
    }
}

/// The file `path` of `folder`.
fn in_folder(folder: &Path, path: &str) -> PathBuf {
    let joined = folder.join(path.strip_prefix("./").unwrap_or(path));
    std::path::absolute(&joined).unwrap_or(joined)
}
