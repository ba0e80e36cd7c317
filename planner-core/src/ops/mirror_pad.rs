//! `mirror_pad`: a tensor with its own mirror image around it.

use super::pad::{PADDINGS, sides};
use super::strides::signed;
use super::{ArgSpec, AttrSpec, AttrValue, Call, Form, Lower, Lowered, Operator, Results, Role, Signature, copy, pad};
use crate::diagnostic::{Diagnostic, Kind};
use crate::emit::Operand;
use crate::model::TensorType;
use std::borrow::Cow;

/// See [`SIGNATURE`].
pub(super) struct MirrorPad;

static SIGNATURE: Signature = Signature {
    name: "mirror_pad",
    doc: "A tensor with its own mirror image around it.",
    args: &[ArgSpec { name: "x", role: Role::Any, doc: "any tensor" }],
    attrs: &[
        PADDINGS,
        AttrSpec {
            name: "mode",
            form: Form::Choice(&["reflect", "symmetric"]),
            default: Some(AttrValue::Name(Cow::Borrowed("reflect"))),
            doc: "`reflect`: the mirror stands on the outermost elements, which are not repeated; \
                  `symmetric`: behind them, so that they are",
        },
    ],
    results: Results::One,
};

impl Operator for MirrorPad {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        let shape = pad::padded(call)?;
        let x = call.arg(0);
        for (axis, (sides, &size)) in sides(call).into_iter().zip(x.shape.iter()).enumerate() {
            let most = size - edge(call);
            if let Some(side) = sides.into_iter().find(|side| *side > most) {
                let message = format!("{side} elements are more than a mirror of dimension {axis} has");
                return Err(call
                    .attr_error(Kind::Attribute, "paddings", message)
                    .got(x.to_string())
                    .wanted(format!("at most {most}")));
            }
        }
        Ok(vec![copy::reshaped(call, 0, shape)?])
    }

    /// The tensor, then the mirrors of one dimension after the other, each of all that is there already.
    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let (x, y) = (lower.arg(0).clone(), &lower.result(0).shape);
        let (sides, strides) = (sides(lower), y.strides());
        let mut inside = copy::Block::whole(&x.shape);
        inside.to_strides = copy::strides(y);
        inside.to = sides.iter().zip(&strides).map(|([before, _], stride)| before * stride).sum();
        let mut there = copy::Block { from_strides: inside.to_strides.clone(), from: inside.to, ..inside.clone() };
        let mut mirrors = Vec::new();
        for (axis, &[before, after]) in sides.iter().enumerate() {
            let (stride, size, edge) = (strides[axis], x.shape[axis], edge(lower));
            let mut mirror = |first: usize, to: usize, count: usize| {
                if count > 0 {
                    let mut mirror = there.clone();
                    mirror.dims[axis] = count;
                    mirror.from_strides[axis] = -signed(stride);
                    mirror.from = there.from + first * stride;
                    mirror.to = there.to - before * stride + to * stride;
                    mirrors.push(mirror);
                }
            };
            mirror((before + edge).saturating_sub(1), 0, before);
            mirror((size - 1).saturating_sub(edge), before + size, after);
            there.dims[axis] = y[axis];
            there.from -= before * stride;
            there.to -= before * stride;
        }
        let lowered = Lowered::moving().copies(x.dtype, [Operand::Read(0), Operand::Write(0)], &[inside]);
        Ok(lowered.copies(x.dtype, [Operand::Write(0), Operand::Write(0)], &mirrors))
    }
}

/// Elements at the edge that are not repeated.
fn edge(call: &Call<'_>) -> usize {
    usize::from(call.name("mode") == Some("reflect"))
}
