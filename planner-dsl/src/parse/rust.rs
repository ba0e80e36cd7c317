//! What the language takes over from Rust: attributes, a visibility, paths. syn reads them.

use super::cursor::{Cursor, MAX_DEPTH, Result};
use planner_core::diagnostic::{Diagnostic, Kind};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Attribute, Path, Visibility};

/// Attributes, of which doc comments are some.
pub(super) fn attributes(cursor: &mut Cursor<'_>) -> Result<Vec<Attribute>> {
    if cursor.is_punct("#") { parse(cursor, Attribute::parse_outer) } else { Ok(Vec::new()) }
}

/// `pub`, `pub(in crate::a)` or nothing.
pub(super) fn visibility(cursor: &mut Cursor<'_>) -> Result<Visibility> {
    parse(cursor, Visibility::parse)
}

/// `a::b::C`, which only the compiler can look up.
pub(super) fn path(cursor: &mut Cursor<'_>) -> Result<Path> {
    parse(cursor, Path::parse_mod_style)
}

/// What `parser` makes of the next tokens; it is shown no more of them than can belong to it.
fn parse<T>(cursor: &mut Cursor<'_>, parser: impl Fn(ParseStream<'_>) -> syn::Result<T>) -> Result<T> {
    let is_end = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ';');
    let shown = cursor.rest().split(is_body).next().unwrap_or_default();
    let shown = shown.split_inclusive(is_end).next().unwrap_or_default();
    let (count, tokens) = (shown.len(), shown.iter().cloned().collect());
    let mut left = 0;
    let parser = |input: ParseStream<'_>| {
        let parsed = parser(input);
        left = input.parse::<TokenStream>()?.into_iter().count();
        parsed
    };
    let parsed = parser.parse2(tokens);
    cursor.skip(count - left);
    parsed.map_err(|error| {
        // The end of what syn was shown is not the end.
        let src = if left == 0 { cursor.src() } else { cursor.spans.add(error.span()) };
        let text = error.to_string();
        match text.strip_prefix("unexpected end of input, ") {
            Some(wanted) => Diagnostic::new(Kind::Syntax, src, wanted).got("the end"),
            None => Diagnostic::new(Kind::Syntax, src, text),
        }
    })
}

/// Braces, or a group too deep for syn, which descends without a limit.
fn is_body(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace) || is_deeper(token, MAX_DEPTH)
}

fn is_deeper(token: &TokenTree, levels: usize) -> bool {
    let TokenTree::Group(group) = token else { return false };
    levels == 0 || group.stream().into_iter().any(|inner| is_deeper(&inner, levels - 1))
}
