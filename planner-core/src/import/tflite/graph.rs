//! The network under construction: what each tensor of the file has become.

use super::constant::Constant;
use super::flatbuffer::Flatbuffer;
use super::report;
use super::schema::{Operator, Subgraph, Unreadable};
use super::types::{self, Unrepresentable};
use crate::diagnostic::{Diagnostic, Diagnostics, Kind};
use crate::import::identifiers::Identifiers;
use crate::model::{Data, Declared, Input, InputMode, Model, Origin, Output, Param, Tensor, TensorId, TensorType};
use crate::ops::{self, AttrValue, Call};
use crate::quant::Quant;
use crate::source::Src;
use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// What a tensor or node of the network costs beyond its lists.
const COST: usize = 512;

/// An attribute and its value.
pub(super) type Attr = (&'static str, AttrValue);

/// A network under construction.
pub(super) struct Graph<'a> {
    file: &'a Flatbuffer<'a>,
    /// What is being converted.
    pub(super) subgraph: &'a Subgraph<'a>,
    src: Src,
    model: Model,
    /// One a tensor of `model`.
    types: Vec<Option<TensorType>>,
    /// What has become of each tensor of the file.
    tensors: Vec<Option<TensorId>>,
    /// Tensors of the file whose elements have been computed.
    folded: HashMap<usize, Constant<'a>>,
    /// Tensors of the file that something unsupported writes.
    unknown: Vec<bool>,
    /// Identifiers that are settled before their tensors exist.
    names: Vec<Option<String>>,
    identifiers: Identifiers,
    /// Elements of parameters, by place and length in the file.
    data: HashMap<(usize, usize), Arc<[u8]>>,
}

impl<'a> Graph<'a> {
    /// An empty network called `name`.
    pub(super) fn new(file: &'a Flatbuffer<'a>, subgraph: &'a Subgraph<'a>, options: &crate::import::Options<'_>) -> Self {
        let count = subgraph.tensors.len();
        Self {
            file,
            subgraph,
            src: options.src,
            model: Model { name: options.name.to_owned(), src: options.src, ..Model::default() },
            types: Vec::new(),
            tensors: vec![None; count],
            folded: HashMap::new(),
            unknown: vec![false; count],
            names: vec![None; count],
            identifiers: Identifiers::new(options.is_reserved),
            data: HashMap::new(),
        }
    }

