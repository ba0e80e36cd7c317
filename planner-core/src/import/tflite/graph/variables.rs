//! What the network keeps between runs: variables by name, and tensors that keep their value.
//!
//! Operators are taken in the order of the file: one that reads a variable after it was given a value
//! reads that value, and the last value is what the next run finds.

use super::Graph;
use crate::diagnostic::{Diagnostic, Diagnostics, Kind};
use crate::import::tflite::schema::{Operator, Tensor as FileTensor};
use crate::import::tflite::{report, types};
use crate::model::{Data, Declared, Origin, Param, State, TensorId, TensorType};
use crate::ops::AttrValue;
use crate::quant::Quant;
use std::borrow::Cow;
use std::collections::HashMap;

/// The container and the name of a variable.
pub(in super::super) type Key<'a> = (&'a str, &'a str);

/// The variables of a network.
#[derive(Default)]
pub(super) struct Variables<'a> {
    list: Vec<Variable<'a>>,
    named: HashMap<Key<'a>, usize>,
    /// The variable that each tensor of the file is, or is a handle of.
    of: HashMap<usize, usize>,
}

struct Variable<'a> {
    name: &'a str,
    /// What an initialiser gives it.
    initial: Option<&'a [u8]>,
    /// Its value at this place of the file; `None` before anything reads it or gives it one.
    value: Option<TensorId>,
    /// What it is in the network, if a run begins with reading it.
    state: Option<usize>,
}

impl<'a> Variables<'a> {
    fn add(&mut self, name: &'a str) -> usize {
        self.list.push(Variable { name, initial: None, value: None, state: None });
        self.list.len() - 1
    }

    fn named(&mut self, key: Key<'a>) -> usize {
        match self.named.get(&key) {
            Some(&index) => index,
            None => {
                let index = self.add(key.1);
                self.named.insert(key, index);
                index
            }
        }
    }
}

impl<'a> Graph<'a> {
    /// Makes the file's tensor `index` a handle of the variable `key`.
    pub(in super::super) fn handle(&mut self, index: usize, key: Key<'a>) {
        let variable = self.variables.named(key);
        self.variables.of.insert(index, variable);
    }

    /// The file's tensor `index` is a handle.
    pub(super) fn is_handle(&self, index: usize) -> bool {
        self.variables.of.contains_key(&index)
    }

    /// Gives the variable `key` what the first run finds.
    ///
    /// # Errors
    /// It is in use already.
    pub(in super::super) fn initialize(&mut self, key: Key<'a>, bytes: &'a [u8]) -> Result<(), Diagnostic> {
        let index = self.variables.named(key);
        if self.variables.list[index].value.is_some() {
            let message = format!("it initialises the variable {} after its use", report::quoted(key.1));
            return Err(self.unsupported(message));
        }
        self.variables.list[index].initial = Some(bytes);
        Ok(())
    }

    /// The value of the variable whose handle `op` reads at `place`, which the file's tensor `result` becomes.
    pub(in super::super) fn read_variable(
        &mut self,
        op: &Operator<'_>,
        place: usize,
        result: usize,
    ) -> Result<(), Diagnostics> {
        let index = self.variable(op, place)?;
        let tensor = &self.subgraph.tensors[result];
        let ty = types::tensor_type(tensor, &tensor.shape).map_err(|e| self.unrepresentable(result, &e))?;
        let value = match self.variables.list[index].value {
            Some(value) => value,
            None => self.keep(index, ty.clone(), 0)?,
        };
        let value = self.stored_as(op, value, &ty)?;
        self.tensors[result] = Some(value);
        Ok(())
    }

    /// Gives the variable whose handle `op` reads at `place` the value that it reads after it.
    pub(in super::super) fn assign_variable(&mut self, op: &Operator<'_>, place: usize) -> Result<(), Diagnostics> {
        let index = self.variable(op, place)?;
        let mut value = self.read(op, place + 1)?;
        if let Some(state) = self.variables.list[index].state {
            let ty = self.ty(self.model.states[state].tensor).clone();
            value = self.stored_as(op, value, &ty)?;
        }
        self.variables.list[index].value = Some(value);
        Ok(())
    }

    /// The tensor that `op` reads at `place` and keeps between runs.
    pub(in super::super) fn kept(&mut self, op: &Operator<'_>, place: usize) -> Result<TensorId, Diagnostics> {
        let missing = || self.error(Kind::ModelFile, format!("it has no tensor at place {place}"));
        let tensor = op.inputs.get(place).copied().flatten().ok_or_else(missing)?;
        let file = &self.subgraph.tensors[tensor];
        if !file.is_variable {
            let message = format!("{} is to keep its value, but is no variable", report::quoted(file.name));
            return Err(self.error(Kind::ModelFile, message).into());
        }
        let index = match self.variables.of.get(&tensor) {
            Some(&index) => index,
            None => {
                let index = self.variables.add(file.name);
                self.variables.of.insert(tensor, index);
                index
            }
        };
        if let Some(value) = self.variables.list[index].value {
            return Ok(value);
        }
        let ty = types::tensor_type(file, &file.shape).map_err(|e| self.unrepresentable(tensor, &e))?;
        // Only those of bytes start from their zero point.
        let zero = ty.quant.as_ref().filter(|_| ty.dtype.bytes() == 1).map_or(0, Quant::zero_point);
        self.keep(index, ty, zero.to_le_bytes()[0])
    }

