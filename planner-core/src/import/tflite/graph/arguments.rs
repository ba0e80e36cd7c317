//! What operators read: tensors, and constants whose values shape the network.

use super::Graph;
use crate::diagnostic::{Diagnostic, Diagnostics, Kind};
use crate::import::tflite::constant::{Bytes, Constant};
use crate::import::tflite::report;
use crate::import::tflite::schema::{ElementType, Operator, Quantization};
use crate::import::tflite::types::{self, Unrepresentable};
use crate::model::{Data, Origin, Param, TensorId};
use crate::quant::Quant;
use std::sync::Arc;

impl<'a> Graph<'a> {
    /// The tensor that `op` reads at `place`.
    ///
    /// # Errors
    /// None to report where an earlier defect leaves the tensor's type open.
    pub(in super::super) fn read(&mut self, op: &Operator<'_>, place: usize) -> Result<TensorId, Diagnostics> {
        let missing = || self.error(Kind::ModelFile, format!("it has no tensor at place {place}"));
        let index = op.inputs.get(place).copied().flatten().ok_or_else(missing)?;
        if let Some(id) = self.tensors[index] {
            return Ok(id);
        }
        let tensor = &self.subgraph.tensors[index];
        if let Some(constant) = self.constant_of(index)? {
            let constant = narrowed(constant);
            let id = self.replace(index, tensor.quantization.as_ref(), &constant)?;
            self.tensors[index] = Some(id);
            return Ok(id);
        }
        let name = report::quoted(tensor.name);
        if self.unknown[index] {
            let ty = types::tensor_type(tensor, &tensor.shape);
            return Err(ty.map_or_else(|e| self.unrepresentable(index, &e).into(), |_| Diagnostics::default()));
        }
        if tensor.is_variable {
            return Err(self
                .unsupported(format!(
                    "{name} keeps its value between runs, which only states of SVDF, LSTM and variables can"
                ))
                .into());
        }
        Err(self.error(Kind::ModelFile, format!("it reads {name} before anything computes it")).into())
    }

    /// The bias that `op` reads at `place`, unless that is left out. It alone may be i64.
    pub(in super::super) fn read_bias(
        &mut self,
        op: &Operator<'_>,
        place: usize,
    ) -> Result<Option<TensorId>, Diagnostics> {
        let Some(index) = op.inputs.get(place).copied().flatten() else { return Ok(None) };
        match self.constant_of(index)? {
            Some(constant) if self.tensors[index].is_none() && constant.element == ElementType::I64 => {
                let id = self.replace(index, None, &constant)?;
                self.tensors[index] = Some(id);
                Ok(Some(id))
            }
            _ => self.read_optional(op, place),
        }
    }

    /// The tensor that `op` reads at `place`, unless that is left out.
    pub(in super::super) fn read_optional(
        &mut self,
        op: &Operator<'_>,
        place: usize,
    ) -> Result<Option<TensorId>, Diagnostics> {
        match op.inputs.get(place).copied().flatten() {
            None => Ok(None),
            Some(_) => self.read(op, place).map(Some),
        }
    }

    /// All tensors that `op` reads.
    pub(in super::super) fn read_all(&mut self, op: &Operator<'_>) -> Result<Vec<TensorId>, Diagnostics> {
        (0..op.inputs.len()).map(|place| self.read(op, place)).collect()
    }

