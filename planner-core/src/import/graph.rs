//! Whole graphs as text, a line a node: what the planner needs to know of a network, and nothing of what it computes.
//!
//! ```text
//! name kind bytes flags count sources..
//! ```
//!
//! `kind` is `I` for an input, `N` for an operator, `P` for one that may write over any of its sources of equal size,
//! `V` for a view of its only source. `flags` are `o` for an output and `-` for none. Sources are named above their
//! use.

use crate::diagnostic::{Diagnostic, Diagnostics, Kind, did_you_mean};
use crate::dtype::DType;
use crate::emit::{Call, Operand, Struct};
use crate::model::{Input, InputMode, Output, TensorId, TensorType};
use crate::shape::Shape;
use crate::source::Src;
use crate::steps::{Program, ProgramTensor, Sharing, Source, Step};
use crate::variants::Variants;
use std::collections::BTreeMap;

/// Defects after which reading ends.
const MOST_DEFECTS: usize = 20;

/// Reads a graph.
///
/// # Errors
/// What is wrong, the line as [`Src`]; at most 20 defects. [`Kind::Syntax`] for what is no node, [`Kind::UnknownName`]
/// and [`Kind::DuplicateName`] for names, [`Kind::Arity`] for the number of sources, [`Kind::Dimension`] for sizes.
pub fn read(text: &str) -> Result<Program, Diagnostics> {
    let mut reader = Reader { program: Program { name: "graph".into(), ..Program::default() }, names: BTreeMap::new() };
    let mut found = Diagnostics::default();
    for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
        if let Err(diagnostic) = reader.node(Src(line), text) {
            let message = format!("line {line}: {}", diagnostic.message);
            found.push(Diagnostic { message, ..diagnostic });
        }
        if found.0.len() == MOST_DEFECTS {
            break;
        }
    }
    found.barrier(reader.program)
}

struct Reader<'a> {
    program: Program,
    names: BTreeMap<&'a str, TensorId>,
}

impl<'a> Reader<'a> {
    fn node(&mut self, src: Src, text: &'a str) -> Result<(), Diagnostic> {
        let wrong = |kind, message: &str| Diagnostic::new(kind, src, message);
        let fields: Vec<&str> = text.split_whitespace().collect();
        let [name, kind, bytes, flags, count, sources @ ..] = fields.as_slice() else {
            return Err(wrong(Kind::Syntax, "not a node").wanted("name, kind, bytes, flags, count, sources"));
        };
        let bytes: usize = number(src, bytes)?;
        let count: usize = number(src, count)?;
        if count != sources.len() {
            let error = wrong(Kind::Arity, "the number of sources differs from what is said");
            return Err(error.got(sources.len().to_string()).wanted(count.to_string()));
        }
        let output = match *flags {
            "o" => true,
            "-" => false,
            other => return Err(wrong(Kind::Syntax, "unknown flags").got(format!("`{other}`")).wanted("`o` or `-`")),
        };
        let reads = sources.iter().map(|source| self.source(src, source)).collect::<Result<Vec<_>, _>>()?;
        let shape = Shape::new([bytes]).map_err(|_| wrong(Kind::Dimension, "no tensor has so many bytes"))?;
        if self.names.contains_key(name) {
            return Err(wrong(Kind::DuplicateName, &format!("a second node is called `{name}`")));
        }
        let tensor = TensorId(self.program.tensors.len());
        let source = match *kind {
            "I" if reads.is_empty() => {
                self.program.inputs.push(Input { tensor, mode: InputMode::Plain });
                Source::Input(self.program.inputs.len() - 1)
            }
            "I" => return Err(wrong(Kind::Arity, "an input has no sources")),
            "N" | "P" | "V" => {
                let sharing = self.sharing(src, kind, bytes, &reads)?;
                let reads_all = (0..reads.len()).map(Operand::Read);
                let call = Call {
                    kernel: "kernel",
                    params: Struct { name: "Params", fields: Vec::new() },
                    operands: reads_all.chain([Operand::Write(0)]).collect(),
                    units: 1,
                    elided_by: (*kind == "V").then_some(0),
                };
                self.program.steps.push(Step {
                    name: (*name).to_owned(),
                    op: if *kind == "V" { "view" } else { "operator" },
                    attributes: Vec::new(),
                    src,
                    reads,
                    writes: vec![tensor],
                    scratch: None,
                    macs: 0,
                    calls: vec![call],
                    sharing,
                    variants: Variants::default(),
                });
                Source::Step
            }
            other => {
                let error = wrong(Kind::Syntax, "unknown kind of node").got(format!("`{other}`"));
                return Err(error.wanted("`I`, `N`, `P` or `V`"));
            }
        };
        self.names.insert(name, tensor);
        if output {
            self.program.outputs.push(Output { name: (*name).to_owned(), tensor, kept: false, src });
        }
        let ty = TensorType::plain(DType::I8, shape);
        self.program.tensors.push(ProgramTensor { name: (*name).to_owned(), ty, src, source });
        Ok(())
    }

    fn source(&self, src: Src, name: &str) -> Result<TensorId, Diagnostic> {
        self.names.get(name).copied().ok_or_else(|| {
            let error = Diagnostic::new(Kind::UnknownName, src, format!("no node above is called `{name}`"));
            match did_you_mean(name, self.names.keys().copied()) {
                Some(name) => error.help(format!("did you mean `{name}`?")),
                None => error,
            }
        })
    }

    fn sharing(&self, src: Src, kind: &str, bytes: usize, reads: &[TensorId]) -> Result<Vec<Sharing>, Diagnostic> {
        let size = |read: &TensorId| self.program.tensor(*read).ty.bytes();
        match (kind, reads) {
            ("V", [of]) if bytes <= size(of) => Ok(vec![Sharing::View { result: 0, arg: 0, offset: 0 }]),
            ("V", [of]) => {
                let error = Diagnostic::new(Kind::Dimension, src, "a view is larger than its source");
                Err(error.got(bytes.to_string()).wanted(format!("at most {}", size(of))))
            }
            ("V", _) => Err(Diagnostic::new(Kind::Arity, src, "a view has one source")),
            ("P", _) => {
                let equal = reads.iter().enumerate().filter(|(_, read)| size(read) == bytes);
                Ok(equal.map(|(arg, _)| Sharing::InPlace { arg, result: 0 }).collect())
            }
            _ => Ok(Vec::new()),
        }
    }
}

fn number(src: Src, text: &str) -> Result<usize, Diagnostic> {
    text.parse()
        .map_err(|_| Diagnostic::new(Kind::Syntax, src, "not a number of bytes or sources").got(format!("`{text}`")))
}
