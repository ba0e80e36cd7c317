//! An arena whose bytes are known by the value that they hold.

use std::collections::BTreeMap;
use std::ops::Range;

/// What bytes hold: those of a tensor's value from `offset` on, or a step's scratch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// A part of a value.
    Value {
        /// The tensor whose step or caller wrote it.
        tensor: usize,
        /// Bytes from its start.
        offset: usize,
    },
    /// Garbage of the planned step at this index.
    Scratch(usize),
}

impl Content {
    /// The same `bytes` further on.
    fn skip(self, bytes: usize) -> Self {
        match self {
            Self::Value { tensor, offset } => Self::Value { tensor, offset: offset + bytes },
            Self::Scratch(step) => Self::Scratch(step),
        }
    }
}

#[derive(Clone, Copy)]
struct Run {
    end: usize,
    content: Content,
}

/// The runs of known bytes by where they start, not overlapping.
#[derive(Default)]
pub(super) struct Memory {
    runs: BTreeMap<usize, Run>,
}

impl Memory {
    /// The runs that meet `range`, by address.
    fn meeting(&self, range: &Range<usize>) -> impl DoubleEndedIterator<Item = (usize, Run)> {
        let before = self.runs.range(..range.start).next_back().filter(|(_, run)| run.end > range.start);
        before.into_iter().chain(self.runs.range(range.clone())).map(|(start, run)| (*start, *run))
    }

    /// Writes `content` to `range`, which is not empty.
    pub(super) fn write(&mut self, range: Range<usize>, content: Content) {
        let first = self.meeting(&range).next();
        let last = self.meeting(&range).next_back();
        while let Some((start, _)) = self.runs.range(range.clone()).next() {
            let start = *start;
            self.runs.remove(&start);
        }
        if let Some((start, run)) = first.filter(|(start, _)| *start < range.start) {
            self.runs.insert(start, Run { end: range.start, ..run });
        }
        if let Some((start, run)) = last.filter(|(_, run)| run.end > range.end) {
            let content = run.content.skip(range.end - start);
            self.runs.insert(range.end, Run { end: run.end, content });
        }
        self.runs.insert(range.start, Run { end: range.end, content });
    }

    /// Checks that `range` holds `content`.
    ///
    /// # Errors
    /// What holds the first byte that differs; `None` if nothing does.
    pub(super) fn holds(&self, range: Range<usize>, content: Content) -> Result<(), Option<Content>> {
        let mut at = range.start;
        for (start, run) in self.meeting(&range) {
            if start > at {
                return Err(None);
            }
            if run.content.skip(at - start) != content.skip(at - range.start) {
                return Err(Some(run.content));
            }
            at = run.end;
        }
        if at < range.end { Err(None) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(tensor: usize, offset: usize) -> Content {
        Content::Value { tensor, offset }
    }

    #[test]
    fn writes_split_what_they_cover() {
        let mut memory = Memory::default();
        memory.write(0..10, value(0, 0));
        memory.write(4..6, value(1, 0));
        assert_eq!(memory.holds(0..4, value(0, 0)), Ok(()));
        assert_eq!(memory.holds(6..10, value(0, 6)), Ok(()));
        assert_eq!(memory.holds(6..10, value(0, 5)), Err(Some(value(0, 6))));
        assert_eq!(memory.holds(0..10, value(0, 0)), Err(Some(value(1, 0))));
        assert_eq!(memory.holds(8..11, value(0, 8)), Err(None));
    }
}
