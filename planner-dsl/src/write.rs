//! A model in the language: statements for people to read and change, weights as files.

use planner_core::diagnostic::{Diagnostic, Diagnostics, Kind};
use planner_core::dtype::DType;
use planner_core::import::npy;
use planner_core::model::{Data, InputMode, Model, Node, Origin, TensorId, TensorType, TypedModel};
use planner_core::ops::Results;
use planner_core::quant::Quant;
use planner_core::source::Src;
use std::collections::HashSet;
use std::fmt::Write;

/// Most scales that stand in the text; longer lists are files.
const MAX_SCALES: usize = 4;

/// A network in the language, and the files that it names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The module, `pub mod name { .. }`, as `graph!` takes it.
    pub module: String,
    /// Name and content of each `.npy` file.
    pub arrays: Vec<(String, Vec<u8>)>,
}

/// Writes `typed`; its arrays are to lie in the folder `folder` beside the source file.
///
/// What reaches no output and no state is left out. Everything follows from the operators' signatures.
///
/// # Errors
/// What the language cannot say: an argument that is left out before one that is not, constants of another crate.
pub fn write(typed: &TypedModel, folder: &str) -> Result<Written, Diagnostics> {
    let mut writer =
        Writer { typed, folder, needed: needed(&typed.model), done: HashSet::new(), out: Written::default() };
    writer.module()?;
    Ok(writer.out)
}

struct Writer<'a> {
    typed: &'a TypedModel,
    folder: &'a str,
    /// Which tensors reach an output or a state.
    needed: Vec<bool>,
    /// What has been defined.
    done: HashSet<TensorId>,
    out: Written,
}

/// Which tensors of `model` reach an output or a state.
fn needed(model: &Model) -> Vec<bool> {
    let mut needed: Vec<bool> = (0..model.tensors.len()).map(|id| model.leaves(TensorId(id))).collect();
    for node in model.nodes.iter().rev() {
        if node.results.iter().any(|id| needed[id.0]) {
            node.args.iter().flatten().for_each(|id| needed[id.0] = true);
        }
    }
    needed
}

