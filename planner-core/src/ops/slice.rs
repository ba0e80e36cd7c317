//! `slice`: a box cut out of a tensor.

use super::strides::signed;
use super::{ArgSpec, AttrSpec, AttrValue, Call, Form, Lower, Lowered, Operator, Results, Role, Signature, copy};
use crate::diagnostic::{Diagnostic, Kind};
use crate::model::TensorType;
use std::borrow::Cow;

/// See [`SIGNATURE`].
pub(super) struct Slice;

static SIGNATURE: Signature = Signature {
    name: "slice",
    doc: "A box cut out of a tensor. A view where the cut is along the outermost dimension that is not 1.",
    args: &[ArgSpec { name: "x", role: Role::Any, doc: "any tensor" }],
    attrs: &[
        AttrSpec {
            name: "begin",
            form: Form::Ints(0, i64::MAX),
            default: None,
            doc: "the first index in each dimension",
        },
        AttrSpec {
            name: "size",
            form: Form::Ints(-1, i64::MAX),
            default: None,
            doc: "elements of the result in each dimension; -1 takes all to the end",
        },
        AttrSpec {
            name: "stride",
            form: Form::Ints(1, i64::MAX),
            default: Some(AttrValue::Ints(Cow::Borrowed(&[]))),
            doc: "steps from one element taken to the next in each dimension; by default 1",
        },
    ],
    results: Results::One,
};

impl Operator for Slice {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        let cuts = cuts(call)?;
        let shape = call.shape(cuts.iter().map(|cut| cut.size).collect::<Vec<_>>())?;
        Ok(vec![copy::reshaped(call, 0, shape)?])
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let cuts = cuts(lower)?;
        let strides = lower.arg(0).shape.strides();
        let mut moved = copy::Block::whole(&lower.result(0).shape);
        moved.from = cuts.iter().zip(&strides).map(|(cut, stride)| cut.begin * stride).sum();
        moved.from_strides = cuts.iter().zip(&strides).map(|(cut, stride)| signed(cut.stride * stride)).collect();
        Ok(Lowered::moving().cut(lower, 0, &moved))
    }
}

/// What is taken of one dimension.
struct Cut {
    begin: usize,
    size: usize,
    stride: usize,
}

fn cuts(call: &Call<'_>) -> Result<Vec<Cut>, Diagnostic> {
    let x = call.arg(0);
    let rank = x.shape.rank();
    let list = |name| {
        let list = call.ints(name);
        if list.len() == rank || (name == "stride" && list.is_empty()) {
            return Ok(list);
        }
        Err(call
            .attr_error(Kind::Attribute, name, format!("`{name}` has {} numbers", list.len()))
            .got(format!("{list:?} for {x}"))
            .wanted(format!("{rank} numbers, one a dimension")))
    };
    let (begin, size, stride) = (list("begin")?, list("size")?, list("stride")?);
    let mut cuts = Vec::new();
    for (axis, &length) in x.shape.iter().enumerate() {
        let outside = |name: &str, problem: String| call.attr_error(Kind::Attribute, name, problem).got(x.to_string());
        let number = |list: &[i64]| list.get(axis).map_or(1, |v| usize::try_from(*v).unwrap_or(usize::MAX));
        let (begin, stride) = (number(begin), number(stride));
        if begin >= length {
            return Err(outside("begin", format!("{begin} is outside dimension {axis}, which has {length}")));
        }
        let fits = (length - begin).div_ceil(stride);
        let size = if size[axis] < 0 { fits } else { number(size) };
        if size > fits {
            let problem = format!("{size} elements from {begin} on leave dimension {axis}, which has {length}");
            return Err(outside("size", problem).wanted(format!("at most {fits}, or -1")));
        }
        cuts.push(Cut { begin, size, stride });
    }
    Ok(cuts)
}
