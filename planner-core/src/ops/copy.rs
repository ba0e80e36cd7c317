//! Operators that only move elements: strided copies, and the rules that save them.

use super::kernel::by_size;
use super::strides::{Axis, merged, outer};
use super::{Call, Lower, Lowered};
use crate::diagnostic::Diagnostic;
use crate::dtype::DType;
use crate::emit::{self, Operand, StaticId, Struct, Value};
use crate::model::TensorType;
use crate::quant::Quant;
use crate::shape::Shape;
use crate::steps::Sharing;

/// A block of elements, from one window into another.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// Its dimensions.
    pub(super) dims: Vec<usize>,
    /// Its first element in the argument.
    pub(super) from: usize,
    /// Elements between neighbours in the argument, a dimension each.
    pub(super) from_strides: Vec<usize>,
    /// Its first element in the result.
    pub(super) to: usize,
    /// Elements between neighbours in the result, a dimension each.
    pub(super) to_strides: Vec<usize>,
}

impl Block {
    /// All of a tensor of `shape`, from place to place.
    pub(super) fn whole(shape: &Shape) -> Self {
        let strides = shape.strides();
        Self { dims: shape.to_vec(), from: 0, from_strides: strides.clone(), to: 0, to_strides: strides }
    }

    fn axes(&self) -> Vec<Axis> {
        merged(&self.dims, [&self.from_strides, &self.to_strides])
    }

    /// Its elements lie side by side in both windows.
    pub(super) fn contiguous(&self) -> bool {
        matches!(self.axes().as_slice(), [] | [Axis { strides: [1, 1], .. }])
    }

    /// The call that copies it, through a table of 256 integers if one is given.
    pub(super) fn call(&self, dtype: DType, operands: Vec<Operand>, table: Option<StaticId>) -> emit::Call {
        let mut axes = self.axes();
        let run = match axes.pop() {
            Some(inner) if inner.strides[1] == 1 => inner,
            strided => {
                axes.extend(strided);
                Axis { size: 1, strides: [1, 1] }
            }
        };
        let units = axes.iter().map(|axis| axis.size).product();
        let runs = Struct {
            name: "Runs",
            fields: vec![
                ("run", Value::size(run.size)),
                ("step", Value::size(run.strides[0])),
                ("from", Value::size(self.from)),
                ("to", Value::size(self.to)),
                ("axes", outer(&axes)),
            ],
        };
        let (kernel, params) = match table {
            None => (by_size(dtype, ["copy_1", "copy_2", "copy_4"]), runs),
            Some(table) => {
                let map = Struct { name: "Lut", fields: vec![("table", Value::Slice(table))] };
                let fields = vec![("runs", Value::Struct(runs)), ("map", Value::Struct(map))];
                ("copy_lut_i8", Struct { name: "LutRuns", fields })
            }
        };
        emit::Call { kernel, params, operands, units, elided_by: None }
    }
}

impl Lowered {
    /// The copy of `moved` from argument 0 to result `result`; a view if nothing has to move.
    pub(super) fn cut(mut self, lower: &Lower<'_>, result: usize, moved: &Block) -> Self {
        let dtype = lower.arg(0).dtype;
        let mut call = moved.call(dtype, vec![Operand::Read(0), Operand::Write(result)], None);
        if moved.contiguous() {
            call.elided_by = Some(self.sharing.len());
            self.sharing.push(Sharing::View { result, arg: 0, offset: moved.from * dtype.bytes() });
        }
        self.calls.push(call);
        self
    }

    /// Argument 0 and nothing done with it yet.
    pub(super) fn moving() -> Self {
        Self { reads: vec![0], ..Self::default() }
    }
}

/// Argument 0 under another shape: a view of it.
pub(super) fn same_elements(lower: &Lower<'_>) -> Lowered {
    let elements = vec![lower.arg(0).shape.elements()];
    let line = Block { dims: elements, from: 0, from_strides: vec![1], to: 0, to_strides: vec![1] };
    Lowered::moving().cut(lower, 0, &line)
}

/// The type of argument 0 under another shape, as result `result`.
///
/// # Errors
/// A quantisation per channel, or a declared one that differs from the argument's.
pub(super) fn reshaped(call: &Call<'_>, result: usize, shape: Shape) -> Result<TensorType, Diagnostic> {
    Ok(TensorType { dtype: call.arg(0).dtype, shape, quant: inherited(call, result, 0)? })
}

/// The quantisation of argument `arg`, which result `result` must have as well.
///
/// # Errors
/// As for [`reshaped`].
pub(super) fn inherited(call: &Call<'_>, result: usize, arg: usize) -> Result<Option<Quant>, Diagnostic> {
    match &call.arg(arg).quant {
        None => Ok(None),
        Some(_) => call.fixed_quant(result, call.quant(arg)?).map(Some),
    }
}
