//! Where something came from, without knowing what a source file is.

/// An opaque place in the user's input.
///
/// A front end hands these out and keeps the table from `Src` to its own
/// spans; the planner only carries them from the input to its diagnostics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Src(pub u32);