    /// Gives the tensor that `op` reads at `place` and keeps the value `value`.
    pub(in super::super) fn keep_value(&mut self, op: &Operator<'_>, place: usize, value: TensorId) {
        let tensor = op.inputs.get(place).copied().flatten();
        if let Some(&index) = tensor.and_then(|tensor| self.variables.of.get(&tensor)) {
            self.variables.list[index].value = Some(value);
        }
    }

    /// The last value of each variable is what the next run finds; one that is never given a value is a parameter.
    pub(super) fn settle_states(&mut self) {
        for variable in &self.variables.list {
            if let (Some(state), Some(value)) = (variable.state, variable.value) {
                self.model.states[state].next = value;
            }
        }
        for state in std::mem::take(&mut self.model.states) {
            let origin = &mut self.model.tensors[state.tensor.0].origin;
            if state.next == state.tensor {
                *origin = Origin::Param(self.model.params.len());
                let State { tensor, data, src, .. } = state;
                self.model.params.push(Param { tensor, data, placeholder: false, src });
            } else {
                *origin = Origin::State(self.model.states.len());
                self.model.states.push(state);
            }
        }
    }

    /// `tensor` as the caller may see it: a state is overwritten, so that it is shown as a copy.
    pub(super) fn shown(&mut self, tensor: TensorId) -> Result<TensorId, Diagnostics> {
        let Origin::State(_) = self.model.tensor(tensor).origin else { return Ok(tensor) };
        let dims = self.ty(tensor).shape.iter().map(|&dim| i64::try_from(dim).unwrap_or(i64::MAX));
        let shape = AttrValue::Ints(Cow::Owned(dims.collect()));
        let name = self.identifiers.unique(&format!("{}_shown", self.model.tensor(tensor).name), "shown");
        let quant = self.ty(tensor).quant.clone();
        Ok(self.node(
            "reshape",
            &[tensor],
            &[("shape", shape)],
            vec![(name, Declared { quant, ..Declared::default() })],
        )?[0])
    }

    fn variable(&self, op: &Operator<'_>, place: usize) -> Result<usize, Diagnostics> {
        let tensor = op.inputs.get(place).copied().flatten();
        match tensor.map(|tensor| (tensor, self.variables.of.get(&tensor))) {
            Some((_, Some(&index))) => Ok(index),
            Some((tensor, None)) if self.unknown[tensor] => Err(Diagnostics::default()),
            _ => Err(self.error(Kind::ModelFile, format!("it reads no handle of a variable at place {place}")).into()),
        }
    }

    /// Makes variable `index` a state of type `ty` that starts from its initial value, or from bytes `fill`.
    fn keep(&mut self, index: usize, ty: TensorType, fill: u8) -> Result<TensorId, Diagnostics> {
        let Variable { name, initial, .. } = self.variables.list[index];
        let size = ty.bytes();
        if initial.is_some_and(|bytes| bytes.len() != size) {
            let message = format!("the variable {} starts from another type than it is read as", report::quoted(name));
            return Err(self.error(Kind::ModelFile, message).got(ty.to_string()).into());
        }
        self.charge(size)?;
        let data = initial.map_or_else(|| vec![fill; size], <[u8]>::to_vec);
        let state = self.model.states.len();
        let name = self.identifiers.unique(name, &format!("state_{state}"));
        let tensor = self.add(name, ty, Origin::State(state))?;
        self.model.states.push(State { tensor, data: Data::Bytes(data.into()), next: tensor, src: self.src });
        let variable = &mut self.variables.list[index];
        (variable.state, variable.value) = (Some(state), Some(tensor));
        Ok(tensor)
    }

    /// The bytes of `value` as a tensor of type `ty`, whatever they stand for.
    fn stored_as(&mut self, op: &Operator<'_>, value: TensorId, ty: &TensorType) -> Result<TensorId, Diagnostics> {
        let old = self.ty(value);
        if old == ty {
            return Ok(value);
        }
        if old.dtype != ty.dtype || old.shape != ty.shape {
            let error = self.error(Kind::ModelFile, "the variable has another type");
            return Err(error.got(ty.to_string()).wanted(old.to_string()).into());
        }
        self.step(op, "reinterpret", &[value], &[], ty.quant.clone())
    }
}

/// What `file` says of a tensor's elements, if it is a constant.
pub(in super::super) fn constant_bytes<'a>(file: &FileTensor<'a>) -> Option<&'a [u8]> {
    (!file.data.is_empty() && !file.is_sparse).then_some(file.data)
}
