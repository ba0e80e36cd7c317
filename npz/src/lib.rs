//! `.npz` archives, arrays under names as numpy saves them, and how far two arrays are apart.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod difference;

pub use difference::Difference;

use planner_core::import::array::Array;
use planner_core::import::npy;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{Cursor, Read};
use zip::ZipArchive;

/// The arrays of an archive, by name without `.npy`.
#[derive(Clone, Debug)]
pub struct Npz(BTreeMap<String, Vec<u8>>);

impl Npz {
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

/// Why an archive cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NpzError {
    /// It is no zip archive.
    Archive(String),
    /// An entry is damaged or no array.
    Entry {
        /// Its name, or its place.
        name: String,
        /// What is wrong.
        why: String,
    },
}

impl fmt::Display for NpzError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Archive(why) => write!(f, "not an .npz archive: {why}"),
            Self::Entry { name, why } => write!(f, "the array `{name}` cannot be read: {why}"),
        }
    }
}

impl std::error::Error for NpzError {}

#[cfg(test)]
mod tests;
