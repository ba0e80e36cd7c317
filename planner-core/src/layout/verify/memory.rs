//! An arena whose bytes are known by the value that they hold.

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
    start: usize,
    end: usize,
    content: Content,
}

/// The runs of known bytes, by address, not overlapping.
#[derive(Default)]
pub(super) struct Memory {
    runs: Vec<Run>,
}

impl Memory {
    /// The runs that meet `range`, by index.
    fn meeting(&self, range: &Range<usize>) -> Range<usize> {
        let first = self.runs.partition_point(|run| run.end <= range.start);
        let last = self.runs.partition_point(|run| run.start < range.end);
        first..last.max(first)
    }

    /// Writes `content` to `range`.
    pub(super) fn write(&mut self, range: Range<usize>, content: Content) {
        let meeting = self.meeting(&range);
        let mut new = Vec::with_capacity(3);
        if let Some(run) = self.runs[meeting.clone()].first().filter(|run| run.start < range.start) {
            new.push(Run { end: range.start, ..*run });
        }
        new.push(Run { start: range.start, end: range.end, content });
        if let Some(run) = self.runs[meeting.clone()].last().filter(|run| run.end > range.end) {
            new.push(Run { start: range.end, end: run.end, content: run.content.skip(range.end - run.start) });
        }
        self.runs.splice(meeting, new);
    }

    /// Checks that `range` holds `content`.
    ///
    /// # Errors
    /// What holds the first byte that differs; `None` if nothing does.
    pub(super) fn holds(&self, range: Range<usize>, content: Content) -> Result<(), Option<Content>> {
        let mut at = range.start;
        for run in &self.runs[self.meeting(&range)] {
            if run.start > at {
                return Err(None);
            }
            if run.content.skip(at - run.start) != content.skip(at - range.start) {
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
