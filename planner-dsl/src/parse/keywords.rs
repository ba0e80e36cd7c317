//! Words with a meaning.

/// What a statement may start with.
pub(crate) const STATEMENTS: [&str; 9] = ["plan", "const", "input", "param", "state", "let", "output", "fn", "for"];

/// Words of Rust that cannot name anything in generated code.
const RUST: &str = " Self abstract as async await become box break const continue crate do dyn else enum extern \
    false final fn for gen if impl in let loop macro match mod move mut override priv pub ref return self static \
    struct super trait true try type typeof unsafe unsized use virtual where while yield ";

/// `word` is a keyword of Rust, used or reserved.
#[must_use]
pub fn is_rust_keyword(word: &str) -> bool {
    RUST.contains(&format!(" {word} "))
}
