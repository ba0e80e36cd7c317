//! Networks that a model file defines.

use super::item::kept_input;
use super::{Lowering, suggest};
use crate::ast::{Declaration, Ident, ModelFile, Port};
use crate::reserved;
use planner_core::diagnostic::{Diagnostic, Kind};
use planner_core::import::{Bindings, FileResult, Options, Size, tflite};
use planner_core::model::{Declared, InputMode, Origin};
use planner_core::source::Src;
use proc_macro2::TokenStream;
use std::collections::HashSet;
use std::sync::Arc;

/// Most names that a message lists.
const MAX_NAMES: usize = 20;

/// A model file that has become a network.
#[derive(Clone, Debug)]
pub struct Imported {
    bytes: Arc<[u8]>,
    bindings: Bindings,
}

impl Imported {
    /// What the operators of the file compute, in the order of the file.
    #[must_use]
    pub fn results(&self) -> Vec<FileResult> {
        tflite::results(&self.bytes, &options("", Src::default(), &self.bindings)).unwrap_or_default()
    }
}

fn options<'a>(name: &'a str, src: Src, bindings: &'a Bindings) -> Options<'a> {
    Options { name, src, bindings, is_reserved: reserved::is_reserved }
}

impl Lowering<'_> {
    /// The network in `file`. If it cannot be had, its inputs and outputs remain as far as they are known.
    ///
    /// If what is said about the file is `broken`, sizes may be missing that have been given.
    pub(super) fn model_file(&mut self, file: &ModelFile, broken: bool) {
        let readable = self.imported(file, broken).is_some();
        self.out.input_docs = vec![TokenStream::new(); self.out.model.inputs.len()];
        self.out.output_docs = vec![TokenStream::new(); self.out.model.outputs.len()];
        let mut declared = HashSet::new();
        for declaration in &file.declarations {
            let name = &declaration.name;
            if !declared.insert((matches!(declaration.port, Port::Input(_)), name.name.as_str())) {
                let message = format!("`{}` is declared twice", name.name);
                self.report(Diagnostic::new(Kind::DuplicateName, name.src, message));
            } else if self.declaration(declaration).is_none() {
                match readable {
                    true => self.unknown_port(declaration),
                    false => self.stub(name, declaration.port, Declared::default()),
                }
            }
        }
    }

    /// Makes the network, or stubs of its inputs and outputs; `None` if nothing is known of them.
    fn imported(&mut self, file: &ModelFile, broken: bool) -> Option<()> {
        let bindings = self.bindings(file);
        let bytes = self.file(&file.path, file.src, Kind::ModelFile)?;
        let (name, src) = (self.out.model.name.clone(), self.out.model.src);
        let options = options(&name, file.src, &bindings);
        match tflite::import(&bytes, &options) {
            Ok(model) => {
                self.out.model = model;
                self.out.model.src = src;
                self.out.imported = Some(Imported { bytes, bindings });
            }
            Err(found) => {
                for diagnostic in found.0.into_iter().filter(|found| !broken || found.kind != Kind::Dimension) {
                    self.report(diagnostic);
                }
                let interface = tflite::interface(&bytes, &options).ok()?;
                let inputs = interface.inputs.into_iter().map(|port| (port, Port::Input(InputMode::Plain)));
                let outputs = interface.outputs.into_iter().map(|port| (port, Port::Output { kept: false }));
                for ((name, declared), port) in inputs.chain(outputs) {
                    self.stub(&Ident { name, src: file.src }, port, declared);
                }
            }
        }
        Some(())
    }

    fn bindings(&mut self, file: &ModelFile) -> Bindings {
        let mut bindings = Bindings::default();
        for Declaration { name, port, quantized, .. } in &file.declarations {
            let ports = match port {
                Port::Input(_) => &mut bindings.quantized_inputs,
                Port::Output { .. } | Port::State => &mut bindings.quantized_outputs,
            };
            ports.extend(quantized.map(|src| (name.name.clone(), src)));
        }
        for binding in &file.bindings {
            let src = binding.name.src;
            let dimension = binding.dimension.as_ref().map(|dimension| (dimension, self.int(dimension, "a dimension")));
            let Some(size) = self.int(&binding.size, "a size") else { continue };
            let Some(elements) = usize::try_from(size).ok().filter(|elements| *elements > 0) else {
                let error = Diagnostic::new(Kind::Dimension, binding.size.src, "a size is out of range");
                self.report(error.got(size.to_string()).wanted("at least 1"));
                continue;
            };
            let size = Size { elements, src };
            let before = match dimension {
                None => bindings.batch.replace(size),
                Some((_, None)) => continue,
                Some((expr, Some(index))) => {
                    let Ok(index) = usize::try_from(index) else {
                        let error = Diagnostic::new(Kind::Dimension, expr.src, "dimensions are counted from 0");
                        self.report(error.got(index.to_string()));
                        continue;
                    };
                    bindings.dimensions.insert((binding.name.name.clone(), index), size)
                }
            };
            if before.is_some() {
                let message = format!("`{}` is bound twice", binding.name.name);
                self.report(Diagnostic::new(Kind::DuplicateName, src, message));
            }
        }
        bindings
    }

    /// Applies what is said of an input or output; `None` if there is no such.
    fn declaration(&mut self, declaration: &Declaration) -> Option<()> {
        let (name, docs) = (&declaration.name, &declaration.docs);
        let same = |port: Port| std::mem::discriminant(&port) == std::mem::discriminant(&declaration.port);
        if let Some(stub) = self.out.stubs.iter_mut().find(|stub| stub.name.name == name.name && same(stub.port)) {
            stub.port = declaration.port;
            return Some(());
        }
        let model = &mut self.out.model;
        match declaration.port {
            Port::Input(mode) => {
                let place = model.inputs.iter().position(|input| model.tensor(input.tensor).name == name.name)?;
                model.inputs[place].mode = mode;
                self.out.input_docs[place] = docs.clone();
            }
            Port::Output { kept } => {
                let place = model.outputs.iter().position(|output| output.name == name.name)?;
                let origin = model.tensor(model.outputs[place].tensor).origin;
                model.outputs[place].kept = kept;
                self.out.output_docs[place] = docs.clone();
                if kept && matches!(origin, Origin::Input(_)) {
                    self.report(kept_input(name));
                }
            }
            Port::State => return None,
        }
        Some(())
    }

    fn unknown_port(&mut self, declaration: &Declaration) {
        let model = &self.out.model;
        let input = matches!(declaration.port, Port::Input(_));
        let stubs = self.out.stubs.iter().filter(|stub| matches!(stub.port, Port::Input(_)) == input);
        let names: Vec<String> = stubs
            .map(|stub| stub.name.name.clone())
            .chain(model.inputs.iter().filter(|_| input).map(|input| model.tensor(input.tensor).name.clone()))
            .chain(model.outputs.iter().filter(|_| !input).map(|output| output.name.clone()))
            .collect();
        let noun = if input { "input" } else { "output" };
        let name = &declaration.name;
        let listed: Vec<String> = names.iter().take(MAX_NAMES).map(|name| format!("`{name}`")).collect();
        let error = Diagnostic::new(Kind::UnknownName, name.src, format!("the file has no {noun} `{}`", name.name))
            .wanted(format!("one of {}", listed.join(", ")));
        self.report(suggest(error, &name.name, names.iter().map(String::as_str)));
    }
}
