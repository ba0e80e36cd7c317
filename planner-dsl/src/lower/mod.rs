//! A syntax tree to the planner's model: names looked up, blocks and loops written out, files read.

use crate::ast::{Ast, Ident};
use crate::files::Files;
use crate::spans::Spans;
use planner_core::diagnostic::Diagnostics;
use planner_core::model::{Declared, Model, TensorType};
use planner_core::plan::Options;
use planner_core::source::Src;
use proc_macro2::TokenStream;
use std::path::PathBuf;

/// A network that the planner can take, and what the expansion needs besides.
#[derive(Debug, Default)]
pub struct Lowered {
    /// The network. With defects it holds what could be made of it: references are valid, but
    /// tensors may be missing, so only a stub may be generated from it.
    pub model: Model,
    /// The `plan` block.
    pub options: Options,
    /// Constants of the user's crate, by the index in [`Data::External`](planner_core::model::Data::External).
    pub externals: Vec<External>,
    /// Absolute paths of all files read, sorted: the compiler must watch them.
    pub files: Vec<PathBuf>,
    /// Doc attributes of each input, in the order of `model.inputs`.
    pub input_docs: Vec<TokenStream>,
    /// Doc attributes of each output, in the order of `model.outputs`.
    pub output_docs: Vec<TokenStream>,
    /// Inputs and outputs that are declared but broken, which only a stub can show.
    pub stubs: Vec<Stub>,
    /// A file could not be looked for because the source file is unknown, as in rust-analyzer:
    /// not an error, but only a stub may be generated.
    pub incomplete: bool,
}

/// A constant array of the user's crate: `[T; N]`.
#[derive(Debug)]
pub struct External {
    /// Its path, as written.
    pub path: TokenStream,
    /// The type that the parameter declares; `T` and `N` follow.
    pub ty: TensorType,
    /// Where the path stands.
    pub src: Src,
}

/// What is known of a broken input or output.
#[derive(Debug)]
pub struct Stub {
    /// Its name.
    pub name: Ident,
    /// An input, otherwise an output.
    pub input: bool,
    /// What was written of its type and could be understood.
    pub declared: Declared,
}

/// Lowers `ast`, reading files through `files`, and says everything that is wrong.
#[must_use]
pub fn lower(_ast: &Ast, _spans: &Spans, _files: &mut Files) -> (Lowered, Diagnostics) {
    todo!()
}
