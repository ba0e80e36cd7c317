//! `gather`: parts of a tensor along one dimension, by their indices.

use super::kernel::by_size;
use super::{ArgSpec, AttrSpec, AttrValue, Call, Form, Lower, Lowered, Operator, Results, Role, Signature, copy};
use crate::diagnostic::{Diagnostic, Kind};
use crate::dtype::DType;
use crate::emit::{Struct, Value};
use crate::model::{Data, TensorType};
use crate::quant::Quant;

/// See [`SIGNATURE`].
pub(super) struct Gather;

/// The argument `indices` of a tensor's parts.
pub(super) const INDICES: usize = 1;

static SIGNATURE: Signature = Signature {
    name: "gather",
    doc: "Parts of a tensor along one dimension, by their indices. An index outside, known only at run time, \
          gives a part of zeros.",
    args: &[
        ArgSpec { name: "x", role: Role::Any, doc: "any tensor, most often a param" },
        ArgSpec { name: "indices", role: Role::Any, doc: "i32 of any shape, which takes the place of the dimension" },
    ],
    attrs: &[
        AttrSpec { name: "axis", form: Form::Axis, default: Some(AttrValue::Int(0)), doc: "the dimension" },
        AttrSpec {
            name: "batch_dims",
            form: Form::Int(0, 5),
            default: Some(AttrValue::Int(0)),
            doc: "outer dimensions that both have, each position with indices of its own",
        },
    ],
    results: Results::One,
};

impl Operator for Gather {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        want_indices(call)?;
        let (x, indices) = (&call.arg(0).shape, &call.arg(INDICES).shape);
        let (axis, batch) = (call.axis("axis", x.rank())?, call.size("batch_dims"));
        if batch > axis || batch > indices.rank() || x[..batch] != indices[..batch] {
            return Err(call
                .attr_error(
                    Kind::Attribute,
                    "batch_dims",
                    format!("there are no {batch} outer dimensions that both have"),
                )
                .got(format!("{x} along dimension {axis}, indices {indices}")));
        }
        if let Some(known) = known(call, INDICES)
            && let Some(index) =
                known.iter().find(|index| usize::try_from(**index).map_or(true, |index| index >= x[axis]))
        {
            return Err(call
                .arg_error(Kind::Shape, INDICES, format!("index {index} is outside dimension {axis}"))
                .got(call.arg(0).to_string()));
        }
        let dims = [&x[..axis], &indices[batch..], &x[axis + 1..]].concat();
        Ok(vec![copy::reshaped(call, 0, call.shape(dims)?)?])
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let (x, indices) = (lower.arg(0), &lower.arg(INDICES).shape);
        let (axis, batch) = (lower.axis("axis", x.shape.rank())?, lower.size("batch_dims"));
        if let Some(moved) = even(lower, axis).filter(|_| batch == 0) {
            return Ok(Lowered::moving().cut(lower, 0, &moved));
        }
        let count = indices[batch..].iter().product();
        let params = parameters(x, [count, x.shape[batch..axis].iter().product()], axis);
        let kernel = by_size(x.dtype, ["gather_1", "gather_2", "gather_4"]);
        let width: usize = x.shape[axis + 1..].iter().product();
        Ok(Lowered::one(kernel, params, vec![0, INDICES], lower.result(0).shape.elements() / width))
    }
}

/// The structure `Gather` along `axis` of `x`: indices a batch, and positions between the batch and `axis`.
pub(super) fn parameters(x: &TensorType, [count, outer]: [usize; 2], axis: usize) -> Struct {
    let fields = vec![
        ("count", Value::size(count)),
        ("outer", Value::size(outer)),
        ("size", Value::size(x.shape[axis])),
        ("width", Value::size(x.shape[axis + 1..].iter().product())),
        ("missing", Value::Int(x.quant.as_ref().map_or(0, Quant::zero_point).into())),
    ];
    Struct { name: "Gather", fields }
}

/// Checks that argument [`INDICES`] holds plain indices.
///
/// # Errors
/// Another element type, or a quantisation.
pub(super) fn want_indices(call: &Call<'_>) -> Result<(), Diagnostic> {
    call.want_dtype(INDICES, &[DType::I32])?;
    if call.arg(INDICES).quant.is_some() {
        let error = call.arg_error(Kind::Quantization, INDICES, "`indices` are quantised");
        return Err(error.got(call.arg(INDICES).to_string()).wanted("plain indices, `i32[..]`"));
    }
    Ok(())
}

/// The elements of argument `arg`, i32, if they are known here.
fn known(call: &Call<'_>, arg: usize) -> Option<Vec<i32>> {
    match &call.param(arg)?.data {
        Data::Bytes(bytes) => Some(bytes.as_chunks().0.iter().map(|b| i32::from_le_bytes(*b)).collect()),
        Data::External(_) => None,
    }
}

/// What is gathered, as a copy, if the indices are known and lie evenly.
fn even(lower: &Lower<'_>, axis: usize) -> Option<copy::Block> {
    let indices = known(lower, INDICES)?;
    let (first, step) = match indices.as_slice() {
        [only] => (*only, 1),
        [first, second, ..] => (*first, second.checked_sub(*first)?),
        [] => return None,
    };
    if !indices.windows(2).all(|pair| pair[1].checked_sub(pair[0]) == Some(step)) {
        return None;
    }
    let x = &lower.arg(0).shape;
    let (mut dims, mut strides) = (x.to_vec(), copy::strides(x));
    dims[axis] = indices.len();
    let mut moved = copy::Block::gathered(dims, Vec::new());
    moved.from = usize::try_from(first).ok()? * strides[axis].unsigned_abs();
    strides[axis] *= isize::try_from(step).ok()?;
    moved.from_strides = strides;
    Some(moved)
}
