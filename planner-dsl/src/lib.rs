//! The language of `graph!` as a library over token streams.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod ast;
pub mod error;
pub mod files;
pub mod lower;
pub mod parse;
pub mod spans;
