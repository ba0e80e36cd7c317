//! The networks in a file of Rust.

use proc_macro2::{TokenStream, TokenTree};

/// What stands between the braces of every `graph!` in `source`, in order, modules and functions included.
#[must_use]
pub fn networks(source: TokenStream) -> Vec<TokenStream> {
    let mut found = Vec::new();
    let mut before = [None, None];
    for token in source {
        if let TokenTree::Group(group) = &token {
            if matches!(&before, [Some(name), Some(mark)] if name == "graph" && mark == "!") {
                found.push(group.stream());
            } else {
                found.extend(networks(group.stream()));
            }
        }
        before = [before[1].take(), Some(token.to_string())];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_are_found_wherever_they_stand() {
        let source = "graph! { a } mod m { waterline::graph! { b } fn f() { graph!(c); other!(graph); } }";
        let found: Vec<String> = networks(source.parse().unwrap()).iter().map(ToString::to_string).collect();
        assert_eq!(found, ["a", "b", "c"]);
    }
}
