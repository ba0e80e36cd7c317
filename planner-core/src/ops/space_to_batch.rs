//! `space_to_batch`: pixels that lie blocks apart as images of their own.

use super::blocks::{self, BLOCK, NONE, space};
use super::strides::signed;
use super::{ArgSpec, AttrSpec, Call, Form, Lower, Lowered, Operator, Results, Role, Signature, copy, pad};
use crate::diagnostic::{Diagnostic, Kind};
use crate::emit::Operand;
use crate::model::TensorType;
use crate::quant::Quant;

/// See [`SIGNATURE`].
pub(super) struct SpaceToBatch;

static SIGNATURE: Signature = Signature {
    name: "space_to_batch",
    doc: "Pixels that lie blocks apart as images of their own: for each place in a block those of all pictures.",
    args: &[ArgSpec { name: "x", role: Role::Any, doc: "`[batch, space.., rest..]`, any type" }],
    attrs: &[
        BLOCK,
        AttrSpec {
            name: "paddings",
            form: Form::Ints(0, 1 << 20),
            default: Some(NONE),
            doc: "zeros before and after each dimension of space in turn",
        },
    ],
    results: Results::One,
};

impl Operator for SpaceToBatch {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        let mut dims = call.arg(0).shape.to_vec();
        for (axis, space) in space(call, "paddings")?.into_iter().enumerate().map(|(i, space)| (i + 1, space)) {
            let padded = space.sides[0] + dims[axis] + space.sides[1];
            if !padded.is_multiple_of(space.block) {
                let message = format!("blocks of {} do not fill dimension {axis}", space.block);
                return Err(call
                    .attr_error(Kind::Shape, "block", message)
                    .got(format!("{padded} with its padding, of {}", call.arg(0))));
            }
            dims[0] = dims[0].saturating_mul(space.block);
            dims[axis] = padded / space.block;
        }
        Ok(vec![copy::reshaped(call, 0, call.shape(dims)?)?])
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let (x, y, space) = (lower.arg(0), &lower.result(0).shape, space(lower, "paddings")?);
        if space.iter().all(|space| space.sides == [0, 0]) {
            return Lowered::moving().cut(lower, 0, &unpadded(&x.shape, y, &space)).few(lower);
        }
        let mut blocks = blocks::copies(&x.shape, y, &space);
        for block in &mut blocks {
            std::mem::swap(&mut block.from, &mut block.to);
            std::mem::swap(&mut block.from_strides, &mut block.to_strides);
        }
        let mut lowered = Lowered::moving();
        lowered.calls.push(pad::filled(lower, x.quant.as_ref().map_or(0, Quant::zero_point)));
        lowered.copies(x.dtype, [Operand::Read(0), Operand::Write(0)], &blocks).few(lower)
    }
}

/// All places of a block in one copy: dimensions `[block.., batch, space.., rest..]`.
fn unpadded(x: &[usize], y: &[usize], space: &[blocks::Space]) -> copy::Block {
    let strides = copy::Block::gathered(x.to_vec(), Vec::new()).to_strides;
    let dims = space.iter().map(|space| space.block).chain([x[0]]).chain(y[1..].iter().copied());
    let apart = |axis: usize| strides[axis] * space.get(axis - 1).map_or(1, |space| signed(space.block));
    let from = strides[1..=space.len()].iter().copied().chain([strides[0]]).chain((1..x.len()).map(apart));
    copy::Block::gathered(dims.collect(), from.collect())
}
