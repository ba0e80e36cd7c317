//! The network under construction: what each tensor of the file has become.

mod arguments;
mod nodes;
mod variables;

pub(super) use variables::{Key, constant_bytes};

use super::constant::Constant;
use super::flatbuffer::Flatbuffer;
use super::schema::options::Options as OperatorOptions;
use super::schema::{self, Operator, Subgraph, Unreadable};
use crate::diagnostic::{Diagnostic, Diagnostics, Kind};
use crate::import::Options;
use crate::import::identifiers::Identifiers;
use crate::model::{Declared, Input, InputMode, Model, Origin, Output, Tensor, TensorId, TensorType};
use crate::ops::AttrValue;
use crate::source::Src;
use std::collections::HashMap;
use std::sync::Arc;

/// What a tensor or node of the network costs beyond its lists.
const COST: usize = 400;

/// An attribute and its value.
pub(super) type Attr = (&'static str, AttrValue);

/// A network under construction.
pub(super) struct Graph<'a> {
    file: &'a Flatbuffer<'a>,
    source: &'a schema::Model<'a>,
    /// What is being converted.
    pub(super) subgraph: &'a Subgraph<'a>,
    src: Src,
    batch: Option<usize>,
    /// An input has another shape than the one that the file was written with, and results that say
    /// nothing of open dimensions may have too.
    pub(super) resized: bool,
    /// The operator that is being converted, as messages name it.
    pub(super) label: Option<String>,
    model: Model,
    /// One a tensor of `model`; unlike in [`crate::infer`] none is missing.
    types: Vec<Option<TensorType>>,
    /// What has become of each tensor of the file.
    tensors: Vec<Option<TensorId>>,
    /// Tensors of the file whose elements have been computed.
    folded: HashMap<usize, Constant<'a>>,
    /// Tensors of the file that are given in place of inputs.
    given: Vec<usize>,
    /// Tensors of the file that something unsupported writes.
    unknown: Vec<bool>,
    /// Identifiers that are settled before their tensors exist.
    names: Vec<Option<String>>,
    identifiers: Identifiers,
    /// Elements of parameters, by place and length in the file.
    data: HashMap<(usize, usize), Arc<[u8]>>,
    variables: variables::Variables<'a>,
}

impl<'a> Graph<'a> {
    /// An empty network.
    pub(super) fn new(
        file: &'a Flatbuffer<'a>,
        source: &'a schema::Model<'a>,
        subgraph: &'a Subgraph<'a>,
        options: &Options<'_>,
    ) -> Self {
        let count = subgraph.tensors.len();
        Self {
            file,
            source,
            subgraph,
            src: options.src,
            batch: options.bindings.batch.map(|size| size.elements),
            resized: false,
            label: None,
            model: Model { name: options.name.to_owned(), src: options.src, ..Model::default() },
            types: Vec::new(),
            tensors: vec![None; count],
            folded: HashMap::new(),
            given: Vec::new(),
            unknown: vec![false; count],
            names: vec![None; count],
            identifiers: Identifiers::new(options.is_reserved),
            data: HashMap::new(),
            variables: variables::Variables::default(),
        }
    }

    /// The finished network.
    pub(super) fn into_model(mut self) -> Model {
        let tensors = self.tensors.iter().enumerate();
        self.model.file_tensors = tensors.filter_map(|(index, id)| id.map(|id| (index, id))).collect();
        self.settle_states();
        self.model
    }

    /// A defect of the network as a whole.
    pub(super) fn error(&self, kind: Kind, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(kind, self.src, message)
    }

    /// Something valid that cannot be had.
    pub(super) fn unsupported(&self, message: impl Into<String>) -> Diagnostic {
        self.error(Kind::Unsupported, message)
    }

    /// A part of the file that contradicts another.
    pub(super) fn unreadable(&self, unreadable: &Unreadable) -> Diagnostic {
        self.error(Kind::ModelFile, unreadable.to_string())
    }

    /// Takes `bytes` of memory from what the file may cost.
    pub(super) fn charge(&self, bytes: usize) -> Result<(), Diagnostic> {
        self.file.charge(bytes).map_err(|e| self.unreadable(&e.into()))
    }