impl<'a> Writer<'a> {
    fn module(&mut self) -> Result<(), Diagnostics> {
        let model = &self.typed.model;
        self.out.module = format!("pub mod {} {{\n", model.name);
        for input in &model.inputs {
            let mode = match input.mode {
                InputMode::Plain => "",
                InputMode::Kept => " kept",
                InputMode::Borrowed => " borrowed",
            };
            let ty = self.ty(input.tensor);
            let name = self.name(input.tensor);
            self.line(&format!("input {name}: {ty}{mode};"));
            self.done.insert(input.tensor);
        }
        let mut found = Diagnostics::default();
        for state in &model.states {
            let written = self.constant("state", state.tensor, &state.data, state.src);
            written.unwrap_or_else(|diagnostic| found.push(diagnostic));
        }
        for node in &model.nodes {
            if node.results.iter().any(|id| self.needed[id.0]) {
                self.node(node).unwrap_or_else(|diagnostic| found.push(node.labelled(diagnostic)));
            }
        }
        for state in &model.states {
            self.params(&[Some(state.next)]).unwrap_or_else(|diagnostic| found.push(diagnostic));
            let (name, next) = (self.name(state.tensor), self.name(state.next));
            self.line(&format!("{name} <- {next};"));
        }
        for output in &model.outputs {
            let kept = if output.kept { " kept" } else { "" };
            let tensor = self.name(output.tensor);
            if output.name != tensor {
                self.line(&format!("output {}{kept} = {tensor};", output.name));
            } else if !self.is_inline(output.tensor) {
                self.line(&format!("output {tensor}{kept};"));
            }
        }
        self.out.module.push_str("}\n");
        found.barrier(())
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out.module, "    {text}");
    }

    /// The name of `id`, which says so if nothing reads it.
    fn name(&self, id: TensorId) -> String {
        let name = &self.typed.model.tensor(id).name;
        if self.needed[id.0] || name.starts_with('_') { name.clone() } else { format!("_{name}") }
    }

    /// The statement that computes `id` is an `output` itself. Several outputs come last, so that they keep their
    /// order.
    fn is_inline(&self, id: TensorId) -> bool {
        let model = &self.typed.model;
        let [output] = model.outputs.as_slice() else { return false };
        let alone =
            matches!(model.tensor(id).origin, Origin::Result { node, .. } if model.nodes[node].results.len() == 1);
        alone && output.tensor == id && output.name == self.name(id)
    }

    fn node(&mut self, node: &'a Node) -> Result<(), Diagnostic> {
        let model = &self.typed.model;
        self.params(&node.args)?;
        let call = self.call(node)?;
        let head = match node.results.as_slice() {
            &[id] => {
                let inline = self.is_inline(id);
                let word = if inline { "output" } else { "let" };
                let kept = if inline && model.outputs.iter().any(|output| output.kept) { " kept" } else { "" };
                format!("{word} {}: {}{kept}", self.name(id), self.ty(id))
            }
            ids => {
                let names = ids.iter().map(|id| if self.needed[id.0] { self.name(*id) } else { "_".into() });
                let names = names.collect::<Vec<_>>().join(", ");
                // New values of states have the states' types; other results follow from their argument.
                match node.op.signature().results {
                    Results::States(_) => format!("let ({names}): {}", self.ty(ids[0])),
                    _ => format!("let ({names})"),
                }
            }
        };
        self.line(&format!("{head} = {call};"));
        Ok(())
    }

    /// The params among `tensors` that have not been defined yet.
    fn params(&mut self, tensors: &[Option<TensorId>]) -> Result<(), Diagnostic> {
        for &id in tensors.iter().flatten() {
            if let Some(param) = self.typed.model.param(id)
                && self.done.insert(id)
            {
                self.constant("param", id, &param.data, param.src)?;
            }
        }
        Ok(())
    }

    /// The operator with its arguments and the attributes that differ from their defaults.
    fn call(&self, node: &Node) -> Result<String, Diagnostic> {
        let signature = node.op.signature();
        let given = node.args.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        let mut parts = Vec::new();
        for (place, arg) in node.args[..given].iter().enumerate() {
            let Some(id) = arg else {
                let name = signature.args.get(place).map_or("an argument", |arg| arg.name);
                let message = format!("`{}` without `{name}` cannot be written", signature.name);
                return Err(Diagnostic::new(Kind::Unsupported, node.src, message));
            };
            parts.push(self.name(*id));
        }
        for (spec, value) in signature.attrs.iter().zip(&node.attrs) {
            if spec.default.as_ref() != Some(value) {
                parts.push(format!("{} = {value}", spec.name));
            }
        }
        Ok(format!("{}({})", signature.name, parts.join(", ")))
    }

    /// A statement whose first word is `word`, about the tensor `id` with the elements `data`.
    fn constant(&mut self, word: &str, id: TensorId, data: &Data, src: Src) -> Result<(), Diagnostic> {
        let name = self.name(id);
        let Data::Bytes(bytes) = data else {
            let message = format!("`{name}` is a constant of another crate");
            return Err(Diagnostic::new(Kind::Unsupported, src, message));
        };
        let TensorType { dtype, shape, .. } = self.typed.ty(id).clone();
        let ty = self.ty(id);
        let source =
            if bytes.iter().all(|byte| *byte == 0) { "zeros".into() } else { self.array(&name, dtype, &shape, bytes) };
        self.line(&format!("{word} {name}: {ty} = {source};"));
        Ok(())
    }

    /// Adds a file, and names it as the language does.
    fn array(&mut self, name: &str, dtype: DType, dims: &[usize], bytes: &[u8]) -> String {
        let file = format!("{name}.npy");
        let path = format!("{:?}", format!("./{}/{file}", self.folder));
        self.out.arrays.push((file, npy::write(dtype, dims, bytes)));
        path
    }

    fn ty(&mut self, id: TensorId) -> String {
        let TensorType { dtype, shape, quant } = self.typed.ty(id).clone();
        let quant = quant.map_or(String::new(), |quant| format!(" {}", self.quant(id, &quant)));
        format!("{dtype}{shape}{quant}")
    }

    fn quant(&mut self, id: TensorId, quant: &Quant) -> String {
        let Some(axis) = quant.axis() else { return quant.to_string() };
        let scales = quant.scales();
        let list = if scales.len() <= MAX_SCALES {
            format!("{scales:?}")
        } else {
            let bytes: Vec<u8> = scales.iter().flat_map(|scale| scale.to_le_bytes()).collect();
            self.array(&format!("{}_scale", self.name(id)), DType::F32, &[scales.len()], &bytes)
        };
        let zeros = quant.zero_points();
        let zeros = if zeros.iter().all(|zero| *zero == 0) { String::new() } else { format!(", {zeros:?}") };
        format!("q({list}{zeros}, axis = {axis})")
    }
}
