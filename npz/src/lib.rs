//! `.npz` archives, arrays under names as numpy saves them: the samples of a network, and how far two arrays are apart.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod difference;
mod samples;

pub use difference::Difference;
pub use samples::{Samples, TOLERANCE, tolerance};

use planner_core::import::array::Array;
use planner_core::import::npy;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use zip::ZipArchive;

/// The arrays of an archive, by name without `.npy`.
#[derive(Clone, Debug)]
pub struct Npz(BTreeMap<String, Vec<u8>>);

impl Npz {
    /// Reads the archive at `path`.
    ///
    /// # Errors
    /// [`NpzError::File`].
    pub fn open(path: &Path) -> Result<Self, NpzError> {
        let failed = |why: String| NpzError::File { path: path.to_owned(), why };
        let bytes = std::fs::read(path).map_err(|error| failed(error.to_string()))?;
        Self::read(&bytes).map_err(|error| failed(error.to_string()))
    }

    /// Unpacks the archive `bytes`, stored or deflated.
    ///
    /// # Errors
    /// Anything that is no whole archive of arrays.
    pub fn read(bytes: &[u8]) -> Result<Self, NpzError> {
        let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| NpzError::Archive(error.to_string()))?;
        let mut arrays = BTreeMap::new();
        for index in 0..archive.len() {
            let damaged = |name: String, why: String| NpzError::Entry { name, why };
            let mut entry = archive.by_index(index).map_err(|error| damaged(format!("#{index}"), error.to_string()))?;
            let name = entry.name().map_err(|error| damaged(format!("#{index}"), error.to_string()))?;
            let name = name.trim_end_matches(".npy").to_owned();
            let mut array = Vec::new();
            entry.read_to_end(&mut array).map_err(|error| damaged(name.clone(), error.to_string()))?;
            npy::read(&array).map_err(|error| damaged(name.clone(), error.to_string()))?;
            arrays.insert(name, array);
        }
        Ok(Self(arrays))
    }

    /// The names of the arrays, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The array `name`, if there is one.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Array<'_>> {
        // Whether it is an array was seen when the archive was read.
        self.0.get(name).and_then(|bytes| npy::read(bytes).ok())
    }
}

/// Why an archive cannot be read or used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NpzError {
    /// A file that is not there or no archive.
    File {
        /// Where it is.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// It is no zip archive.
    Archive(String),
    /// An entry is damaged or no array.
    Entry {
        /// Its name, or its place.
        name: String,
        /// What is wrong.
        why: String,
    },
    /// There is no array of a sample.
    NoSample,
    /// A sample lacks an array.
    Missing {
        /// The array.
        name: String,
        /// The tensor it stands for.
        tensor: String,
    },
    /// An array is not of its tensor's type.
    Type {
        /// The array.
        name: String,
        /// Its type.
        got: String,
        /// The tensor's.
        wanted: String,
    },
}

impl fmt::Display for NpzError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, why } => write!(f, "{}: {why}", path.display()),
            Self::Archive(why) => write!(f, "not an .npz archive: {why}"),
            Self::Entry { name, why } => write!(f, "the array `{name}` cannot be read: {why}"),
            Self::NoSample => f.write_str("there is no sample: wanted arrays `in0_0`, `out0_0`"),
            Self::Missing { name, tensor } => write!(f, "there is no `{name}`, `{tensor}`"),
            Self::Type { name, got, wanted } => {
                write!(f, "`{name}` has another type\n  got: {got}\n  wanted: {wanted}")
            }
        }
    }
}

impl std::error::Error for NpzError {}

#[cfg(test)]
mod tests;
