//! How a model file becomes a network.

use super::Bindings;
use crate::source::Src;

/// How a model file becomes a network.
///
/// Messages name the file's operators and tensors, and all point to `src`.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Name of the network.
    pub name: &'a str,
    /// Where the file is named in the source.
    pub src: Src,
    /// What is said of the file.
    pub bindings: &'a Bindings,
    /// Whether a name has a meaning of its own to the front end, so that no tensor may be called so.
    pub is_reserved: fn(&str) -> bool,
}
