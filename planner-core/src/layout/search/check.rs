//! Whether offsets solve an instance. Knows nothing of how they are found.

use super::instance::{Instance, Overlap};
use std::collections::BTreeMap;
use std::fmt;

/// Makes `at` the border of a stretch if it is within one.
fn split(used: &mut BTreeMap<usize, (usize, Vec<usize>)>, at: usize) {
    if let Some((_, (end, users))) = used.range_mut(..at).next_back()
        && *end > at
    {
        let rest = (std::mem::replace(end, at), users.clone());
        used.insert(at, rest);
    }
}

/// Why offsets are no solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Violation {
    /// There are more or fewer offsets than buffers.
    Count {
        /// Offsets given.
        offsets: usize,
    },
    /// An offset is not a multiple of its buffer's alignment.
    Alignment {
        /// The buffer.
        buffer: usize,
    },
    /// A pinned buffer is elsewhere.
    Pinned {
        /// The buffer.
        buffer: usize,
    },
    /// Two buffers use the same byte.
    Collision {
        /// The one that was there before.
        first: usize,
        /// The one that came to it.
        second: usize,
        /// The step at which it came.
        step: usize,
    },
}

/// Sweeps over time with a map of the bytes in use: the end of the highest buffer.
///
/// # Errors
/// The first violation found.
pub fn check(instance: &Instance, offsets: &[usize]) -> Result<usize, Violation> {
    let buffers = instance.buffers();
    if buffers.len() != offsets.len() {
        return Err(Violation::Count { offsets: offsets.len() });
    }
    let mut events = Vec::new();
    let mut end = 0;
    for (index, (buffer, &offset)) in buffers.iter().zip(offsets).enumerate() {
        if !offset.is_multiple_of(buffer.align) {
            return Err(Violation::Alignment { buffer: index });
        }
        if buffer.pinned.is_some_and(|pinned| pinned != offset) {
            return Err(Violation::Pinned { buffer: index });
        }
        end = end.max(offset.saturating_add(buffer.size));
        for life in buffer.lives.iter().filter(|life| life.low < life.high) {
            let (low, high) = (offset.saturating_add(life.low), offset.saturating_add(life.high));
            // What goes at a step goes before what comes.
            events.push((life.first, true, index, low, high));
            events.push((life.last.saturating_add(1), false, index, low, high));
        }
    }
    events.sort_unstable();
    let overlaps: BTreeMap<[usize; 2], &Overlap> =
        instance.overlaps().iter().map(|overlap| ([overlap.lower, overlap.upper], overlap)).collect();
    let allowed = |lower: usize, upper: usize| {
        let distance = offsets[upper].checked_sub(offsets[lower]);
        overlaps
            .get(&[lower, upper])
            .zip(distance)
            .is_some_and(|(overlap, distance)| overlap.distances.allows(distance))
    };
    // Bytes in use, each stretch from its start to its end, with the buffers that use it.
    let mut used: BTreeMap<usize, (usize, Vec<usize>)> = BTreeMap::new();
    for (step, comes, index, low, high) in events {
        split(&mut used, low);
        split(&mut used, high);
        if !comes {
            for (_, users) in used.range_mut(low..high).map(|(_, stretch)| stretch) {
                users.retain(|user| *user != index);
            }
            let free = used.range(low..high).filter(|(_, (_, users))| users.is_empty());
            for start in free.map(|(&start, _)| start).collect::<Vec<_>>() {
                used.remove(&start);
            }
            continue;
        }
        let mut next = low;
        let mut free = Vec::new();
        for (&start, (end, users)) in used.range_mut(low..high) {
            if let Some(&first) = users.iter().find(|user| !allowed(**user, index) && !allowed(index, **user)) {
                return Err(Violation::Collision { first, second: index, step });
            }
            users.push(index);
            free.push((next, start));
            next = *end;
        }
        free.push((next, high));
        for (start, end) in free.into_iter().filter(|(start, end)| start < end) {
            used.insert(start, (end, vec![index]));
        }
    }
    Ok(end)
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count { offsets } => write!(f, "{offsets} offsets are not one for each buffer"),
            Self::Alignment { buffer } => write!(f, "buffer {buffer} is not aligned"),
            Self::Pinned { buffer } => write!(f, "pinned buffer {buffer} has been moved"),
            Self::Collision { first, second, step } => {
                write!(f, "buffers {first} and {second} use the same byte at step {step}")
            }
        }
    }
}

impl std::error::Error for Violation {}
