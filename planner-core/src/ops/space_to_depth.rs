//! `space_to_depth`: blocks of pixels as channels.

use super::strides::signed;
use super::{ArgSpec, AttrSpec, Call, Form, Lower, Lowered, Operator, Results, Role, Signature, copy};
use crate::diagnostic::{Diagnostic, Kind};
use crate::model::TensorType;

/// The attribute `block`.
pub(super) const BLOCK: AttrSpec =
    AttrSpec { name: "block", form: Form::Int(1, 1 << 10), default: None, doc: "rows, and columns, of a block" };

/// See [`SIGNATURE`].
pub(super) struct SpaceToDepth;

static SIGNATURE: Signature = Signature {
    name: "space_to_depth",
    doc: "Blocks of pixels as channels of one pixel, row by row.",
    args: &[ArgSpec { name: "x", role: Role::Any, doc: "`[batch, height, width, channel]`, any type" }],
    attrs: &[BLOCK],
    results: Results::One,
};

impl Operator for SpaceToDepth {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        call.want_rank(0, &[4])?;
        let (x, size) = (&call.arg(0).shape, call.size("block"));
        if !x[1].is_multiple_of(size) || !x[2].is_multiple_of(size) {
            return Err(call
                .attr_error(Kind::Shape, "block", format!("blocks of {size} by {size} pixels do not fill the image"))
                .got(call.arg(0).to_string()));
        }
        let dims = [x[0], x[1] / size, x[2] / size, x[3] * size * size];
        Ok(vec![copy::reshaped(call, 0, call.shape(dims)?)?])
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let (x, y, size) = (&lower.arg(0).shape, &lower.result(0).shape, lower.size("block"));
        let [picture, row, pixel] = [x[1] * x[2] * x[3], x[2] * x[3], x[3]];
        let dims = vec![y[0], y[1], y[2], size, size, x[3]];
        let strides = [picture, size * row, size * pixel, row, pixel, 1].map(signed);
        Ok(Lowered::moving().cut(lower, 0, &copy::Block::gathered(dims, strides.to_vec())))
    }
}
