//! A model in the language: statements for people to read and change, weights as files.

use planner_core::diagnostic::{Diagnostic, Diagnostics, Kind};
use planner_core::dtype::DType;
use planner_core::import::npy;
use planner_core::model::{Data, InputMode, Model, Node, Origin, Param, TensorId, TensorType, TypedModel};
use planner_core::quant::Quant;
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
/// What reaches no output is left out. Everything follows from the operators' signatures.
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
    /// Which tensors reach an output.
    needed: Vec<bool>,
    /// What has been defined.
    done: HashSet<TensorId>,
    out: Written,
}

/// Which tensors of `model` reach an output.
fn needed(model: &Model) -> Vec<bool> {
    let mut needed = vec![false; model.tensors.len()];
    for output in &model.outputs {
        needed[output.tensor.0] = true;
    }
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
        for node in &model.nodes {
            if node.results.iter().any(|id| self.needed[id.0]) {
                self.node(node).unwrap_or_else(|diagnostic| found.push(node.labelled(diagnostic)));
            }
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

    /// The statement that computes `id` is an `output` itself. Several outputs come last, so that they keep their order.
    fn is_inline(&self, id: TensorId) -> bool {
        let model = &self.typed.model;
        let [output] = model.outputs.as_slice() else { return false };
        let alone =
            matches!(model.tensor(id).origin, Origin::Result { node, .. } if model.nodes[node].results.len() == 1);
        alone && output.tensor == id && output.name == self.name(id)
    }

    fn node(&mut self, node: &'a Node) -> Result<(), Diagnostic> {
        let model = &self.typed.model;
        for &id in node.args.iter().flatten() {
            if let Some(param) = model.param(id)
                && self.done.insert(id)
            {
                self.param(param)?;
            }
        }
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
                format!("let ({})", names.collect::<Vec<_>>().join(", "))
            }
        };
        self.line(&format!("{head} = {call};"));
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

    fn param(&mut self, param: &Param) -> Result<(), Diagnostic> {
        let name = self.name(param.tensor);
        let Data::Bytes(bytes) = &param.data else {
            let message = format!("`{name}` is a constant of another crate");
            return Err(Diagnostic::new(Kind::Unsupported, param.src, message));
        };
        let ty = self.typed.ty(param.tensor).clone();
        let written = self.ty(param.tensor);
        let source = if bytes.iter().all(|byte| *byte == 0) {
            "zeros".into()
        } else {
            self.array(&name, ty.dtype, &ty.shape, bytes)
        };
        self.line(&format!("param {name}: {written} = {source};"));
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
