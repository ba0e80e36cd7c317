//! Allocation problems in full: alignment, lives with gaps and windows, buffers whose place is given.

use super::check::{self, Violation};
use crate::diagnostic::{Diagnostic, Diagnostics, Kind};
use crate::distances::Distances;
use crate::layout::Problem;
use crate::source::Src;

/// Sizes, alignments and steps of an instance add up to less than this, so that no search overflows.
pub const LIMIT: usize = usize::MAX / 16;

/// Most lives of all buffers together.
const MOST_LIVES: usize = 1 << 31;

/// An allocation problem that has been checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Instance {
    buffers: Vec<Buffer>,
    overlaps: Vec<Overlap>,
}

/// Two buffers that need not be apart where they meet, such as a step's result and an argument that it reads ahead of
/// what it writes.
///
/// Instead, `upper` may also start above `lower` by one of `distances`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// Index of the buffer that starts lower, or at the same offset.
    pub lower: usize,
    /// Index of the other one.
    pub upper: usize,
    /// The distances that are safe, all from the size of `lower` on among them.
    pub distances: Distances,
}

impl Overlap {
    /// That of `distances`, where `lower` has `size` bytes.
    #[must_use]
    pub fn new(lower: usize, upper: usize, distances: Distances, size: usize) -> Self {
        let Distances { from, multiple, any } = distances;
        Self { lower, upper, distances: Distances { from: from.min(size), multiple, any: any.min(size) } }
    }
}

/// A buffer that needs an offset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Size in bytes.
    pub size: usize,
    /// Its offset is a multiple of this.
    pub align: usize,
    /// When it is in use, in order of time.
    pub lives: Vec<Life>,
    /// The offset that it must have.
    pub pinned: Option<usize>,
}

/// Steps throughout which the same bytes of a buffer are in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Life {
    /// The first step.
    pub first: usize,
    /// The last step.
    pub last: usize,
    /// The first byte of the buffer that is in use.
    pub low: usize,
    /// One more than the last byte of the buffer that is in use.
    pub high: usize,
}

impl Buffer {
    /// A buffer of `size` bytes that is in use as a whole from step `first` to step `last`.
    #[must_use]
    pub fn new(size: usize, first: usize, last: usize) -> Self {
        Self { size, align: 1, lives: vec![Life { first, last, low: 0, high: size }], pinned: None }
    }
}

impl Instance {
    /// Checks `buffers`.
    ///
    /// # Errors
    /// [`Kind::Attribute`] for an alignment of 0, lives that are reversed, empty or out of order, bytes in use beyond
    /// the buffer, a pinned offset that is not aligned, pinned buffers in each other's place; [`Kind::Dimension`] if
    /// all together are [`LIMIT`] or more, or too many. The [`Src`] of each is the buffer's index.
    pub fn new(buffers: Vec<Buffer>) -> Result<Self, Diagnostics> {
        Self::with_overlaps(buffers, Vec::new())
    }

