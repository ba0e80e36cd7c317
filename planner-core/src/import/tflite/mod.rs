//! `.tflite` files.
//!
//! `flatbuffer` checks the bytes, `schema` reads what the file says, and
//! `convert` makes each builtin operator one or more of this crate's
//! [operators](crate::ops). Whatever a file holds that cannot be honoured is
//! refused, all of it at once.

mod boundary;
mod constant;
mod convert;
mod flatbuffer;
mod fold;
mod graph;
mod operators;
mod report;
mod schema;
mod slice_lists;
mod types;

use super::{FileResult, Interface, Options};
use crate::diagnostic::{Diagnostic, Diagnostics, Kind};
use crate::model::Model;

/// The network in a `.tflite` file.
///
/// Memory stays below ten times the file beyond a constant, and time is linear, whatever the bytes are.
///
/// # Errors
/// [`Kind::ModelFile`] for bytes that are no such file; else all operators that are not supported, and why.
pub fn import(bytes: &[u8], options: &Options<'_>) -> Result<Model, Diagnostics> {
    let file = flatbuffer::Flatbuffer::new(bytes);
    let (source, subgraph, signature) = read(&file, options)?;
    convert::convert(&file, &source, &subgraph, &signature, options)
}

/// The inputs and outputs of the network in a `.tflite` file, under the names that [`import`] gives them.
///
/// # Errors
/// [`Kind::ModelFile`] for bytes that are no such file.
pub fn interface(bytes: &[u8], options: &Options<'_>) -> Result<Interface, Diagnostics> {
    let file = flatbuffer::Flatbuffer::new(bytes);
    let (source, subgraph, signature) = read(&file, options)?;
    Ok(convert::interface(&file, &source, &subgraph, &signature, options))
}

/// The tensors that the operators of a `.tflite` file compute, in the order of the file.
///
/// # Errors
/// As for [`import`].
pub fn results(bytes: &[u8], options: &Options<'_>) -> Result<Vec<FileResult>, Diagnostics> {
    let file = flatbuffer::Flatbuffer::new(bytes);
    let (source, subgraph, signature) = read(&file, options)?;
    convert::results(&file, &source, &subgraph, &signature, options)
}

fn read<'a>(
    file: &'a flatbuffer::Flatbuffer<'a>,
    options: &Options<'_>,
) -> Result<(schema::Model<'a>, schema::Subgraph<'a>, schema::Signature<'a>), Diagnostics> {
    let unreadable = |e: schema::Unreadable| {
        let message = format!("the model file cannot be read: {e}");
        Diagnostics::from(Diagnostic::new(Kind::ModelFile, options.src, message))
    };
    let source = schema::Model::read(file).map_err(unreadable)?;
    let subgraph = source.subgraph(0).map_err(unreadable)?;
    let signature = source.signature().map_err(unreadable)?;
    Ok((source, subgraph, signature))
}
