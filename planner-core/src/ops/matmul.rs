//! `matmul`: products of matrices that are both computed at run time.

use super::lead::Lead;
use super::strides::{merged, outer, signed};
use super::weights::requantize;
use super::{ArgSpec, AttrSpec, AttrValue, Call, Form, Lower, Lowered, Operator, Results, Role, Signature, rescale};
use crate::diagnostic::{Diagnostic, Kind};
use crate::dtype::DType;
use crate::emit::{Struct, Value};
use crate::model::TensorType;
use crate::shape::Shape;

/// See [`SIGNATURE`].
pub(super) struct Matmul;

static SIGNATURE: Signature = Signature {
    name: "matmul",
    doc: "Multiplies the last two dimensions as matrices; those before broadcast.",
    args: &[
        ArgSpec { name: "a", role: Role::Any, doc: "f32, i8 or i16 `[.., m, k]`" },
        ArgSpec { name: "b", role: Role::Any, doc: "of the same type, `[.., k, n]`" },
    ],
    attrs: &[
        AttrSpec {
            name: "transpose_a",
            form: Form::Bool,
            default: Some(AttrValue::Bool(false)),
            doc: "`a` is `[.., k, m]`",
        },
        AttrSpec {
            name: "transpose_b",
            form: Form::Bool,
            default: Some(AttrValue::Bool(false)),
            doc: "`b` is `[.., n, k]`",
        },
    ],
    results: Results::One,
};

impl Operator for Matmul {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        let dtype = call.want_dtype(0, &[DType::F32, DType::I8, DType::I16])?;
        call.want_dtype(1, &[dtype])?;
        for arg in 0..2 {
            call.want_rank(arg, &[2, 3, 4, 5, 6])?;
        }
        let (a, b) = (Matrix::new(call, 0), Matrix::new(call, 1));
        if a.columns != b.rows {
            return Err(call
                .arg_error(Kind::Shape, 1, format!("`a` has {} columns and `b` has {} rows", a.columns, b.rows))
                .got(format!("{} and {}", call.arg(0), call.arg(1))));
        }
        let Some(batch) = a.batch.broadcast(&b.batch) else {
            return Err(call
                .arg_error(Kind::Broadcast, 1, "the dimensions before the matrices do not broadcast")
                .got(format!("{} and {}", call.arg(0), call.arg(1))));
        };
        let quant = if dtype == DType::F32 {
            None
        } else {
            call.symmetric_quant(0)?;
            call.symmetric_quant(1)?;
            Some(call.declared_symmetric_quant(0, dtype)?)
        };
        let dims = [&*batch, &[a.rows, b.columns]].concat();
        Ok(vec![TensorType { dtype, shape: call.shape(dims)?, quant }])
    }

    fn macs(&self, call: &Call<'_>) -> u64 {
        (call.result(0).shape.elements() * Matrix::new(call, 0).columns) as u64
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let result = lower.result(0).clone();
        let (a, b) = (Matrix::new(lower, 0), Matrix::new(lower, 1));
        let batch = &result.shape[..result.shape.rank() - 2];
        let axes = merged(batch, [&a.batch_strides(batch.len()), &b.batch_strides(batch.len())]);
        let fields = vec![
            ("m", Value::size(a.rows)),
            ("k", Value::size(a.columns)),
            ("n", Value::size(b.columns)),
            ("a_strides", Value::ints(a.strides)),
            ("b_strides", Value::ints(b.strides)),
            ("batch", outer(&axes)),
        ];
        let shape = Struct { name: "Matmul", fields };
        let units = result.shape.elements() / b.columns;
        // Each element of the result reads its row and its column anew.
        let lead = |arg: usize, matrix: &Matrix, of: [usize; 2], along: usize| {
            let strides = matrix.batch_strides(batch.len()).into_iter().chain(of);
            let lead = Lead::new(lower, arg).over(&result.shape, &strides.map(signed).collect::<Vec<_>>());
            lead.reaching((a.columns - 1) * along)
        };
        let leads = [lead(0, &a, [a.strides[0], 0], a.strides[1]), lead(1, &b, [0, b.strides[1]], b.strides[0])];
        let call = |lower: &Lower<'_>, kernel, params| {
            let call = Lowered::one(kernel, params, vec![0, 1], units);
            call.lead(lower, 0, leads[0]).lead(lower, 1, leads[1])
        };
        let Some(quant) = &result.quant else {
            return Ok(call(lower, "matmul_f32", shape));
        };
        let (from_a, from_b) = (lower.quant(0)?, lower.quant(1)?);
        // The product of the scales is taken in f32, as TensorFlow Lite does.
        let factor = f64::from(from_a.scale(0) * from_b.scale(0)) / f64::from(quant.scale(0));
        let fields = vec![
            ("shape", Value::Struct(shape)),
            ("zero_points", Value::ints([from_a.zero_point(), from_b.zero_point()])),
            ("result", requantize(lower, &[factor], quant, rescale::whole(result.dtype))?),
        ];
        let kernel = if result.dtype == DType::I16 { "matmul_i16" } else { "matmul_i8" };
        Ok(call(lower, kernel, Struct { name: "MatmulInt", fields }))
    }
}

/// The matrices of an argument.
struct Matrix {
    batch: Shape,
    rows: usize,
    columns: usize,
    /// Elements from row to row and from column to column.
    strides: [usize; 2],
}

impl Matrix {
    /// The matrices of argument `index`, which has two dimensions at least.
    fn new(call: &Call<'_>, index: usize) -> Self {
        let dims = &call.arg(index).shape;
        let (batch, last) = dims.split_at(dims.rank() - 2);
        let transposed = call.bool(["transpose_a", "transpose_b"][index]);
        let (rows, columns, strides) = match transposed {
            false => (last[0], last[1], [last[1], 1]),
            true => (last[1], last[0], [1, last[1]]),
        };
        Self { batch: Shape::new(batch).unwrap_or(Shape::scalar()), rows, columns, strides }
    }

    /// Elements between neighbours of each of `rank` dimensions of the batch; 0 where it broadcasts.
    fn batch_strides(&self, rank: usize) -> Vec<usize> {
        let matrix = self.rows * self.columns;
        let own = self.batch.iter().zip(self.batch.strides());
        let own = own.map(|(&size, stride)| if size == 1 { 0 } else { stride * matrix });
        std::iter::repeat_n(0, rank - self.batch.rank()).chain(own).collect()
    }
}
