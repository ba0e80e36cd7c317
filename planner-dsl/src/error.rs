//! Diagnostics as tokens that make the compiler show them.

use crate::spans::Spans;
use planner_core::diagnostic::Diagnostics;
use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, TokenStream, TokenTree};

/// One `::core::compile_error!` a diagnostic, each under the tokens it points at.
#[must_use]
pub fn compile_errors(found: &Diagnostics, spans: &Spans) -> TokenStream {
    found
        .0
        .iter()
        .flat_map(|diagnostic| {
            let (first, last) = spans.range(diagnostic.src);
            let punct = |c, spacing| {
                let mut punct = Punct::new(c, spacing);
                punct.set_span(first);
                TokenTree::Punct(punct)
            };
            let path = |name| {
                [punct(':', Spacing::Joint), punct(':', Spacing::Alone), TokenTree::Ident(Ident::new(name, first))]
            };
            let text = TokenTree::Literal(Literal::string(&diagnostic.to_string()));
            let mut body = Group::new(Delimiter::Brace, TokenStream::from(text));
            body.set_span(last);
            path("core")
                .into_iter()
                .chain(path("compile_error"))
                .chain([punct('!', Spacing::Alone), TokenTree::Group(body)])
        })
        .collect()
}