    /// Another subgraph of the file.
    pub(super) fn subgraph_at(&self, index: usize) -> Result<Subgraph<'a>, Diagnostic> {
        self.source.subgraph(index).map_err(|e| self.unreadable(&e))
    }

    /// The options of `op`.
    pub(super) fn options<'b, T: OperatorOptions<'b>>(&self, op: &Operator<'b>) -> Result<T, Diagnostic> {
        op.options().map_err(|e| self.unreadable(&e))
    }

    /// The identifier of the file's tensor `index`, settled as one for `name` if it has none yet.
    pub(super) fn settle(&mut self, index: usize, name: &str) -> String {
        let fresh = || self.identifiers.unique(name, &format!("tensor_{index}"));
        self.names[index].get_or_insert_with(fresh).clone()
    }

    /// The name of the output at `position`, which the file's tensor `index` takes for itself if it has none yet.
    pub(super) fn settle_output(&mut self, index: usize, name: &str, position: usize) -> String {
        if self.names[index].is_none() {
            return self.settle(index, name);
        }
        self.identifiers.unique(name, &format!("output_{position}"))
    }

    fn name(&mut self, index: usize) -> String {
        self.settle(index, self.subgraph.tensors[index].name)
    }

    /// Makes the file's tensor `index` an input of type `ty`; what is `shown` instead, if anything is, has its name.
    pub(super) fn input(&mut self, index: usize, ty: TensorType, shown: Option<usize>) -> Result<(), Diagnostic> {
        let name = self.name(index);
        let id = self.add(name, ty, Origin::Input(self.model.inputs.len()))?;
        self.model.inputs.push(Input { tensor: id, mode: InputMode::Plain });
        self.tensors[index] = Some(id);
        self.given.extend(shown);
        Ok(())
    }

    /// Whether the file's tensor `index` is given in place of an input.
    pub(super) fn is_given(&self, index: usize) -> bool {
        self.given.contains(&index)
    }

    /// The file's tensor `index` is `id` by another name.
    pub(super) fn alias(&mut self, index: usize, id: TensorId) {
        self.tensors[index] = Some(id);
    }

    /// Makes `tensor` an output.
    pub(super) fn output(&mut self, name: String, tensor: TensorId) -> Result<(), Diagnostics> {
        let tensor = self.shown(tensor)?;
        self.model.outputs.push(Output { name, tensor, kept: false, src: self.src });
        Ok(())
    }

    /// The tensor that the file's tensor `index` has become, once something computes it.
    pub(super) fn computed(&self, index: usize) -> Option<TensorId> {
        self.tensors[index]
    }

    /// Whether the elements of `id` are known.
    pub(super) fn is_constant(&self, id: TensorId) -> bool {
        self.model.param(id).is_some()
    }

    /// What `id` is called.
    pub(super) fn tensor_name(&self, id: TensorId) -> String {
        self.model.tensor(id).name.clone()
    }

    /// Whether something has given the file's tensor `index` a value, known or not.
    pub(super) fn is_written(&self, index: usize) -> bool {
        self.tensors[index].is_some()
            || self.folded.contains_key(&index)
            || self.unknown[index]
            || self.is_handle(index)
    }

    /// Whether something unsupported has given the file's tensor `index` its value.
    pub(super) fn is_unknown(&self, index: usize) -> bool {
        self.unknown[index]
    }

    /// Records that the value of the file's tensor `index` cannot be had.
    pub(super) fn forget(&mut self, index: usize) {
        self.unknown[index] = true;
    }

    /// The type of `id`.
    pub(super) fn ty(&self, id: TensorId) -> &TensorType {
        self.types[id.0].as_ref().expect("every tensor of a graph is typed")
    }

    fn add(&mut self, name: String, ty: TensorType, origin: Origin) -> Result<TensorId, Diagnostic> {
        self.charge(COST)?;
        let declared =
            Declared { dtype: Some(ty.dtype), shape: Some(ty.shape.clone()), quant: ty.quant.clone(), src: self.src };
        self.model.tensors.push(Tensor { name, src: self.src, declared, origin, may_be_unused: true });
        self.types.push(Some(ty));
        Ok(TensorId(self.types.len() - 1))
    }
}
