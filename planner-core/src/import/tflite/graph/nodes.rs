//! What operators write: nodes, and tensors of known or assumed values.

use super::{Attr, COST, Graph};
use crate::diagnostic::{Diagnostic, Diagnostics, Kind};
use crate::dtype::DType;
use crate::import::tflite::constant::Constant;
use crate::import::tflite::schema::{Operator, Tensor as FileTensor};
use crate::import::tflite::{report, types};
use crate::model::{Data, Declared, Node, Origin, Param, Tensor, TensorId, TensorType};
use crate::ops::{self, Call};
use crate::quant::Quant;

impl<'a> Graph<'a> {
    /// A node of our operator `name` that computes all results of `op`.
    pub(in super::super) fn emit(
        &mut self,
        op: &Operator<'_>,
        name: &'static str,
        args: &[TensorId],
        attrs: &[Attr],
    ) -> Result<(), Diagnostics> {
        self.emit_to(&op.outputs, name, args, attrs)
    }

    /// A node of our operator `name` that computes the file's tensors `outputs`.
    pub(in super::super) fn emit_to(
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
            results
                .push((self.name(index), Declared { dtype: Some(ty.dtype), quant: ty.quant, ..Declared::default() }));
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

    /// As [`Graph::emit`], for an operator that keeps state: pairs of the place in the file's operator and the state
    /// there.
    pub(in super::super) fn emit_with_states(
        &mut self,
        op: &Operator<'_>,
        name: &'static str,
        args: &[TensorId],
        attrs: &[Attr],
        states: &[(usize, TensorId)],
    ) -> Result<(), Diagnostics> {
        let [index] = *op.outputs.as_slice() else { return Err(self.wrong_results(op.outputs.len(), 1).into()) };
        let declared = |quant| Declared { quant, ..Declared::default() };
        let mut results = vec![(self.name(index), declared(self.result_quant(op)))];
        for &(_, state) in states {
            let next = format!("{}_new", self.model.tensor(state).name);
            results.push((self.identifiers.unique(&next, "state_new"), declared(self.ty(state).quant.clone())));
        }
        let ids = self.node(name, args, attrs, results)?;
        self.check_type(index, ids[0])?;
        self.tensors[index] = Some(ids[0]);
        for (&(place, _), &id) in states.iter().zip(&ids[1..]) {
            self.keep_value(op, place, id);
        }
        Ok(())
    }

    /// As [`Graph::emit`], for an operator that moves integers whatever they stand for.
    ///
    /// `TFLite` takes the result for what the file says of it, even if that differs.
    pub(in super::super) fn emit_moved(
        &mut self,
        op: &Operator<'_>,
        name: &'static str,
        x: TensorId,
        attrs: &[Attr],
    ) -> Result<(), Diagnostics> {
        if self.result_quant(op).is_none_or(|quant| self.ty(x).quant.as_ref() == Some(&quant)) {
            return self.emit(op, name, &[x], attrs);
        }
        let moved = self.step(op, name, &[x], attrs, None)?;
        self.emit(op, "reinterpret", &[moved], &[])
    }

    /// A node of our operator `name` that computes a tensor on the way to the results of `op`.
    pub(in super::super) fn step(
        &mut self,
        op: &Operator<'_>,
        name: &'static str,
        args: &[TensorId],
        attrs: &[Attr],
        quant: Option<Quant>,
    ) -> Result<TensorId, Diagnostics> {
        let result = op.outputs.first().map_or_else(String::new, |&index| self.name(index));
        let unique = self.identifiers.unique(&format!("{result}_{name}"), name);
        Ok(self.node(name, args, attrs, vec![(unique, Declared { quant, ..Declared::default() })])?[0])
    }

    /// The quantisation that the file gives to the first result of `op`.
    pub(in super::super) fn result_quant(&self, op: &Operator<'_>) -> Option<Quant> {
        let tensor = &self.subgraph.tensors[*op.outputs.first()?];
        types::tensor_type(tensor, &tensor.shape).ok()?.quant
    }

    /// The type that the file gives to the elements of the first result of `op`.
    pub(in super::super) fn result_dtype(&self, op: &Operator<'_>) -> Option<DType> {
        types::dtype(self.subgraph.tensors[*op.outputs.first()?].element).ok()
    }

    /// Gives the only result of `op` known elements.
    pub(in super::super) fn fold(&mut self, op: &Operator<'_>, constant: Constant<'a>) -> Result<(), Diagnostic> {
        let [index] = *op.outputs.as_slice() else { return Err(self.wrong_results(op.outputs.len(), 1)) };
        self.charge(COST)?;
        self.folded.insert(index, constant);
        Ok(())
    }

    /// After a defect: gives the results of `op` the types in the file, so that later operators can be judged.
    ///
    /// Where a type in the file leaves a dimension open, what depends on it is passed over.
    pub(in super::super) fn assume(&mut self, op: &Operator<'_>) -> Result<(), Diagnostic> {
        for &index in &op.outputs {
            self.unknown[index] = true;
            if let Some(ty) = self.expected(index) {
                self.tensors[index] = Some(self.add(String::new(), ty, Origin::Input(0))?);
            }
        }
        Ok(())
    }

    /// What is known of the type of the file's tensor `index`.
    pub(in super::super) fn declared(&self, index: usize) -> Declared {
        let ty = self.tensors[index].map(|id| self.ty(id).clone()).or_else(|| self.expected(index));
        match ty {
            Some(ty) => Declared { dtype: Some(ty.dtype), shape: Some(ty.shape), quant: ty.quant, src: self.src },
            None => {
                let dtype = types::dtype(self.subgraph.tensors[index].element).ok();
                Declared { dtype, src: self.src, ..Declared::default() }
            }
        }
    }

    /// The type in the file of the file's tensor `index`, unless a dimension but the batch is open.
    fn expected(&self, index: usize) -> Option<TensorType> {
        let tensor = &self.subgraph.tensors[index];
        let mut dims = tensor.shape.clone();
        if tensor.signature.first().is_some_and(|&dim| dim < 0) {
            let batch = self.batch.map(|batch| i32::try_from(batch).unwrap_or(i32::MAX));
            batch.into_iter().zip(dims.first_mut()).for_each(|(batch, dim)| *dim = batch);
        }
        let known = tensor.signature.iter().skip(1).all(|&dim| dim >= 0) && !self.is_stale(tensor);
        types::tensor_type(tensor, &dims).ok().filter(|_| known)
    }

    pub(super) fn node(
        &mut self,
        name: &'static str,
        args: &[TensorId],
        attrs: &[Attr],
        results: Vec<(String, Declared)>,
    ) -> Result<Vec<TensorId>, Diagnostics> {
        let Some(operator) = ops::find(name) else {
            return Err(self.unsupported(format!("there is no operator `{name}` yet")).into());
        };
        self.charge(COST * (1 + results.len()))?;
        let args: Vec<_> = args.iter().map(|&id| (id, self.src)).collect();
        let argument = |(name, value): &Attr| ((*name).to_owned(), self.src, value.clone(), self.src);
        let attrs: Vec<ops::Argument> = attrs.iter().map(argument).collect();
        let mut node = ops::bind(operator, self.src, &args, &attrs)?;
        let wanted = operator.signature().result_count(&node.attrs);
        if wanted != results.len() {
            return Err(self.wrong_results(results.len(), wanted).into());
        }
        node.label.clone_from(&self.label);
        let first = self.model.tensors.len();
        node.results = (first..first + wanted).map(TensorId).collect();
        for (index, (name, declared)) in results.into_iter().enumerate() {
            let declared = Declared { src: self.src, ..declared };
            let origin = Origin::Result { node: self.model.nodes.len(), index };
            self.model.tensors.push(Tensor { name, src: self.src, declared, origin, may_be_unused: true });
            self.types.push(None);
        }
        let call = Call { model: &self.model, node: &node, types: &self.types };
        let inferred = call.check_roles().and_then(|()| operator.infer(&call)).inspect_err(|_| {
            self.model.tensors.truncate(first);
            self.types.truncate(first);
        })?;
        for (&id, ty) in node.results.iter().zip(inferred) {
            let declared = &mut self.model.tensors[id.0].declared;
            declared.dtype = Some(ty.dtype);
            declared.shape = Some(ty.shape.clone());
            self.types[id.0] = Some(ty);
        }
        let results = node.results.clone();
        let known = self.evaluated(&node)?;
        if known.is_empty() {
            self.model.nodes.push(node);
        }
        for (&tensor, bytes) in results.iter().zip(known) {
            self.model.tensors[tensor.0].origin = Origin::Param(self.model.params.len());
            let data = Data::Bytes(bytes.into());
            self.model.params.push(Param { tensor, data, placeholder: false, src: self.src });
        }
        Ok(results)
    }

    /// The bytes of the results of `node`, if all that it depends on is known and they are no more than that, or few.
    fn evaluated(&self, node: &Node) -> Result<Vec<Vec<u8>>, Diagnostic> {
        const FEW: usize = 1 << 10;
        let bytes =
            |ids: &mut dyn Iterator<Item = TensorId>| ids.map(|id| self.ty(id).bytes()).fold(0, usize::saturating_add);
        let constant = node.args.iter().flatten().all(|id| self.model.param(*id).is_some());
        let (from, to) = (bytes(&mut node.args.iter().flatten().copied()), bytes(&mut node.results.iter().copied()));
        if !constant || to > from.max(FEW) {
            return Ok(Vec::new());
        }
        // Arguments and results are held twice while they are worked on.
        self.charge(from.saturating_add(to).saturating_mul(2))?;
        Ok(ops::evaluate(Call { model: &self.model, node, types: &self.types }).unwrap_or_default())
    }

    /// Compares the type that the file gives to a tensor with the one that its operator gives it.
    fn check_type(&self, index: usize, id: TensorId) -> Result<(), Diagnostic> {
        let tensor = &self.subgraph.tensors[index];
        let ours = self.ty(id);
        let theirs = types::tensor_type(tensor, &tensor.shape).map_err(|e| self.unrepresentable(index, &e))?;
        let open = |axis: usize| self.is_stale(tensor) || tensor.signature.get(axis).is_some_and(|&dim| dim < 0);
        let shape = theirs.shape.rank() == ours.shape.rank()
            && theirs.shape.iter().zip(ours.shape.iter()).enumerate().all(|(axis, (a, b))| a == b || open(axis));
        if shape && theirs.dtype == ours.dtype && theirs.quant == ours.quant {
            return Ok(());
        }
        let message = format!("the file gives {} another type than its operator", report::quoted(tensor.name));
        Err(self.error(Kind::ModelFile, message).got(theirs.to_string()).wanted(ours.to_string()))
    }

    /// The file's shape of `tensor` may be that for inputs of another size.
    fn is_stale(&self, tensor: &FileTensor<'_>) -> bool {
        self.resized && tensor.signature.is_empty()
    }

    fn wrong_results(&self, got: usize, wanted: usize) -> Diagnostic {
        self.error(Kind::ModelFile, format!("it has {got} results")).wanted(wanted.to_string())
    }
}
