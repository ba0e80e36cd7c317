//! What `space_to_batch` and `batch_to_space` have in common: images whose pixels lie blocks apart, in a batch.

use super::strides::signed;
use super::{AttrSpec, AttrValue, Call, Form, copy};
use crate::diagnostic::{Diagnostic, Kind};
use std::borrow::Cow;

/// The attribute `block`.
pub(super) const BLOCK: AttrSpec = AttrSpec {
    name: "block",
    form: Form::Ints(1, 1 << 16),
    default: None,
    doc: "the size of a block in each dimension behind the batch",
};

/// The default of `paddings` and `crops`: none.
pub(super) const NONE: AttrValue = AttrValue::Ints(Cow::Borrowed(&[]));

/// A dimension of space.
#[derive(Clone, Copy, Debug)]
pub(super) struct Space {
    /// Its size in a block.
    pub(super) block: usize,
    /// Elements before and after it that are added or taken away.
    pub(super) sides: [usize; 2],
}

/// The dimensions of space behind the batch, by the attributes `block` and `sides`.
///
/// # Errors
/// Lists that do not fit one another or argument 0.
pub(super) fn space(call: &Call<'_>, sides: &str) -> Result<Vec<Space>, Diagnostic> {
    let size = |&v: &i64| usize::try_from(v).unwrap_or(usize::MAX);
    let (x, block) = (call.arg(0), call.ints("block"));
    if x.shape.rank() <= block.len() || block.is_empty() {
        return Err(call
            .attr_error(Kind::Attribute, "block", format!("`block` has {} numbers", block.len()))
            .got(format!("{block:?} for {x}"))
            .wanted("one for each dimension of space, which lie behind the batch"));
    }
    let list: Vec<usize> = call.ints(sides).iter().map(size).collect();
    if !list.is_empty() && list.len() != 2 * block.len() {
        return Err(call
            .attr_error(Kind::Attribute, sides, format!("`{sides}` has {} numbers", list.len()))
            .got(format!("{list:?} for blocks of {block:?}"))
            .wanted(format!("{} numbers, before and after each dimension of space", 2 * block.len())));
    }
    let sides = list.as_chunks().0.iter().copied().chain(std::iter::repeat([0, 0]));
    Ok(block.iter().zip(sides).map(|(block, sides)| Space { block: size(block), sides }).collect())
}

/// The copies between images in space and the same pixels in the batch, one for each place in a block:
/// from places in the batch to space, to be turned around for the other way.
///
/// `near` is the shape in space without what is added or taken away, `far` that in the batch.
pub(super) fn copies(near: &[usize], far: &[usize], space: &[Space]) -> Vec<copy::Block> {
    let strides = |dims: &[usize]| copy::Block::gathered(dims.to_vec(), Vec::new()).to_strides;
    let (near_strides, far_strides) = (strides(near), strides(far));
    let places: usize = space.iter().map(|space| space.block).product();
    let whole = copy::Block {
        dims: near.to_vec(),
        from: 0,
        from_strides: far_strides.clone(),
        to: 0,
        to_strides: near_strides.clone(),
    };
    let at = |place: usize| {
        let mut copy = whole.clone();
        copy.from = place * near[0] * usize::try_from(far_strides[0]).unwrap_or(0);
        let mut rest = place;
        for (axis, space) in space.iter().enumerate().map(|(i, space)| (i + 1, space)).rev() {
            let offset = rest % space.block;
            rest /= space.block;
            // The pixels `i * block + offset - before` of the near image, for those `i` where it has one.
            let first = space.sides[0].saturating_sub(offset).div_ceil(space.block);
            let end = (near[axis] + space.sides[0]).saturating_sub(offset).div_ceil(space.block).min(far[axis]);
            copy.dims[axis] = end.saturating_sub(first);
            copy.from += first * usize::try_from(far_strides[axis]).unwrap_or(0);
            let pixel = (first * space.block + offset).saturating_sub(space.sides[0]);
            copy.to += pixel * usize::try_from(near_strides[axis]).unwrap_or(0);
            copy.to_strides[axis] = near_strides[axis] * signed(space.block);
        }
        (!copy.dims.contains(&0)).then_some(copy)
    };
    (0..places).filter_map(at).collect()
}
