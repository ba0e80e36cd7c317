//! A walk over tokens that knows where it stands and what it would have liked to find.

use crate::ast::Ident;
use crate::parse::keywords::is_rust_keyword;
use crate::spans::Spans;
use planner_core::diagnostic::{Diagnostic, Kind};
use planner_core::source::Src;
use proc_macro2::{Delimiter, Group, Spacing, Span, TokenStream, TokenTree};
use syn::Lit;

/// What a parser function returns: the first thing that does not parse.
pub(super) type Result<T> = std::result::Result<T, Diagnostic>;

/// Groups nested deeper than this are refused, so that hostile input cannot exhaust the stack.
pub(super) const MAX_DEPTH: usize = 64;

/// The tokens of one group and a position among them.
pub(super) struct Cursor<'s> {
    tokens: Vec<TokenTree>,
    at: usize,
    /// What closes the group.
    end: Span,
    pub(super) depth: usize,
    pub(super) spans: &'s mut Spans,
}

impl<'s> Cursor<'s> {
    pub(super) fn new(tokens: TokenStream, spans: &'s mut Spans) -> Self {
        let mut flat = Vec::new();
        flatten(tokens, 0, &mut flat);
        let end = flat.last().map_or(Span::call_site(), TokenTree::span);
        Self { tokens: flat, at: 0, end, depth: 0, spans }
    }

