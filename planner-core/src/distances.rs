//! How far apart a result and an argument must start when a kernel may write the one over the other.
//!
//! A kernel that walks both in one direction needs the argument's bytes only until it has passed them. If its
//! result starts far enough ahead of the argument, whatever it writes over has been read for the last time.

/// The direction in which a kernel walks its windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the first byte on: the result starts below the argument, or at the same byte.
    Forward,
    /// From the last byte on: the result starts above the argument, or at the same byte.
    Backward,
}

impl Direction {
    /// Both.
    pub const BOTH: [Self; 2] = [Self::Forward, Self::Backward];

    /// The one of a result and an argument that starts lower, and the other.
    #[must_use]
    pub fn lower_first<T>(self, [result, arg]: [T; 2]) -> [T; 2] {
        match self {
            Self::Forward => [result, arg],
            Self::Backward => [arg, result],
        }
    }
}

/// The safe distances from the start of a result to the start of an argument, in bytes and in the [`Direction`] of
/// the kernel: all of `any` or more, and those of `from` or more that are multiples of `multiple`.
///
/// Kernels that finish a pixel before they begin the next are safe from one distance on. One that takes some channels
/// of all pixels before it takes the next channels is safe at once where channels meet their own kind:
///
/// ```
/// use planner_core::distances::Distances;
///
/// // Depthwise, 3x3 on rows of 10 pixels of 8 channels, four channels at a time.
/// let distances = Distances { from: 88, multiple: 8, any: usize::MAX };
/// assert!(distances.allows(88) && distances.allows(96) && !distances.allows(92));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Distances {
    /// The least of the multiples.
    pub from: usize,
    /// What they are multiples of, not 0.
    pub multiple: usize,
    /// The least distance from which on all are safe; [`usize::MAX`] if there is none.
    pub any: usize,
}

impl Distances {
    /// All of `any` or more.
    #[must_use]
    pub const fn at_least(any: usize) -> Self {
        Self { from: any, multiple: 1, any }
    }

    /// Whether the result may start `distance` bytes from the argument.
    #[must_use]
    pub const fn allows(self, distance: usize) -> bool {
        distance >= self.any || distance >= self.from && distance.is_multiple_of(self.multiple)
    }

    /// The least of them.
    #[must_use]
    pub fn least(self) -> usize {
        self.from.checked_next_multiple_of(self.multiple).map_or(self.any, |multiple| multiple.min(self.any))
    }

    /// Bytes that two windows of these sizes may have in common at most.
    #[must_use]
    pub fn most_common(self, [lower, upper]: [usize; 2]) -> usize {
        lower.saturating_sub(self.least()).min(upper)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiples_come_before_any() {
        let distances = Distances { from: 9, multiple: 4, any: 18 };
        let allowed: Vec<usize> = (0..22).filter(|distance| distances.allows(*distance)).collect();
        assert_eq!(allowed, [12, 16, 18, 19, 20, 21]);
        assert_eq!(distances.least(), 12);
        assert_eq!(Distances { from: 9, multiple: 4, any: 10 }.least(), 10);
        assert_eq!(Distances { from: usize::MAX, multiple: 4, any: usize::MAX }.least(), usize::MAX);
        assert_eq!((Distances::at_least(7).least(), Distances::at_least(7).allows(6)), (7, false));
    }
}
