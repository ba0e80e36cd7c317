//! How long a search may take: a count of nodes, never a time.

use super::instance::Instance;

/// How hard to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Effort {
    /// A few solutions without looking back: for millions of buffers, or when nothing depends on it.
    Fast,
    /// As much as a build may take without being noticed.
    #[default]
    Default,
    /// As much as a person waits for once.
    Max,
}

/// Where a search ends, if it has not found and proved the best before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
    /// Decisions of where to put a buffer, after the first few solutions.
    pub nodes: u64,
}

impl Effort {
    /// Every effort with its name.
    pub const ALL: [(&'static str, Self); 3] = [("fast", Self::Fast), ("default", Self::Default), ("max", Self::Max)];

    /// Its limits for `instance`: a node of an instance twice as large takes about twice as long.
    #[must_use]
    pub fn limits(self, instance: &Instance) -> Limits {
        let buffers = (instance.buffers().len() as u64).max(1);
        let nodes = match self {
            Self::Fast => 0,
            // A large instance is worth two more dives.
            Self::Default => (200_000 / buffers).max((buffers * buffers / 500).min(2 * buffers)),
            Self::Max => (1_000_000_000 / buffers).max(16 * buffers),
        };
        Limits { nodes }
    }
}
