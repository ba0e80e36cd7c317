//! `gather_nd`: parts of a tensor by indices of several numbers.

use super::gather::{INDICES, want_indices};
use super::kernel::by_size;
use super::{ArgSpec, Call, Lower, Lowered, Operator, Results, Role, Signature, copy};
use crate::diagnostic::{Diagnostic, Kind};
use crate::emit::{Struct, Value};
use crate::model::TensorType;
use crate::quant::Quant;
use crate::shape::MAX_RANK;

/// See [`SIGNATURE`].
pub(super) struct GatherNd;

static SIGNATURE: Signature = Signature {
    name: "gather_nd",
    doc: "Parts of a tensor by indices of several numbers, one for each of its outer dimensions. \
          An index outside gives a part of zeros.",
    args: &[
        ArgSpec { name: "x", role: Role::Any, doc: "any tensor, most often a param" },
        ArgSpec { name: "indices", role: Role::Any, doc: "i32 `[.., numbers of an index]`" },
    ],
    attrs: &[],
    results: Results::One,
};

impl Operator for GatherNd {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        want_indices(call)?;
        let (x, indices) = (&call.arg(0).shape, &call.arg(INDICES).shape);
        let Some((&depth, outer)) = indices.split_last().filter(|(depth, _)| **depth <= x.rank()) else {
            return Err(call
                .arg_error(Kind::Shape, INDICES, "`indices` count more dimensions than `x` has, or none")
                .got(format!("{} for {}", call.arg(INDICES), call.arg(0))));
        };
        Ok(vec![copy::reshaped(call, 0, call.shape([outer, &x[depth..]].concat())?)?])
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let (x, indices) = (lower.arg(0), &lower.arg(INDICES).shape);
        let depth = indices.last().copied().unwrap_or(1);
        let mut sizes = x.shape[..depth].to_vec();
        sizes.resize(MAX_RANK, 1);
        let fields = vec![
            ("depth", Value::size(depth)),
            ("sizes", Value::ints(sizes)),
            ("width", Value::size(x.shape[depth..].iter().product())),
            ("missing", Value::Int(x.quant.as_ref().map_or(0, Quant::zero_point).into())),
        ];
        let kernel = by_size(x.dtype, ["gather_nd_1", "gather_nd_2", "gather_nd_4"]);
        let params = Struct { name: "GatherNd", fields };
        Ok(Lowered::one(kernel, params, vec![0, INDICES], indices.elements() / depth))
    }
}