    /// Checks `buffers`, some of which may overlap.
    ///
    /// # Errors
    /// Those of [`Instance::new`], and [`Kind::Attribute`] for an overlap of buffers that do not exist, of one with
    /// itself, of multiples of 0, or of distances beyond the size of the lower buffer.
    pub fn with_overlaps(buffers: Vec<Buffer>, overlaps: Vec<Overlap>) -> Result<Self, Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        for overlap in &overlaps {
            let Distances { from, multiple, any } = overlap.distances;
            let sizes = [overlap.lower, overlap.upper].map(|buffer| buffers.get(buffer).map(|buffer| buffer.size));
            let is_overlap = match sizes {
                [Some(size), Some(_)] => from <= any && any <= size,
                _ => false,
            };
            if !is_overlap || overlap.lower == overlap.upper || multiple == 0 {
                let message = "an overlap of two buffers is none";
                diagnostics.push(Diagnostic::new(Kind::Attribute, Src(0), message).got(format!("{overlap:?}")));
            }
        }
        let mut sum: usize = 0;
        for (buffer, src) in buffers.iter().zip((0..).map(Src)) {
            if let Err(diagnostic) = buffer.check(src) {
                diagnostics.push(diagnostic);
            }
            let steps = buffer.lives.last().map_or(0, |life| life.last);
            let parts = [buffer.size, buffer.align, steps, buffer.pinned.unwrap_or(0)];
            // Steps and pinned offsets do not add up, but one of each may be as large as the limit.
            sum = parts[..2].iter().fold(sum, |sum, &part| sum.saturating_add(part));
            if parts.iter().any(|&part| part >= LIMIT) || sum >= LIMIT {
                let message = "the buffers are too large to add up";
                diagnostics.push(Diagnostic::new(Kind::Dimension, src, message).wanted(format!("less than {LIMIT}")));
                break;
            }
        }
        if buffers.iter().map(|buffer| buffer.lives.len() + 1).sum::<usize>() >= MOST_LIVES {
            diagnostics.push(Diagnostic::new(Kind::Dimension, Src(0), "there are too many buffers"));
        }
        let instance = diagnostics.barrier(Self { buffers, overlaps })?;
        instance.pins_apart().map_err(Diagnostics::from)?;
        Ok(instance)
    }

    /// The buffers.
    #[must_use]
    pub fn buffers(&self) -> &[Buffer] {
        &self.buffers
    }

    /// Those of them that may overlap.
    #[must_use]
    pub fn overlaps(&self) -> &[Overlap] {
        &self.overlaps
    }

    /// Whether the pinned buffers are out of each other's way.
    fn pins_apart(&self) -> Result<(), Diagnostic> {
        let (indices, pinned): (Vec<usize>, Vec<Buffer>) =
            self.buffers.iter().cloned().enumerate().filter(|(_, buffer)| buffer.pinned.is_some()).unzip();
        let offsets: Vec<usize> = pinned.iter().filter_map(|buffer| buffer.pinned).collect();
        let overlaps = self.overlaps.iter().filter_map(|overlap| {
            let [lower, upper] = [overlap.lower, overlap.upper].map(|buffer| indices.binary_search(&buffer).ok());
            Some(Overlap { lower: lower?, upper: upper?, ..*overlap })
        });
        let overlaps = overlaps.collect();
        match check::check(&Self { buffers: pinned, overlaps }, &offsets) {
            Err(Violation::Collision { first, second, step }) => {
                let src = Src(u32::try_from(indices[second]).unwrap_or(u32::MAX));
                let message = "two pinned buffers are in the same place";
                let diagnostic = Diagnostic::new(Kind::Attribute, src, message);
                Err(diagnostic.got(format!("buffers {} and {} at step {step}", indices[first], indices[second])))
            }
            _ => Ok(()),
        }
    }
}

impl Buffer {
    fn check(&self, src: Src) -> Result<(), Diagnostic> {
        let wrong = |message: &str| Diagnostic::new(Kind::Attribute, src, message);
        if self.align == 0 {
            return Err(wrong("the alignment is 0").help("1 asks for nothing"));
        }
        if let Some(pinned) = self.pinned.filter(|pinned| !pinned.is_multiple_of(self.align)) {
            return Err(wrong("the pinned offset is not a multiple of the alignment")
                .got(pinned.to_string())
                .wanted(format!("a multiple of {}", self.align)));
        }
        let mut free = 0;
        for life in &self.lives {
            let steps = format!("steps {} to {}", life.first, life.last);
            if life.last < life.first {
                return Err(wrong("a life ends before it begins").got(steps));
            }
            if life.first < free {
                return Err(wrong("lives overlap or are out of order").got(steps));
            }
            if life.low > life.high || life.high > self.size {
                return Err(wrong("bytes in use lie outside of the buffer")
                    .got(format!("{} to {}", life.low, life.high))
                    .wanted(format!("within 0 to {}", self.size)));
            }
            free = life.last.saturating_add(1);
        }
        Ok(())
    }
}

impl TryFrom<&Problem> for Instance {
    type Error = Diagnostics;

    fn try_from(problem: &Problem) -> Result<Self, Diagnostics> {
        let buffer = |buffer: &crate::layout::Buffer| Buffer {
            align: buffer.align,
            ..Buffer::new(buffer.size, buffer.first, buffer.last)
        };
        Self::with_overlaps(problem.buffers.iter().map(buffer).collect(), problem.overlaps.clone())
    }
}
