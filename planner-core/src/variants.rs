//! The kernels that a step could have, where there are several.

use std::collections::BTreeMap;

/// A kernel that a step could have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// Its name, a word.
    pub name: &'static str,
    /// Bytes of scratch.
    pub scratch: usize,
    /// Bytes that its argument and its result take at least beyond the larger of them, where that differs.
    pub beside: usize,
    /// About how many instructions it takes.
    pub instructions: u64,
}

impl Variant {
    /// Bytes that it needs beyond the larger of its argument and its result.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.scratch + self.beside
    }
}

/// The kernels that a step could have; none where there is no choice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variants {
    /// All of them; the first is the one that it has if nothing else is wanted.
    pub all: Vec<Variant>,
    /// The index of the one that it has.
    pub chosen: usize,
}

/// The names of variants that steps are to have, by the names of the steps; all others have their first.
pub type Choice = BTreeMap<String, String>;

impl Variants {
    /// The kernel that the step has, if there is a choice.
    #[must_use]
    pub fn chosen(&self) -> Option<&Variant> {
        self.all.get(self.chosen)
    }

    /// The name of the kernel that the step has, if it would have another unless that was wanted.
    #[must_use]
    pub fn unusual(&self) -> Option<&'static str> {
        self.chosen().filter(|_| self.chosen > 0).map(|variant| variant.name)
    }

    /// The kernel that needs the fewest bytes, the fastest such.
    #[must_use]
    pub fn smallest(&self) -> Option<&Variant> {
        self.all.iter().min_by_key(|variant| (variant.bytes(), variant.instructions))
    }

    /// The fastest of those that need fewer than so many bytes.
    #[must_use]
    pub fn smaller(&self, bytes: usize) -> Option<&Variant> {
        let smaller = self.all.iter().filter(|variant| variant.bytes() < bytes);
        smaller.min_by_key(|variant| (variant.instructions, variant.bytes()))
    }
}
