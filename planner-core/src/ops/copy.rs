//! Operators that only move elements: strided copies, and the rules that save them.

use super::kernel::by_size;
use super::lead::Lead;
use super::strides::{Axis, OUTER, merged, outer, signed};
use super::{Call, Lower, Lowered};
use crate::diagnostic::{Diagnostic, Kind};
use crate::dtype::DType;
use crate::emit::{self, Operand, StaticId, Struct, Value};
use crate::model::TensorType;
use crate::quant::Quant;
use crate::shape::Shape;
use crate::steps::Sharing;

/// Most calls that one operator is made of.
const MAX_CALLS: usize = 256;

/// A block of elements, from one window into another.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// Its dimensions.
    pub(super) dims: Vec<usize>,
    /// Its first element in the argument.
    pub(super) from: usize,
    /// Elements between neighbours in the argument, a dimension each.
    pub(super) from_strides: Vec<isize>,
    /// Its first element in the result.
    pub(super) to: usize,
    /// Elements between neighbours in the result, a dimension each.
    pub(super) to_strides: Vec<isize>,
}

/// The strides of `shape`, with a sign.
pub(super) fn strides(shape: &Shape) -> Vec<isize> {
    shape.strides().into_iter().map(signed).collect()
}

/// What becomes of elements that are copied.
pub(super) enum Map {
    /// The entry of a table of 256 integers of 8 bits.
    Lut(StaticId),
    /// i16 of another scale or zero point.
    Rescale(Struct),
}

impl Block {
    /// All of a tensor of `shape`, from place to place.
    pub(super) fn whole(shape: &Shape) -> Self {
        Self { dims: shape.to_vec(), from: 0, from_strides: strides(shape), to: 0, to_strides: strides(shape) }
    }

    /// A result of dimensions `dims` in order, its elements that far apart in the argument.
    pub(super) fn gathered(dims: Vec<usize>, from_strides: Vec<isize>) -> Self {
        let to_strides = (0..dims.len()).map(|axis| signed(dims[axis + 1..].iter().product::<usize>())).collect();
        Self { dims, from: 0, from_strides, to: 0, to_strides }
    }

    /// Along `axis` from the end to the start.
    pub(super) fn turn(&mut self, axis: usize) {
        let last = signed(self.dims[axis] - 1) * self.from_strides[axis];
        self.from = self.from.wrapping_add_signed(last);
        self.from_strides[axis] = -self.from_strides[axis];
    }

    fn axes(&self) -> Vec<Axis> {
        merged(&self.dims, [&self.from_strides, &self.to_strides])
    }

    /// Its elements lie side by side in both windows.
    pub(super) fn contiguous(&self) -> bool {
        matches!(self.axes().as_slice(), [] | [Axis { strides: [1, 1], .. }])
    }

    /// It is all of its result, written in order.
    fn fills_its_result(&self) -> bool {
        self.to == 0 && self.to_strides == Self::gathered(self.dims.clone(), Vec::new()).to_strides
    }

    /// The calls that copy it, each element through `map` if one is given: one, unless it has more dimensions
    /// than a kernel walks over.
    pub(super) fn calls(&self, dtype: DType, operands: &[Operand], map: Option<&Map>) -> Vec<emit::Call> {
        let mut axes = self.axes();
        let run = match axes.pop() {
            Some(inner) if inner.strides[1] == 1 => inner,
            strided => {
                axes.extend(strided);
                Axis { size: 1, strides: [1, 1] }
            }
        };
        let mut starts = vec![[signed(self.from), signed(self.to)]];
        while axes.len() > OUTER {
            let Axis { size, strides: [from, to] } = axes.remove(0);
            let along = |start: [isize; 2]| (0..signed(size)).map(move |i| [start[0] + i * from, start[1] + i * to]);
            starts = starts.into_iter().flat_map(along).take(MAX_CALLS + 1).collect();
        }
        let units = axes.iter().map(|axis| axis.size).product();
        let call = |[from, to]: [isize; 2]| {
            let runs = Struct {
                name: "Runs",
                fields: vec![
                    ("run", Value::size(run.size)),
                    ("step", run.step()),
                    ("from", Value::size(from.unsigned_abs())),
                    ("to", Value::size(to.unsigned_abs())),
                    ("axes", outer(&axes)),
                ],
            };
            let (kernel, params) = match map {
                None => (by_size(dtype, ["copy_1", "copy_2", "copy_4"]), runs),
                Some(Map::Lut(table)) => {
                    let map = Struct { name: "Lut", fields: vec![("table", Value::Slice(*table))] };
                    let fields = vec![("runs", Value::Struct(runs)), ("map", Value::Struct(map))];
                    let kernel = if dtype == DType::U8 { "copy_lut_u8" } else { "copy_lut_i8" };
                    (kernel, Struct { name: "LutRuns", fields })
                }
                Some(Map::Rescale(map)) => {
                    let fields = vec![("runs", Value::Struct(runs)), ("map", Value::Struct(map.clone()))];
                    ("copy_rescale_i16", Struct { name: "RescaleRuns", fields })
                }
            };
            emit::Call { kernel, params, operands: operands.to_vec(), units, elided_by: None }
        };
        starts.into_iter().map(call).collect()
    }
}

