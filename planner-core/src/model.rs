//! A network as a front end found it: tensors, nodes, nothing decided.

mod display;
mod reduced;

pub use reduced::{Channel, Reduced};

use crate::diagnostic::Diagnostic;
use crate::dtype::DType;
use crate::ops::{AttrValue, Operator};
use crate::quant::Quant;
use crate::shape::Shape;
use crate::source::Src;
use std::fmt;
use std::sync::Arc;

/// A tensor of a [`Model`], by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TensorId(pub usize);

/// Element type, shape and quantisation of a tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorType {
    /// Element type.
    pub dtype: DType,
    /// Dimensions.
    pub shape: Shape,
    /// Quantisation, for integers that stand for reals.
    pub quant: Option<Quant>,
}

impl TensorType {
    /// A type without quantisation.
    #[must_use]
    pub fn plain(dtype: DType, shape: Shape) -> Self {
        Self { dtype, shape, quant: None }
    }

    /// Size in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.shape.elements() * self.dtype.bytes()
    }
}

impl fmt::Display for TensorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.dtype, self.shape)?;
        self.quant.as_ref().map_or(Ok(()), |quant| write!(f, " {quant}"))
    }
}

/// What the user wrote of a result's type; the rest is inferred.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Declared {
    /// Element type, if written.
    pub dtype: Option<DType>,
    /// Shape, if written.
    pub shape: Option<Shape>,
    /// Quantisation, if written.
    pub quant: Option<Quant>,
    /// Where the type stands.
    pub src: Src,
}

/// A value in the network.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// Unique within the model; a Rust identifier.
    pub name: String,
    /// Where it is defined.
    pub src: Src,
    /// What was written of its type. Complete for inputs and params.
    pub declared: Declared,
    /// What produces it.
    pub origin: Origin,
    /// Nobody has to read it: its name starts with `_`, or a front end made it.
    pub may_be_unused: bool,
}

/// What produces a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// `model.inputs[_]`.
    Input(usize),
    /// `model.params[_]`.
    Param(usize),
    /// `model.states[_]`, as the run before left it.
    State(usize),
    /// Result `index` of `model.nodes[node]`.
    Result {
        /// Index of the node.
        node: usize,
        /// Which of its results.
        index: usize,
    },
}

/// An operator applied to tensors.
#[derive(Clone, Debug)]
pub struct Node {
    /// The operator.
    pub op: &'static dyn Operator,
    /// One entry an argument of the signature, variadic ones flattened at the end; `None` where left out.
    pub args: Vec<Option<TensorId>>,
    /// One value an attribute of the signature, defaults filled in.
    pub attrs: Vec<AttrValue>,
    /// The tensors it defines.
    pub results: Vec<TensorId>,
    /// The operator's name in the source.
    pub src: Src,
    /// What a model file calls it: `operator 12 CONV_2D version 3`.
    pub label: Option<String>,
    /// Each argument in the source; `src` where left out.
    pub arg_srcs: Vec<Src>,
    /// Each attribute in the source; `src` where left out.
    pub attr_srcs: Vec<Src>,
}

impl Node {
    /// `diagnostic` under the name that a model file gives to this operator, if one does.
    #[must_use]
    pub fn labelled(&self, mut diagnostic: Diagnostic) -> Diagnostic {
        if let Some(label) = &self.label {
            diagnostic.message = format!("{label}: {}", diagnostic.message);
        }
        diagnostic
    }
}

/// How an input's bytes are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputMode {
    /// A slot of the arena, reused after its last reader.
    Plain,
    /// A slot of the arena, unchanged by a run.
    Kept,
    /// Never in the arena: passed by reference.
    Borrowed,
}

/// A value given by the caller.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// The tensor it fills.
    pub tensor: TensorId,
    /// How it is held.
    pub mode: InputMode,
}

/// A value handed to the caller.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// The name of its accessor.
    pub name: String,
    /// The tensor it shows.
    pub tensor: TensorId,
    /// It has a place of its own that survives until the next run writes it.
    pub kept: bool,
    /// Where it is declared.
    pub src: Src,
}

/// A constant tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// The tensor it defines.
    pub tensor: TensorId,
    /// Its elements.
    pub data: Data,
    /// The numbers are placeholders (`random`): the plan is real, they are not.
    pub placeholder: bool,
    /// Where its source stands.
    pub src: Src,
}

/// A tensor kept between runs.
///
/// Everything that reads it sees what the run before left; what it is given takes effect when the run ends.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// The tensor that reads it.
    pub tensor: TensorId,
    /// Its elements before the first run.
    pub data: Data,
    /// The tensor whose values it takes at the end of a run, of the same type.
    pub next: TensorId,
    /// Where it is given them.
    pub src: Src,
}

/// The elements of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// Row-major, little-endian.
    Bytes(Arc<[u8]>),
    /// An array constant of the user's crate, which only the compiler can read; the front end knows its path.
    External(usize),
}

/// A network as written or read: valid references, unchecked types.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Name of the generated module.
    pub name: String,
    /// Where the name stands.
    pub src: Src,
    /// All tensors.
    pub tensors: Vec<Tensor>,
    /// All operators, in source order; arguments are defined by earlier nodes.
    pub nodes: Vec<Node>,
    /// Inputs in order of declaration.
    pub inputs: Vec<Input>,
    /// Outputs in order of declaration.
    pub outputs: Vec<Output>,
    /// Parameters in order of declaration.
    pub params: Vec<Param>,
    /// States in order of declaration.
    pub states: Vec<State>,
    /// Of a model file: the index of a tensor there, and what it is here, for those that are still there.
    pub file_tensors: Vec<(usize, TensorId)>,
    /// The tensors that have lost channels.
    pub reduced: Vec<Reduced>,
}

impl Model {
    /// The tensor `id`.
    #[must_use]
    pub fn tensor(&self, id: TensorId) -> &Tensor {
        &self.tensors[id.0]
    }

    /// The parameter that defines `id`, if one does.
    #[must_use]
    pub fn param(&self, id: TensorId) -> Option<&Param> {
        match self.tensor(id).origin {
            Origin::Param(index) => Some(&self.params[index]),
            _ => None,
        }
    }

    /// Something outside of the nodes needs `id`: the caller, or a state for the next run.
    #[must_use]
    pub fn leaves(&self, id: TensorId) -> bool {
        self.outputs.iter().any(|output| output.tensor == id) || self.states.iter().any(|state| state.next == id)
    }
}

/// A model whose every tensor has a type that its operators accept.
#[derive(Clone, Debug)]
pub struct TypedModel {
    /// The network.
    pub model: Model,
    /// One type a tensor.
    pub types: Vec<TensorType>,
}

impl TypedModel {
    /// The type of `id`.
    #[must_use]
    pub fn ty(&self, id: TensorId) -> &TensorType {
        &self.types[id.0]
    }
}

#[cfg(test)]
mod tests {
    use super::Model;

    // Plans of one model can be searched for on several threads.
    static_assertions::assert_impl_all!(Model: Send, Sync);
}
