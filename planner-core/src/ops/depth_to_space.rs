//! `depth_to_space`: channels spread over blocks of pixels.

use super::space_to_depth::BLOCK;
use super::strides::signed;
use super::{ArgSpec, Call, Lower, Lowered, Operator, Results, Role, Signature, copy};
use crate::diagnostic::{Diagnostic, Kind};
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct DepthToSpace;

static SIGNATURE: Signature = Signature {
    name: "depth_to_space",
    doc: "The channels of a pixel spread over a block of pixels, row by row: the opposite of `space_to_depth`.",
    args: &[ArgSpec { name: "x", role: Role::Any, doc: "`[batch, height, width, channel]`, any type" }],
    attrs: &[BLOCK],
    results: Results::One,
};

impl Operator for DepthToSpace {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        call.want_rank(0, &[4])?;
        let (x, size) = (&call.arg(0).shape, call.size("block"));
        if !x[3].is_multiple_of(size * size) {
            return Err(call
                .attr_error(Kind::Shape, "block", format!("{} channels do not fill {size} by {size} pixels", x[3]))
                .got(call.arg(0).to_string()));
        }
        let dims = [x[0], x[1] * size, x[2] * size, x[3] / (size * size)];
        Ok(vec![copy::reshaped(call, 0, call.shape(dims)?)?])
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let (x, y, size) = (&lower.arg(0).shape, &lower.result(0).shape, lower.size("block"));
        let dims = vec![x[0], x[1], size, x[2], size, y[3]];
        let strides = [x[1] * x[2] * x[3], x[2] * x[3], size * y[3], x[3], y[3], 1].map(signed);
        Ok(Lowered::moving().cut(lower, 0, &copy::Block::gathered(dims, strides.to_vec())))
    }
}
