//! `embedding`: rows of a table by their indices.

use super::kernel::by_size;
use super::{ArgSpec, Call, Lower, Lowered, Operator, Results, Role, Signature, copy, gather};
use crate::diagnostic::{Diagnostic, Kind};
use crate::dtype::DType;
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct Embedding;

static SIGNATURE: Signature = Signature {
    name: "embedding",
    doc: "Rows of a table by their indices. An index outside the table gives a row of zeros.",
    args: &[
        ArgSpec { name: "ids", role: Role::Any, doc: "i32 of any shape" },
        ArgSpec { name: "table", role: Role::Any, doc: "`[rows, width]`, any type, most often a param" },
    ],
    attrs: &[],
    results: Results::One,
};

impl Operator for Embedding {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        call.want_dtype(0, &[DType::I32])?;
        call.want_rank(1, &[2])?;
        let table = call.arg(1);
        if call.arg(0).quant.is_some() {
            let error = call.arg_error(Kind::Quantization, 0, "`ids` are quantised");
            return Err(error.got(call.arg(0).to_string()).wanted("plain indices, `i32[..]`"));
        }
        let mut dims = call.arg(0).shape.to_vec();
        dims.push(table.shape[1]);
        Ok(vec![TensorType { dtype: table.dtype, shape: call.shape(dims)?, quant: copy::inherited(call, 0, 1)? }])
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let table = lower.arg(1);
        let kernel = by_size(table.dtype, ["gather_1", "gather_2", "gather_4"]);
        let ids = lower.arg(0).shape.elements();
        Ok(Lowered::one(kernel, gather::parameters(table, [ids, 1], 0), vec![1, 0], ids))
    }
}
