//! `batch_to_space`: images of a batch woven into larger ones.

use super::blocks::{self, BLOCK, NONE, space};
use super::strides::signed;
use super::{ArgSpec, AttrSpec, Call, Form, Lower, Lowered, Operator, Results, Role, Signature, copy};
use crate::diagnostic::{Diagnostic, Kind};
use crate::emit::Operand;
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct BatchToSpace;

static SIGNATURE: Signature = Signature {
    name: "batch_to_space",
    doc: "Images of a batch woven into larger ones, their pixels blocks apart: the opposite of `space_to_batch`.",
    args: &[ArgSpec { name: "x", role: Role::Any, doc: "`[batch, space.., rest..]`, any type" }],
    attrs: &[
        BLOCK,
        AttrSpec {
            name: "crops",
            form: Form::Ints(0, 1 << 20),
            default: Some(NONE),
            doc: "elements that are cut off before and after each dimension of space in turn",
        },
    ],
    results: Results::One,
};

impl Operator for BatchToSpace {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        let x = call.arg(0);
        let mut dims = x.shape.to_vec();
        for (axis, space) in space(call, "crops")?.into_iter().enumerate().map(|(i, space)| (i + 1, space)) {
            if !dims[0].is_multiple_of(space.block) {
                let message = format!("a batch of {} is no number of blocks", x.shape[0]);
                return Err(call.attr_error(Kind::Shape, "block", message).got(x.to_string()));
            }
            dims[0] /= space.block;
            let size = dims[axis].saturating_mul(space.block);
            dims[axis] = size.saturating_sub(space.sides[0].saturating_add(space.sides[1]));
            if dims[axis] == 0 {
                let message = format!("`crops` leaves nothing of dimension {axis}, which would have {size}");
                return Err(call.attr_error(Kind::Attribute, "crops", message).got(x.to_string()));
            }
        }
        Ok(vec![copy::reshaped(call, 0, call.shape(dims)?)?])
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let (x, y, space) = (lower.arg(0), &lower.result(0).shape, space(lower, "crops")?);
        if space.iter().all(|space| space.sides == [0, 0]) {
            return Lowered::moving().cut(lower, 0, &uncropped(&x.shape, &space)).few(lower);
        }
        let blocks = blocks::copies(y, &x.shape, &space);
        Lowered::moving().copies(x.dtype, [Operand::Read(0), Operand::Write(0)], &blocks).few(lower)
    }
}

/// All places of a block in one copy: dimensions `[batch, space, block, space, block, .., rest..]`.
fn uncropped(x: &[usize], space: &[blocks::Space]) -> copy::Block {
    let strides = copy::Block::gathered(x.to_vec(), Vec::new()).to_strides;
    let mut images = x[0] / space.iter().map(|space| space.block).product::<usize>();
    let mut dims = vec![images];
    let mut from = vec![strides[0]];
    // Places in a block count from the last dimension of space.
    let mut places = Vec::new();
    for space in space.iter().rev() {
        places.push(strides[0] * signed(images));
        images *= space.block;
    }
    for (axis, &size) in x.iter().enumerate().skip(1) {
        dims.push(size);
        from.push(strides[axis]);
        if let Some(space) = space.get(axis - 1) {
            dims.push(space.block);
            from.extend(places.pop());
        }
    }
    copy::Block::gathered(dims, from)
}