impl Lowered {
    /// The copy of `moved` from argument 0 to result `result`; a view if nothing has to move.
    pub(super) fn cut(mut self, lower: &Lower<'_>, result: usize, moved: &Block) -> Self {
        let dtype = lower.arg(0).dtype;
        let mut calls = moved.calls(dtype, &[Operand::Read(0), Operand::Write(result)], None);
        if moved.contiguous() {
            for call in &mut calls {
                call.elided_by = Some(self.sharing.len());
            }
            self.sharing.push(Sharing::View { result, arg: 0, offset: moved.from * dtype.bytes() });
        } else if lower.node.results.len() == 1 && moved.fills_its_result() {
            let lead = Lead::new(lower, 0).starting(moved.from).over(&moved.dims, &moved.from_strides);
            // Several calls are made in one order.
            self = if calls.len() > 1 { self.lead_forward(lower, 0, lead) } else { self.lead(lower, 0, lead) };
        }
        self.calls.extend(calls);
        self
    }

    /// Further copies of `blocks` between `operands`.
    pub(super) fn copies(mut self, dtype: DType, operands: [Operand; 2], blocks: &[Block]) -> Self {
        self.calls.extend(blocks.iter().flat_map(|block| block.calls(dtype, &operands, None)));
        self
    }

    /// This, if it is not too many calls.
    ///
    /// # Errors
    /// If it is.
    pub(super) fn few(self, lower: &Lower<'_>) -> Result<Self, Diagnostic> {
        if self.calls.len() <= MAX_CALLS {
            return Ok(self);
        }
        let message = format!("it would take {} copies", self.calls.len());
        Err(lower.error(Kind::Unsupported, message).wanted(format!("at most {MAX_CALLS}")))
    }

    /// Argument 0 and nothing done with it yet.
    pub(super) fn moving() -> Self {
        Self { reads: vec![0], ..Self::default() }
    }
}

/// The calls that copy all of a tensor of type `ty`, the only argument of its step, to the only result.
pub(crate) fn copy_whole(ty: &TensorType) -> Vec<emit::Call> {
    Block::whole(&ty.shape).calls(ty.dtype, &[Operand::Read(0), Operand::Write(0)], None)
}

/// Argument 0 under another shape: a view of it.
pub(super) fn same_elements(lower: &Lower<'_>) -> Lowered {
    let line = Block::gathered(vec![lower.arg(0).shape.elements()], vec![1]);
    Lowered::moving().cut(lower, 0, &line)
}

/// The type of argument 0 under another shape, as result `result`.
///
/// # Errors
/// A quantisation per channel, or a declared one that differs from the argument's.
pub(super) fn reshaped(call: &Call<'_>, result: usize, shape: Shape) -> Result<TensorType, Diagnostic> {
    reshaped_of(call, result, 0, shape)
}

/// As [`reshaped`], of argument `arg`.
///
/// # Errors
/// As for [`reshaped`].
pub(super) fn reshaped_of(call: &Call<'_>, result: usize, arg: usize, shape: Shape) -> Result<TensorType, Diagnostic> {
    Ok(TensorType { dtype: call.arg(arg).dtype, shape, quant: inherited(call, result, arg)? })
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
