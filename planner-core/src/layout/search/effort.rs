//! How long a search may take: a count of nodes, never a time.

use super::instance::Instance;
use crate::options::Effort;

/// Where a search ends, if it has not found and proved the best before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
    /// Decisions of where to put a buffer, after the first few solutions.
    pub nodes: u64,
}

impl Effort {
    /// Its limits for `instance`: a node of an instance twice as large takes about twice as long.
    #[must_use]
    pub fn limits(self, instance: &Instance) -> Limits {
        Limits { nodes: self.nodes(instance.buffers().len()) }
    }

    /// The nodes for so many buffers.
    pub(crate) fn nodes(self, buffers: usize) -> u64 {
        let buffers = (buffers as u64).max(1);
        match self {
            Self::Fast => 0,
            // A large instance is worth two more dives.
            Self::Default => (200_000 / buffers).max((buffers * buffers / 500).min(2 * buffers)),
            Self::Max => (1_000_000_000 / buffers).max(16 * buffers),
        }
    }
}
