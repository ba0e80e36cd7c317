//! Allocation problems in the CSV form of the minimalloc benchmarks.
//!
//! A header, then a line a buffer. Columns, in any order:
//!
//! | column | also called | meaning |
//! |---|---|---|
//! | `id` | `buffer`, `buffer_id` | a name |
//! | `lower` | `start`, `begin` | the first step at which the buffer is in use |
//! | `upper` | | one more than the last; called `end`, it is the last, and so are the ends of gaps |
//! | `size` | | bytes |
//! | `alignment` | | its offset is a multiple of this; 1 if there is no such column |
//! | `gaps` | | steps at which it is not in use: `7-9 12-14`; or only some of its bytes are: `7-9@0:64` |
//! | `offset` | | the offset that it must have; empty if it may have any |

mod read;
mod write;

pub use read::read;
pub use write::write;

use crate::layout::search::Instance;

/// A named allocation problem.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allocation {
    /// Each buffer's name.
    pub ids: Vec<String>,
    /// The buffers.
    pub instance: Instance,
}
