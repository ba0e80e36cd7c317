//! Subgraphs: tensors, and the operators between them.

use super::{Model, Operator, Tensor, Unreadable, operator, tensor};
use crate::import::tflite::flatbuffer::Table;

/// A graph of operators in the order of execution.
pub(crate) struct Subgraph<'a> {
    /// All tensors.
    pub(crate) tensors: Vec<Tensor<'a>>,
    /// Tensors that the caller fills, each once.
    pub(crate) inputs: Vec<usize>,
    /// Tensors that the caller reads.
    pub(crate) outputs: Vec<usize>,
    /// All operators.
    pub(crate) operators: Vec<Operator<'a>>,
}

impl<'a> Subgraph<'a> {
    pub(super) fn read(model: &Model<'a>, table: Table<'a>) -> Result<Self, Unreadable> {
        let list = table.tables(0)?;
        table.file().charge(list.len().saturating_mul(tensor::COST))?;
        let mut tensors = Vec::with_capacity(list.len());
        for (index, tensor) in list.iter().enumerate() {
            let place = |e: Unreadable| e.within(format!("tensor {index}"));
            tensors.push(Tensor::read(model, tensor.map_err(Into::into).map_err(place)?).map_err(place)?);
        }
        let ends = |field, what: &str| -> Result<Vec<usize>, Unreadable> {
            let indices = table.ints(field)?.into_iter().map(|index| {
                let valid = usize::try_from(index).ok().filter(|&index| index < tensors.len());
                valid.ok_or_else(|| Unreadable::new(format!("it names tensor {index} of {} as {what}", tensors.len())))
            });
            indices.collect()
        };
        let (inputs, outputs) = (ends(1, "input")?, ends(2, "output")?);
        let list = table.tables(3)?;
        table.file().charge(list.len().saturating_mul(operator::COST))?;
        let mut operators = Vec::with_capacity(list.len());
        for (index, operator) in list.iter().enumerate() {
            let place = |e: Unreadable| e.within(format!("operator {index}"));
            let operator = operator.map_err(Into::into).map_err(place)?;
            operators.push(Operator::read(model, tensors.len(), index, operator).map_err(place)?);
        }
        let mut seen = vec![false; tensors.len()];
        if let Some(&twice) = inputs.iter().find(|&&index| std::mem::replace(&mut seen[index], true)) {
            return Err(Unreadable::new(format!("it names tensor {twice} twice as input")));
        }
        Ok(Self { tensors, inputs, outputs, operators })
    }
}