    /// The inside of `group`.
    pub(super) fn enter(&mut self, group: &Group) -> Result<Cursor<'_>> {
        if self.depth == MAX_DEPTH {
            let src = self.spans.add(group.span_open());
            return Err(Diagnostic::new(Kind::Syntax, src, format!("nested deeper than {MAX_DEPTH} levels")));
        }
        let mut tokens = Vec::new();
        flatten(group.stream(), 0, &mut tokens);
        Ok(Cursor { tokens, at: 0, end: group.span_close(), depth: self.depth + 1, spans: self.spans })
    }

    pub(super) fn at_end(&self) -> bool {
        self.at == self.tokens.len()
    }

    pub(super) fn peek(&self) -> Option<&TokenTree> {
        self.peek_nth(0)
    }

    fn peek_nth(&self, n: usize) -> Option<&TokenTree> {
        self.tokens.get(self.at + n)
    }

    /// Moves past one token.
    pub(super) fn next(&mut self) -> Option<TokenTree> {
        let token = self.tokens.get(self.at).cloned();
        self.at += usize::from(token.is_some());
        token
    }

    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// The tokens from here on.
    pub(super) fn rest(&self) -> &[TokenTree] {
        &self.tokens[self.at..]
    }

    /// Moves past `count` tokens that are there.
    pub(super) fn skip(&mut self, count: usize) {
        self.at += count;
    }

    /// The tokens from `position` up to here.
    pub(super) fn since(&self, position: usize) -> &[TokenTree] {
        &self.tokens[position..self.at]
    }

    /// The place of the next token, or of what closes the group.
    pub(super) fn src(&mut self) -> Src {
        let span = self.peek().map_or(self.end, TokenTree::span);
        self.spans.add(span)
    }

    /// The place from token `start` to the last token read.
    pub(super) fn src_since(&mut self, start: usize) -> Src {
        let span = |token: Option<&TokenTree>| token.map_or(self.end, TokenTree::span);
        let (first, last) = (span(self.tokens.get(start)), span(self.tokens.get(self.at.max(start + 1) - 1)));
        self.spans.add_range(first, last)
    }

    /// The next token is the identifier `word`.
    pub(super) fn is_word(&self, word: &str) -> bool {
        self.is_word_at(0, word)
    }

    pub(super) fn is_word_at(&self, n: usize, word: &str) -> bool {
        matches!(self.peek_nth(n), Some(TokenTree::Ident(ident)) if ident == word)
    }

    /// The identifier `n` tokens ahead.
    pub(super) fn word_at(&self, n: usize) -> Option<String> {
        match self.peek_nth(n) {
            Some(TokenTree::Ident(ident)) => Some(ident.to_string()),
            _ => None,
        }
    }

    /// The tokens `n` ahead spell `text`, the characters of one operator.
    pub(super) fn is_punct_at(&self, n: usize, text: &str) -> bool {
        let last = text.len() - 1;
        text.chars().enumerate().all(|(i, c)| match self.peek_nth(n + i) {
            Some(TokenTree::Punct(punct)) => punct.as_char() == c && (i == last || punct.spacing() == Spacing::Joint),
            _ => false,
        })
    }

    pub(super) fn is_punct(&self, text: &str) -> bool {
        self.is_punct_at(0, text)
    }

    pub(super) fn eat_punct(&mut self, text: &str) -> bool {
        let found = self.is_punct(text);
        self.at += if found { text.len() } else { 0 };
        found
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    pub(super) fn punct(&mut self, text: &str, wanted: &str) -> Result<()> {
        if self.eat_punct(text) { Ok(()) } else { Err(self.expected(wanted)) }
    }

    /// The next token as a literal.
    pub(super) fn literal(&self) -> Option<Lit> {
        match self.peek() {
            Some(TokenTree::Literal(literal)) => Some(Lit::new(literal.clone())),
            _ => None,
        }
    }

    pub(super) fn is_group(&self, delimiter: Delimiter) -> bool {
        self.is_group_at(0, delimiter)
    }

    pub(super) fn is_group_at(&self, n: usize, delimiter: Delimiter) -> bool {
        matches!(self.peek_nth(n), Some(TokenTree::Group(group)) if group.delimiter() == delimiter)
    }

    pub(super) fn eat_group(&mut self, delimiter: Delimiter) -> Option<Group> {
        match self.peek() {
            Some(TokenTree::Group(group)) if group.delimiter() == delimiter => {
                let group = group.clone();
                self.at += 1;
                Some(group)
            }
            _ => None,
        }
    }

    pub(super) fn group(&mut self, delimiter: Delimiter, wanted: &str) -> Result<Group> {
        self.eat_group(delimiter).ok_or_else(|| self.expected(wanted))
    }

    /// A name that may also be one of Rust.
    pub(super) fn name(&mut self, wanted: &str) -> Result<Ident> {
        let Some(name) = self.word_at(0).filter(|name| name != "_") else { return Err(self.expected(wanted)) };
        let src = self.src();
        if is_rust_keyword(&name) || name.starts_with("r#") || name.starts_with('$') {
            let message = format!("`{name}` is a word of Rust and cannot be a name here");
            return Err(Diagnostic::new(Kind::ReservedName, src, message).wanted(wanted));
        }
        self.at += 1;
        Ok(Ident { name, src })
    }

    /// The next token is not what the grammar wants.
    pub(super) fn expected(&mut self, wanted: &str) -> Diagnostic {
        let got = self.peek().map_or("the end".into(), describe);
        let src = self.src();
        Diagnostic::new(Kind::Syntax, src, format!("expected {wanted}")).got(got)
    }

    /// Nothing may follow.
    pub(super) fn finish(&mut self, wanted: &str) -> Result<()> {
        if self.at_end() { Ok(()) } else { Err(self.expected(wanted)) }
    }

    /// `item, item, ..` up to the end of the group.
    pub(super) fn list<T>(
        &mut self,
        close: &str,
        mut item: impl FnMut(&mut Cursor<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut items = Vec::new();
        while !self.at_end() {
            items.push(item(self)?);
            if !self.eat_punct(",") {
                self.finish(&format!("`,` or `{close}`"))?;
            }
        }
        Ok(items)
    }
}

/// Removes the invisible groups in which `macro_rules` wraps fragments.
fn flatten(tokens: TokenStream, depth: usize, into: &mut Vec<TokenTree>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::None && depth < MAX_DEPTH => {
                flatten(group.stream(), depth + 1, into);
            }
            token => into.push(token),
        }
    }
}

/// The token as a message shows it.
fn describe(token: &TokenTree) -> String {
    match token {
        TokenTree::Group(group) => match group.delimiter() {
            Delimiter::Parenthesis => "`(..)`".into(),
            Delimiter::Bracket => "`[..]`".into(),
            Delimiter::Brace | Delimiter::None => "`{..}`".into(),
        },
        token => format!("`{token}`"),
    }
}
