//! A model as text, much as the language writes it: for tests and for reading.

use super::{Data, Declared, InputMode, Model, Node, TensorId};
use std::fmt;

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "mod {}", self.name)?;
        for input in &self.inputs {
            let mode = match input.mode {
                InputMode::Plain => "",
                InputMode::Kept => " kept",
                InputMode::Borrowed => " borrowed",
            };
            writeln!(f, "input {}{mode}", self.named(input.tensor))?;
        }
        for param in &self.params {
            let data = match &param.data {
                Data::Bytes(bytes) if param.placeholder => format!("{} random bytes", bytes.len()),
                Data::Bytes(bytes) => format!("{} bytes", bytes.len()),
                Data::External(index) => format!("external {index}"),
            };
            writeln!(f, "param {} = {data}", self.named(param.tensor))?;
        }
        for state in &self.states {
            let data = match &state.data {
                Data::Bytes(bytes) => format!("{} bytes", bytes.len()),
                Data::External(index) => format!("external {index}"),
            };
            writeln!(f, "state {} = {data}", self.named(state.tensor))?;
        }
        for node in &self.nodes {
            writeln!(f, "{} = {}", self.results(node), self.call(node))?;
        }
        for state in &self.states {
            writeln!(f, "{} <- {}", self.tensor(state.tensor).name, self.tensor(state.next).name)?;
        }
        for output in &self.outputs {
            let kept = if output.kept { " kept" } else { "" };
            let tensor = &self.tensor(output.tensor).name;
            let value = if *tensor == output.name { String::new() } else { format!(" = {tensor}") };
            writeln!(f, "output {}{kept}{value}", output.name)?;
        }
        Ok(())
    }
}

impl Model {
    /// `name: type`, the type as far as it is written.
    fn named(&self, id: TensorId) -> String {
        let tensor = self.tensor(id);
        if tensor.declared.dtype.is_none() {
            return tensor.name.clone();
        }
        format!("{}: {}", tensor.name, tensor.declared)
    }

    fn results(&self, node: &Node) -> String {
        match node.results.as_slice() {
            [id] => self.named(*id),
            ids => format!("({})", ids.iter().map(|id| self.named(*id)).collect::<Vec<_>>().join(", ")),
        }
    }

    /// The operator with its arguments and the attributes that differ from their defaults.
    fn call(&self, node: &Node) -> String {
        let signature = node.op.signature();
        let tensors = node.args.iter().flatten().map(|id| self.tensor(*id).name.clone());
        let attrs = signature
            .attrs
            .iter()
            .zip(&node.attrs)
            .filter(|(spec, value)| spec.default.as_ref() != Some(value))
            .map(|(spec, value)| format!("{} = {value}", spec.name));
        format!("{}({})", signature.name, tensors.chain(attrs).collect::<Vec<_>>().join(", "))
    }
}

impl fmt::Display for Declared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.dtype.map_or(Ok(()), |dtype| write!(f, "{dtype}"))?;
        self.shape.as_ref().map_or(Ok(()), |shape| write!(f, "{shape}"))?;
        self.quant.as_ref().map_or(Ok(()), |quant| write!(f, " {quant}"))
    }
}
