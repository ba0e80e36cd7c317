//! `concat`: tensors one after another along one dimension.

use super::{ArgSpec, AttrSpec, Call, Form, Lower, Lowered, Operator, Results, Role, Signature, copy, lut, rescale};
use crate::diagnostic::{Diagnostic, Kind};
use crate::dtype::DType;
use crate::emit::{Operand, StaticId};
use crate::model::TensorType;
use crate::quant::Quant;
use crate::steps::{Sharing, Spread};

/// See [`SIGNATURE`].
pub(super) struct Concat;

static SIGNATURE: Signature = Signature {
    name: "concat",
    doc: "Tensors one after another along one dimension. \
          Parts are produced in place where all dimensions before it are 1, \
          results of convolutions, pools and dense layers also along the last dimension. \
          Integer parts of another scale or zero point than the result are requantised.",
    args: &[ArgSpec {
        name: "parts",
        role: Role::Variadic,
        doc: "any tensors, equal but for the size of that dimension",
    }],
    attrs: &[AttrSpec { name: "axis", form: Form::Axis, default: None, doc: "the dimension that grows" }],
    results: Results::One,
};

impl Operator for Concat {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        let first = call.arg(0);
        let axis = call.axis("axis", first.shape.rank())?;
        let mut dims = first.shape.to_vec();
        for (index, part) in call.args().enumerate().skip(1) {
            call.want_dtype(index, &[first.dtype])?;
            call.want_rank(index, &[first.shape.rank()])?;
            let mut wanted = first.shape.to_vec();
            wanted[axis] = part.shape[axis];
            if *part.shape != *wanted {
                return Err(call
                    .arg_error(Kind::Shape, index, format!("parts differ in another dimension than {axis}"))
                    .got(part.to_string())
                    .wanted(format!("{}{wanted:?}, as the first part", first.dtype)));
            }
            dims[axis] = dims[axis].saturating_add(part.shape[axis]);
        }
        Ok(vec![TensorType { dtype: first.dtype, shape: call.shape(dims)?, quant: quant(call)? }])
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let result = lower.result(0).clone();
        let axis = lower.axis("axis", result.shape.rank())?;
        let strides = result.shape.strides();
        let mut lowered = Lowered { reads: (0..lower.len()).collect(), ..Lowered::default() };
        let mut to = 0;
        for arg in 0..lower.len() {
            let part = lower.arg(arg).clone();
            let mut moved = copy::Block::whole(&part.shape);
            moved.to = to;
            moved.to_strides = copy::strides(&result.shape);
            to += part.shape[axis] * strides[axis];
            let map = match (&part.quant, &result.quant) {
                (Some(from), Some(to)) if from != to => Some(map(lower, result.dtype, [from, to])),
                _ => None,
            };
            if map.is_some() {
                lowered.calls.extend(moved.calls(result.dtype, &[Operand::Read(arg), Operand::Write(0)], map.as_ref()));
            } else {
                let runs = [part.shape[axis], result.shape[axis]].map(|size| size * strides[axis]);
                place(&mut lowered, result.dtype, arg, &moved, runs);
            }
        }
        Ok(lowered)
    }
}

/// Argument `arg` copied as `moved` says, or produced there: the elements of its runs, and from start to start of them.
pub(super) fn place(lowered: &mut Lowered, dtype: DType, arg: usize, moved: &copy::Block, [run, stride]: [usize; 2]) {
    let mut calls = moved.calls(dtype, &[Operand::Read(arg), Operand::Write(0)], None);
    for call in &mut calls {
        call.elided_by = Some(lowered.sharing.len());
    }
    let bytes = dtype.bytes();
    let spread = (!moved.contiguous()).then_some(Spread { run: run * bytes, stride: stride * bytes });
    lowered.sharing.push(Sharing::Into { arg, result: 0, offset: moved.to * bytes, spread });
    lowered.calls.extend(calls);
}

/// What becomes of elements under another quantisation.
pub(super) fn map(lower: &mut Lower<'_>, dtype: DType, [from, to]: [&Quant; 2]) -> copy::Map {
    let (factor, bounds) = ([rescale::factor(from, to); 2], rescale::whole(dtype));
    match dtype {
        DType::I16 => copy::Map::Rescale(rescale::params([from, to], factor, bounds)),
        DType::U8 => copy::Map::Lut(requantized_in_f32(lower, from, to)),
        _ => copy::Map::Lut(rescale::table(lower, [dtype; 2], [from, to], factor, bounds)),
    }
}

/// As TensorFlow Lite joins u8 of several scales (`ConcatenationWithScaling`).
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "f32 throughout, as the reference")]
fn requantized_in_f32(lower: &mut Lower<'_>, from: &Quant, to: &Quant) -> StaticId {
    let scale = from.scale(0) * (1.0 / to.scale(0));
    let bias = -(from.zero_point() as f32) * scale;
    lut::table(lower, [DType::U8; 2], |x| (x as f32 * scale + bias).round() as i32 + to.zero_point())
}

/// The declared quantisation of the result, else that of all parts.
fn quant(call: &Call<'_>) -> Result<Option<Quant>, Diagnostic> {
    let first = call.arg(0).quant.as_ref();
    if !DType::QUANTIZED.contains(&call.arg(0).dtype)
        || (first.is_none() && call.args().all(|part| part.quant.is_none()))
    {
        return Ok(None);
    }
    let quants = (0..call.len()).map(|arg| call.quant(arg)).collect::<Result<Vec<_>, _>>()?;
    if call.declared(0).quant.is_none() && quants.iter().all(|quant| *quant == quants[0]) {
        return Ok(Some(quants[0].clone()));
    }
    call.declared_quant(0).map(Some)
}
