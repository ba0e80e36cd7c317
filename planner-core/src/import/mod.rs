//! Readers of files: bytes in, checked views or a [`Model`](crate::model::Model) out. They open nothing and trust
//! nothing.

pub mod array;
mod bindings;
pub mod csv;
pub mod graph;
mod half;
mod identifiers;
mod interface;
mod json;
pub mod npy;
mod options;
pub mod safetensors;
pub mod tflite;

pub use bindings::{Bindings, Size};
pub use interface::{FileResult, Interface};
pub use options::Options;

#[cfg(test)]
mod hostile;
