//! The language of `graph!` as a library over token streams.
