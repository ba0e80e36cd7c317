//! The table from the planner's [`Src`] to the compiler's spans.

use planner_core::source::Src;
use proc_macro2::Span;

/// Where the macro was called.
pub const CALL_SITE: Src = Src(0);

/// Each [`Src`]'s first and last token.
///
/// Both ends are kept because spans cannot be joined on stable Rust: an error
/// whose first token carries one end and whose last the other underlines all between.
#[derive(Debug)]
pub struct Spans(Vec<(Span, Span)>);

impl Default for Spans {
    fn default() -> Self {
        Self(vec![(Span::call_site(), Span::call_site())])
    }
}

impl Spans {
    /// A place of one token.
    pub fn add(&mut self, span: Span) -> Src {
        self.add_range(span, span)
    }

    /// A place from the token `first` to the token `last`.
    pub fn add_range(&mut self, first: Span, last: Span) -> Src {
        self.0.push((first, last));
        Src(u32::try_from(self.0.len() - 1).unwrap_or(0))
    }

    /// The place from the start of `first` to the end of `last`.
    pub fn join(&mut self, first: Src, last: Src) -> Src {
        if first == last { first } else { self.add_range(self.range(first).0, self.range(last).1) }
    }

    /// The first token of `src`; the call site if nothing is known of it.
    #[must_use]
    pub fn first(&self, src: Src) -> Span {
        self.range(src).0
    }

    /// The first and last token of `src`.
    #[must_use]
    pub fn range(&self, src: Src) -> (Span, Span) {
        let index = usize::try_from(src.0).unwrap_or(0);
        self.0.get(index).copied().unwrap_or(self.0[0])
    }
}
