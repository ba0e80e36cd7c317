//! Identifiers for generated code.

use proc_macro2::{Ident, Span};
use std::collections::HashSet;

/// The identifiers of one scope.
#[derive(Debug, Default)]
pub(super) struct Names(HashSet<String>);

impl Names {
    /// `name` for a function, made unique.
    pub(super) fn lower(&mut self, name: &str) -> Ident {
        self.unique(&name.to_lowercase())
    }

    /// `name` for a constant or static, made unique.
    pub(super) fn upper(&mut self, name: &str) -> Ident {
        self.unique(&name.to_uppercase())
    }

    fn unique(&mut self, base: &str) -> Ident {
        let mut name = base.to_owned();
        let mut count = 1;
        while !self.0.insert(name.clone()) {
            count += 1;
            name = format!("{base}_{count}");
        }
        ident(&name, Span::call_site())
    }
}

/// `name` at `span`, as a raw identifier if it is a keyword.
pub(super) fn ident(name: &str, span: Span) -> Ident {
    if KEYWORDS.contains(&name) {
        return Ident::new_raw(name, span);
    }
    match name {
        "self" | "Self" | "super" | "crate" | "_" => Ident::new(&format!("{name}_"), span),
        _ => Ident::new(name, span),
    }
}

/// Keywords that may stand as raw identifiers.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else", "enum",
    "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move",
    "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];