    /// The finished network.
    pub(super) fn into_model(self) -> Model {
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

    /// The options of `op`.
    pub(super) fn options<T: super::schema::options::Options>(&self, op: &Operator<'_>) -> Result<T, Diagnostic> {
        op.options().map_err(|e| self.unreadable(&e))
    }

    /// The identifier of the file's tensor `index`, settled as one for `name` if it has none yet.
    pub(super) fn settle(&mut self, index: usize, name: &str) -> String {
        let fallback = format!("tensor_{index}");
        self.names[index].get_or_insert_with(|| self.identifiers.unique(name, &fallback)).clone()
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

    /// Makes the file's tensor `index` an input.
    pub(super) fn input(&mut self, index: usize, ty: TensorType) -> Result<(), Unreadable> {
        let name = self.name(index);
        let id = self.add(name, ty, Origin::Input(self.model.inputs.len()))?;
        self.model.inputs.push(Input { tensor: id, mode: InputMode::Plain });
        self.tensors[index] = Some(id);
        Ok(())
    }

    /// Makes `tensor` an output.
    pub(super) fn output(&mut self, name: String, tensor: TensorId) {
        self.model.outputs.push(Output { name, tensor, kept: false, src: self.src });
    }

    /// The tensor that the file's tensor `index` has become, once something computes it.
    pub(super) fn computed(&self, index: usize) -> Option<TensorId> {
        self.tensors[index]
    }

    /// The type of `id`.
    pub(super) fn ty(&self, id: TensorId) -> &TensorType {
        self.types[id.0].as_ref().expect("every tensor of a graph is typed")
    }

    /// Whether something has given the file's tensor `index` a value, known or not.
    pub(super) fn is_written(&self, index: usize) -> bool {
        self.tensors[index].is_some() || self.folded.contains_key(&index) || self.unknown[index]
    }

    /// Whether something unsupported has given the file's tensor `index` its value.
    pub(super) fn is_unknown(&self, index: usize) -> bool {
        self.unknown[index]
    }

    /// Records that the value of the file's tensor `index` cannot be had.
    pub(super) fn forget(&mut self, index: usize) {
        self.unknown[index] = true;
    }

    /// The tensor that `op` reads at `place`.
    pub(super) fn read(&mut self, op: &Operator<'_>, place: usize) -> Result<TensorId, Diagnostic> {
        let missing = || self.error(Kind::ModelFile, format!("it has no tensor at place {place}"));
        let index = op.inputs.get(place).copied().flatten().ok_or_else(missing)?;
        if let Some(id) = self.tensors[index] {
            return Ok(id);
        }
        let tensor = &self.subgraph.tensors[index];
        let named = |e: Unrepresentable| self.unrepresentable(index, &e);
        let ty = types::tensor_type(tensor, &tensor.shape);
        match self.constant_of(index)? {
            Some(constant) => {
                // A folded tensor has the dimensions that were computed, not those in the file.
                let dims: Vec<i32> = constant.dims.iter().map(|&dim| i32::try_from(dim).unwrap_or(-1)).collect();
                let ty = types::tensor_type(tensor, &dims).map_err(named)?;
                let id = self.param(index, ty, &constant).map_err(|e| self.unreadable(&e))?;
                self.tensors[index] = Some(id);
                Ok(id)
            }
            None if self.unknown[index] || tensor.is_variable => match ty {
                Err(e) => Err(named(e)),
                Ok(_) => Err(self.unsupported(format!(
                    "`{}` keeps its value between runs, which is not supported yet",
                    report::short(tensor.name)
                ))),
            },
            None => {
                let name = report::short(tensor.name);
                Err(self.error(Kind::ModelFile, format!("it reads `{name}` before anything computes it")))
            }
        }
    }

    /// The tensor that `op` reads at `place`, unless that is left out.
    pub(super) fn read_optional(&mut self, op: &Operator<'_>, place: usize) -> Result<Option<TensorId>, Diagnostic> {
        match op.inputs.get(place).copied().flatten() {
            None => Ok(None),
            Some(_) => self.read(op, place).map(Some),
        }
    }

    /// All tensors that `op` reads.
    pub(super) fn read_all(&mut self, op: &Operator<'_>) -> Result<Vec<TensorId>, Diagnostic> {
        (0..op.inputs.len()).map(|place| self.read(op, place)).collect()
    }

    fn unrepresentable(&self, index: usize, e: &Unrepresentable) -> Diagnostic {
        let name = report::short(self.subgraph.tensors[index].name);
        let diagnostic = self.unsupported(format!("`{name}` {}", e.why));
        match e.help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }

    fn constant_of(&self, index: usize) -> Result<Option<Constant<'a>>, Diagnostic> {
        if let Some(constant) = self.folded.get(&index) {
            return Ok(Some(constant.clone()));
        }
        if self.tensors[index].is_some_and(|id| self.model.param(id).is_none()) || self.unknown[index] {
            return Ok(None);
        }
        let tensor = &self.subgraph.tensors[index];
        Constant::read(tensor).transpose().map_err(|problem| {
            let kind = if tensor.is_sparse { Kind::Unsupported } else { Kind::ModelFile };
            self.error(kind, format!("`{}` {problem}", report::short(tensor.name)))
        })
    }

    /// The elements that `op` reads at `place`, if they are known.
    pub(super) fn constant(&self, op: &Operator<'_>, place: usize) -> Result<Option<Constant<'a>>, Diagnostic> {
        op.inputs.get(place).copied().flatten().map_or(Ok(None), |index| self.constant_of(index))
    }

    /// The integers, `max` of them at most, that `op` reads at `place` as its `what`.
    pub(super) fn ints(&self, op: &Operator<'_>, place: usize, what: &str, max: usize) -> Result<Vec<i64>, Diagnostic> {
        let Some(constant) = self.constant(op, place)? else {
            return Err(self
                .unsupported(format!("its {what} is computed at run time"))
                .help("convert the model with fixed shapes, so that it becomes a constant"));
        };
        let ints = if constant.len() <= max { constant.ints() } else { None };
        ints.ok_or_else(|| {
            let message = format!("its {what} has {} elements of {}", constant.len(), constant.element);
            self.error(Kind::ModelFile, message).wanted(format!("at most {max} integers"))
        })
    }

    /// The number that `op` reads at `place` as its `what`.
    pub(super) fn real(&self, op: &Operator<'_>, place: usize, what: &str) -> Result<f32, Diagnostic> {
        let tensor = op.inputs.get(place).copied().flatten().map(|index| &self.subgraph.tensors[index]);
        let value = self.constant(op, place)?.and_then(|constant| {
            let quantization = tensor.and_then(|tensor| tensor.quantization.as_ref());
            match (constant.floats(), constant.ints()) {
                (Some(floats), _) => floats.first().copied(),
                (None, Some(ints)) => quantization.and_then(|quantization| quantization.real(*ints.first()?)),
                (None, None) => None,
            }
        });
        value.ok_or_else(|| self.unsupported(format!("its {what} is no constant number")))
    }

    /// Gives the only result of `op` known elements.
    pub(super) fn fold(&mut self, op: &Operator<'_>, constant: Constant<'a>) -> Result<(), Diagnostic> {
        let [index] = *op.outputs.as_slice() else { return Err(self.wrong_results(op.outputs.len(), 1)) };
        self.charge(COST)?;
        self.folded.insert(index, constant);
        Ok(())
    }

    /// After a defect: gives the results of `op` the types in the file, so that later operators can be judged.
    pub(super) fn assume(&mut self, op: &Operator<'_>) -> Result<(), Unreadable> {
        for &index in &op.outputs {
            let tensor = &self.subgraph.tensors[index];
            self.unknown[index] = true;
            if let Ok(ty) = types::tensor_type(tensor, &tensor.shape) {
                self.tensors[index] = Some(self.add(String::new(), ty, Origin::Input(0))?);
            }
        }
        Ok(())
    }

    /// A node of our operator `name` that computes all results of `op`.
    pub(super) fn emit(
        &mut self,
        op: &Operator<'_>,
        name: &'static str,
        args: &[TensorId],
        attrs: &[Attr],
    ) -> Result<(), Diagnostics> {
        self.emit_to(&op.outputs, name, args, attrs)
    }

    /// A node of our operator `name` that computes the file's tensors `outputs`.
    pub(super) fn emit_to(
        &mut self,
        outputs: &[usize],
        name: &'static str,
        args: &[TensorId],
        attrs: &[Attr],
    ) -> Result<(), Diagnostics> {
        let mut results = Vec::new();
        for &index in outputs {
            let tensor = &self.subgraph.tensors[index];
            let ty = types::tensor_type(tensor, &tensor.shape).map_err(|e| self.unrepresentable(index, &e))?;
            results.push((self.name(index), ty.quant));
        }
        let ids = self.node(name, args, attrs, results)?;
        for (&index, &id) in outputs.iter().zip(&ids) {
            self.check_type(index, id)?;
            if self.tensors[index].replace(id).is_some() {
                return Err(self.error(Kind::ModelFile, "it writes one tensor twice").into());
            }
        }
        Ok(())
    }

    /// A node of our operator `name` that computes a tensor on the way to the results of `op`.
    pub(super) fn step(
        &mut self,
        op: &Operator<'_>,
        name: &'static str,
        args: &[TensorId],
        attrs: &[Attr],
        quant: Option<Quant>,
    ) -> Result<TensorId, Diagnostics> {
        let result = op.outputs.first().map_or_else(String::new, |&index| self.name(index));
        let unique = self.identifiers.unique(&format!("{result}_{name}"), name);
        Ok(self.node(name, args, attrs, vec![(unique, quant)])?[0])
    }

    /// The quantisation that the file gives to the first result of `op`.
    pub(super) fn result_quant(&self, op: &Operator<'_>) -> Option<Quant> {
        let tensor = &self.subgraph.tensors[*op.outputs.first()?];
        types::tensor_type(tensor, &tensor.shape).ok()?.quant
    }

    fn node(
        &mut self,
        name: &'static str,
        args: &[TensorId],
        attrs: &[Attr],
        results: Vec<(String, Option<Quant>)>,
    ) -> Result<Vec<TensorId>, Diagnostics> {
        let Some(operator) = ops::find(name) else {
            return Err(self.unsupported(format!("there is no operator `{name}` yet")).into());
        };
        self.charge(COST)?;
        let args: Vec<_> = args.iter().map(|&id| (id, self.src)).collect();
        let attrs: Vec<ops::Argument> =
            attrs.iter().map(|(name, value)| ((*name).to_owned(), self.src, value.clone(), self.src)).collect();
        let mut node = ops::bind(operator, self.src, &args, &attrs)?;
        let wanted = operator.signature().result_count(&node.attrs);
        if wanted != results.len() {
            return Err(self.wrong_results(results.len(), wanted).into());
        }
        let origin = |index| Origin::Result { node: self.model.nodes.len(), index };
        let (tensors, types) = (self.model.tensors.len(), self.types.len());
        for (index, (name, quant)) in results.into_iter().enumerate() {
            let declared = Declared { quant, src: self.src, ..Declared::default() };
            node.results.push(TensorId(self.model.tensors.len()));
            let tensor = Tensor { name, src: self.src, declared, origin: origin(index), may_be_unused: true };
            self.model.tensors.push(tensor);
            self.types.push(None);
        }
        let call = Call { model: &self.model, node: &node, types: &self.types };
        match call.check_roles().and_then(|()| operator.infer(&call)) {
            Ok(inferred) => {
                for (&id, ty) in node.results.iter().zip(inferred) {
                    let declared = &mut self.model.tensors[id.0].declared;
                    declared.dtype = Some(ty.dtype);
                    declared.shape = Some(ty.shape.clone());
                    self.types[id.0] = Some(ty);
                }
                let results = node.results.clone();
                self.model.nodes.push(node);
                Ok(results)
            }
            Err(diagnostic) => {
                self.model.tensors.truncate(tensors);
                self.types.truncate(types);
                Err(diagnostic.into())
            }
        }
    }

    /// Compares the type that the file gives to a tensor with the one that its operator gives it.
    fn check_type(&self, index: usize, id: TensorId) -> Result<(), Diagnostic> {
        let tensor = &self.subgraph.tensors[index];
        let ours = self.ty(id);
        let theirs = types::tensor_type(tensor, &tensor.shape).map_err(|e| self.unrepresentable(index, &e))?;
        let open = |axis: usize| tensor.signature.get(axis).is_some_and(|&dim| dim < 0);
        let shape = theirs.shape.rank() == ours.shape.rank()
            && theirs.shape.iter().zip(ours.shape.iter()).enumerate().all(|(axis, (a, b))| a == b || open(axis));
        if shape && theirs.dtype == ours.dtype && theirs.quant == ours.quant {
            return Ok(());
        }
        let message = format!("the file gives `{}` another type than its operator", report::short(tensor.name));
        Err(self.error(Kind::ModelFile, message).got(theirs.to_string()).wanted(ours.to_string()))
    }

    fn wrong_results(&self, got: usize, wanted: usize) -> Diagnostic {
        self.error(Kind::ModelFile, format!("it has {got} results")).wanted(wanted.to_string())
    }

    fn param(&mut self, index: usize, ty: TensorType, constant: &Constant<'_>) -> Result<TensorId, Unreadable> {
        let data = match &constant.data {
            Cow::Owned(data) => Arc::from(data.as_slice()),
            Cow::Borrowed(data) => match self.data.entry((data.as_ptr().addr(), data.len())) {
                Entry::Occupied(shared) => shared.get().clone(),
                Entry::Vacant(place) => {
                    self.file.charge(data.len())?;
                    place.insert(Arc::from(*data)).clone()
                }
            },
        };
        let name = self.name(index);
        let id = self.add(name, ty, Origin::Param(self.model.params.len()))?;
        self.model.params.push(Param { tensor: id, data: Data::Bytes(data), placeholder: false, src: self.src });
        Ok(id)
    }

    fn add(&mut self, name: String, ty: TensorType, origin: Origin) -> Result<TensorId, Unreadable> {
        self.file.charge(COST)?;
        let declared = Declared {
            dtype: Some(ty.dtype),
            shape: Some(ty.shape.clone()),
            quant: ty.quant.clone(),
            src: self.src,
        };
        self.model.tensors.push(Tensor { name, src: self.src, declared, origin, may_be_unused: true });
        self.types.push(Some(ty));
        Ok(TensorId(self.types.len() - 1))
    }
}
