//! Errors that a person can act on.

use crate::source::Src;
use std::fmt;

/// The class of a defect, stable enough to match on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// The text does not follow the grammar.
    Syntax,
    /// A name that nothing defines: operator, tensor, attribute, option, size.
    UnknownName,
    /// A name defined twice in one scope.
    DuplicateName,
    /// A tensor used above its definition.
    UseBeforeDefinition,
    /// A name that the language or the generated API keeps for itself.
    ReservedName,
    /// Too few or too many arguments, or results bound.
    Arity,
    /// A tensor has the wrong number of dimensions.
    Rank,
    /// Dimensions do not agree.
    Shape,
    /// An element type that an operator cannot take, or two that differ.
    DType,
    /// Two shapes that do not broadcast.
    Broadcast,
    /// An attribute of the wrong form or out of range.
    Attribute,
    /// A dimension that is zero, or a product that overflows.
    Dimension,
    /// Missing, malformed or disagreeing quantisation.
    Quantization,
    /// A parameter's file or constant cannot be used.
    Param,
    /// Nothing reads a tensor, or no output depends on it.
    Unused,
    /// The network has no output.
    NoOutput,
    /// A model file that is damaged, contradicts itself or is none.
    ModelFile,
    /// The plan needs more bytes than its budget.
    Budget,
    /// A locked plan that is damaged, stale or of another network.
    Lock,
    /// An option of the plan block is malformed.
    PlanOption,
    /// Valid, but not supported here.
    Unsupported,
    /// A plan failed its own verification: a defect of the planner.
    Internal,
}

/// One defect: what is wrong, where, and what would help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Class of the defect.
    pub kind: Kind,
    /// The token to point at.
    pub src: Src,
    /// What is wrong, in lower case, one line.
    pub message: String,
    /// Further lines, in order.
    pub notes: Vec<Note>,
}

/// A labelled line below a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// What was found.
    Got(String),
    /// What would have been right.
    Wanted(String),
    /// A fact that explains the defect.
    Info(String),
    /// What to do about it.
    Help(String),
}

impl Diagnostic {
    /// A defect of `kind` at `src`.
    pub fn new(kind: Kind, src: Src, message: impl Into<String>) -> Self {
        Self { kind, src, message: message.into(), notes: Vec::new() }
    }

    /// Adds what was found.
    #[must_use]
    pub fn got(self, text: impl Into<String>) -> Self {
        self.note(Note::Got(text.into()))
    }

    /// Adds what would have been right.
    #[must_use]
    pub fn wanted(self, text: impl Into<String>) -> Self {
        self.note(Note::Wanted(text.into()))
    }

    /// Adds an explaining fact.
    #[must_use]
    pub fn info(self, text: impl Into<String>) -> Self {
        self.note(Note::Info(text.into()))
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn help(self, text: impl Into<String>) -> Self {
        self.note(Note::Help(text.into()))
    }

    fn note(mut self, note: Note) -> Self {
        self.notes.push(note);
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        for note in &self.notes {
            let (label, text) = match note {
                Note::Got(text) => ("got", text),
                Note::Wanted(text) => ("wanted", text),
                Note::Info(text) => ("note", text),
                Note::Help(text) => ("help", text),
            };
            write!(f, "\n  {label}: {}", text.replace('\n', "\n    "))?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}

/// All defects that one phase found, in source order of their discovery.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics(pub Vec<Diagnostic>);

impl Diagnostics {
    /// Records a defect.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.0.push(diagnostic);
    }

    /// The barrier after a phase: `value` if nothing was found.
    ///
    /// # Errors
    /// Everything recorded so far.
    pub fn barrier<T>(self, value: T) -> Result<T, Self> {
        if self.0.is_empty() { Ok(value) } else { Err(self) }
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Self(vec![diagnostic])
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, diagnostic) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            diagnostic.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

/// The candidate closest to `name`, if one is close enough to be a typing slip.
#[must_use]
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A name of one letter is close to every other.
    let length = name.chars().count();
    let limit = (1 + length / 4).min(length.saturating_sub(1));
    candidates
        .into_iter()
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(d, _)| *d <= limit)
        .min_by_key(|(d, _)| *d)
        .map(|(_, candidate)| candidate)
}

/// Optimal string alignment distance: insert, delete, replace or swap neighbours.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut next = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = row[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            next[j] = replaced.min(row[j] + 1).min(next[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                next[j] = next[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut row, next);
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognised() {
        let names = ["conv2d", "dense", "softmax"];
        assert_eq!(did_you_mean("conv2", names), Some("conv2d"));
        assert_eq!(did_you_mean("desne", names), Some("dense"));
        assert_eq!(did_you_mean("banana", names), None);
        assert_eq!(did_you_mean("x", ["y", "xy"]), None);
    }

    #[test]
    fn notes_follow_the_message() {
        let d = Diagnostic::new(Kind::Shape, Src(0), "shapes differ").got("f32[1]").help("reshape it");
        assert_eq!(d.to_string(), "shapes differ\n  got: f32[1]\n  help: reshape it");
    }
}