    /// The elements that `op` reads at `place`, if they are known.
    pub(in super::super) fn constant(
        &self,
        op: &Operator<'_>,
        place: usize,
    ) -> Result<Option<Constant<'a>>, Diagnostic> {
        op.inputs.get(place).copied().flatten().map_or(Ok(None), |index| self.constant_of(index))
    }

    /// The integers, `max` of them at most, that `op` reads at `place` as its `what`.
    pub(in super::super) fn ints(
        &self,
        op: &Operator<'_>,
        place: usize,
        what: &str,
        max: usize,
    ) -> Result<Vec<i64>, Diagnostics> {
        let Some(constant) = self.constant(op, place)? else {
            if op.inputs.get(place).copied().flatten().is_some_and(|index| self.unknown[index]) {
                return Err(Diagnostics::default());
            }
            return Err(self
                .unsupported(format!("its {what} is computed at run time"))
                .help("convert the model with fixed shapes, so that it becomes a constant")
                .into());
        };
        let ints = if constant.len() <= max { constant.ints() } else { None };
        ints.ok_or_else(|| {
            let message = format!("its {what} has {} elements of {}", constant.len(), constant.element);
            self.error(Kind::ModelFile, message).wanted(format!("at most {max} integers")).into()
        })
    }

    /// The number that `op` reads at `place` as its `what`.
    pub(in super::super) fn real(&self, op: &Operator<'_>, place: usize, what: &str) -> Result<f32, Diagnostic> {
        let index = op.inputs.get(place).copied().flatten();
        let quantization = index.and_then(|index| self.subgraph.tensors[index].quantization.as_ref());
        let value = self.constant(op, place)?.filter(|constant| constant.len() == 1).and_then(|constant| {
            match (constant.floats(), constant.ints()) {
                (Some(floats), _) => floats.first().copied(),
                (None, Some(ints)) => match quantization {
                    Some(quantization) => quantization.real(*ints.first()?),
                    None => exact(*ints.first()?),
                },
                (None, None) => None,
            }
        });
        value.ok_or_else(|| self.unsupported(format!("its {what} is no constant number")))
    }

    /// A parameter with the elements of `constant`, in place of the file's tensor `index` and called like it.
    pub(in super::super) fn replace(
        &mut self,
        index: usize,
        quantization: Option<&Quantization>,
        constant: &Constant<'_>,
    ) -> Result<TensorId, Diagnostic> {
        let ty = types::constant_type(constant, quantization).map_err(|e| self.unrepresentable(index, &e))?;
        let data = match &constant.data {
            Bytes::Computed(data) => data.clone(),
            Bytes::File(data) => self.shared(data)?,
        };
        let fresh = || self.identifiers.unique(self.subgraph.tensors[index].name, &format!("tensor_{index}"));
        let name = self.names[index].take().unwrap_or_else(fresh);
        let id = self.add(name, ty, Origin::Param(self.model.params.len()))?;
        self.model.params.push(Param { tensor: id, data: Data::Bytes(data), placeholder: false, src: self.src });
        Ok(id)
    }

    /// A parameter of no dimensions that is zero, of the type that the file gives to the result of `op`.
    pub(in super::super) fn zero(&mut self, op: &Operator<'_>) -> Result<TensorId, Diagnostic> {
        let &index = op.outputs.first().ok_or_else(|| self.error(Kind::ModelFile, "it has no result"))?;
        let ty = types::tensor_type(&self.subgraph.tensors[index], &[]).map_err(|e| self.unrepresentable(index, &e))?;
        // Of integers that stand for reals the zero point.
        let zero = ty.quant.as_ref().map_or(0, Quant::zero_point).to_le_bytes();
        let data = Data::Bytes(zero[..ty.dtype.bytes()].into());
        let name = self.identifiers.unique("zero", "zero");
        let tensor = self.add(name, ty, Origin::Param(self.model.params.len()))?;
        self.model.params.push(Param { tensor, data, placeholder: false, src: self.src });
        Ok(tensor)
    }

    /// Bytes of the file as the elements of a parameter, the same for all that share them.
    fn shared(&mut self, data: &[u8]) -> Result<Arc<[u8]>, Diagnostic> {
        let place = (data.as_ptr().addr(), data.len());
        if let Some(shared) = self.data.get(&place) {
            return Ok(shared.clone());
        }
        self.charge(data.len())?;
        Ok(self.data.entry(place).or_insert(Arc::from(data)).clone())
    }

    fn constant_of(&self, index: usize) -> Result<Option<Constant<'a>>, Diagnostic> {
        if let Some(constant) = self.folded.get(&index) {
            return Ok(Some(constant.clone()));
        }
        if self.tensors[index].is_some_and(|id| self.model.param(id).is_none()) || self.unknown[index] {
            return Ok(None);
        }
        let tensor = &self.subgraph.tensors[index];
        if let Some(id) = self.tensors[index].filter(|_| tensor.data.is_empty())
            && let Some(Param { data: Data::Bytes(data), .. }) = self.model.param(id)
        {
            let (element, dims) = (types::element(self.ty(id).dtype), self.ty(id).shape.to_vec());
            return Ok(Some(Constant { element, dims, data: Bytes::Computed(data.clone()) }));
        }
        Constant::read(tensor).transpose().map_err(|problem| {
            let kind = if tensor.is_sparse { Kind::Unsupported } else { Kind::ModelFile };
            let error = self.error(kind, format!("{} {problem}", report::quoted(tensor.name)));
            if tensor.is_sparse { error.help("convert the model without sparsity") } else { error }
        })
    }

    /// The file's tensor `index` cannot have its type.
    pub(super) fn unrepresentable(&self, index: usize, e: &Unrepresentable) -> Diagnostic {
        let name = report::quoted(self.subgraph.tensors[index].name);
        e.help.into_iter().fold(self.unsupported(format!("{name} {}", e.why)), Diagnostic::help)
    }
}

/// `x` as a real, if that has enough bits.
#[allow(clippy::cast_precision_loss, reason = "of 24 bits at most")]
fn exact(x: i64) -> Option<f32> {
    (x.unsigned_abs() <= 1 << 24).then_some(x as f32)
}

/// Integers of 64 bits, indices most often, as those of 32 if they fit.
fn narrowed(constant: Constant<'_>) -> Constant<'_> {
    if constant.element != ElementType::I64 {
        return constant;
    }
    let narrow = constant.ints().and_then(|ints| Constant::from_ints(ElementType::I32, constant.dims.clone(), &ints));
    narrow.unwrap_or(constant)
}
