//! The files that a `graph!` names: where they are, what is in them, which were read.

use std::path::PathBuf;

/// Finds and reads files, each once.
#[derive(Debug, Default)]
pub struct Files {
    manifest_dir: PathBuf,
    source_dir: Option<PathBuf>,
}

impl Files {
    /// Files relative to `manifest_dir`; those that start with `./` are looked for beside the source file.
    #[must_use]
    pub fn new(manifest_dir: PathBuf) -> Self {
        Self { manifest_dir, source_dir: None }
    }

    /// As if every token stood in a file of the folder `dir`.
    #[must_use]
    pub fn beside(self, dir: PathBuf) -> Self {
        Self { source_dir: Some(dir), ..self }
    }
}
