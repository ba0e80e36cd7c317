//! What a `.tflite` file says: the tables and fields of its schema (version 3) that matter here.
//!
//! Field numbers are those of the public schema; indices are checked, meaning is not.

mod builtin;
mod element_type;
mod operator;
pub(super) mod options;
mod subgraph;
mod tensor;

pub(super) use element_type::ElementType;
pub(super) use operator::Operator;
pub(super) use subgraph::Subgraph;
pub(super) use tensor::{Quantization, Tensor};

use super::flatbuffer::{Defect, Flatbuffer, Table, Tables};
use std::collections::HashMap;
use std::fmt;

/// The letters that every file of this schema carries.
const IDENTIFIER: [u8; 4] = *b"TFL3";
/// The version of the schema.
const VERSION: usize = 3;

/// A file that is damaged, or none of this format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unreadable(String);

impl Unreadable {
    /// A contradiction between parts of the file.
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// The same, said of the part that `place` names.
    #[must_use]
    pub(super) fn within(self, place: impl fmt::Display) -> Self {
        Self(format!("{place}: {}", self.0))
    }
}

impl From<Defect> for Unreadable {
    fn from(defect: Defect) -> Self {
        Self(defect.to_string())
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Names of the network's inputs and outputs, by tensor.
#[derive(Default)]
pub(super) struct Signature<'a> {
    pub(super) inputs: HashMap<usize, &'a str>,
    pub(super) outputs: HashMap<usize, &'a str>,
}

/// A file.
pub(super) struct Model<'a> {
    codes: Vec<operator::Code<'a>>,
    subgraphs: Tables<'a>,
    buffers: Tables<'a>,
    signatures: Tables<'a>,
}

impl<'a> Model<'a> {
    /// Reads what all subgraphs share.
    pub(super) fn read(file: &'a Flatbuffer<'a>) -> Result<Self, Unreadable> {
        match file.identifier() {
            Some(IDENTIFIER) => {}
            _ => return Err(Unreadable::new("it does not carry the letters `TFL3` at byte 4")),
        }
        let root = file.root()?;
        match root.index(0)? {
            VERSION => {}
            other => return Err(Unreadable::new(format!("it has version {other} of the schema, not {VERSION}"))),
        }
        let codes =
            root.tables(1)?.iter().map(|table| operator::Code::read(table?)).collect::<Result<_, Unreadable>>()?;
        Ok(Self { codes, subgraphs: root.tables(2)?, buffers: root.tables(4)?, signatures: root.tables(7)? })
    }

    /// The subgraph `index`; 0 is the network.
    pub(super) fn subgraph(&self, index: usize) -> Result<Subgraph<'a>, Unreadable> {
        let table = self.subgraphs.get(index)?.ok_or_else(|| Unreadable::new(format!("it has no subgraph {index}")))?;
        Subgraph::read(self, table).map_err(|e| if index == 0 { e } else { e.within(format!("subgraph {index}")) })
    }

    /// The signature of the network; of several the one with TensorFlow's usual key, else the first.
    pub(super) fn signature(&self) -> Result<Signature<'a>, Unreadable> {
        let mut chosen = None;
        for table in self.signatures.iter() {
            let table = table?;
            if table.index(4)? == 0 && (chosen.is_none() || table.text(2)? == Some("serving_default")) {
                chosen = Some(table);
            }
        }
        let Some(table) = chosen else { return Ok(Signature::default()) };
        let names = |field| -> Result<HashMap<_, _>, Unreadable> {
            let entry = |table: Table<'a>| Ok((table.index(1)?, table.text(0)?.unwrap_or_default()));
            table.tables(field)?.iter().map(|table| entry(table?)).collect()
        };
        Ok(Signature { inputs: names(0)?, outputs: names(1)? })
    }

    /// The bytes of buffer `index`, empty where a tensor is computed.
    fn buffer(&self, index: usize) -> Result<&'a [u8], Unreadable> {
        let buffer = self.buffers.get(index)?.ok_or_else(|| Unreadable::new(format!("it has no buffer {index}")))?;
        if buffer.u64(1)? > 1 {
            return Err(Unreadable::new(
                "its numbers stand outside of the flatbuffer, as in models above 2 GB, which is not supported",
            ));
        }
        Ok(buffer.bytes(0)?)
    }
}
