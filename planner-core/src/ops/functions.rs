//! Functions of one element without attributes: f32 by a kernel each, i8 by a table.

use super::{Call, Lower, Lowered, Operator, Results, Signature, lut, unary};
use crate::diagnostic::Diagnostic;
use crate::dtype::DType;
use crate::emit::StaticId;
use crate::model::TensorType;
use crate::quant::Quant;

/// A function of one element.
pub(super) struct Function {
    signature: &'static Signature,
    /// Of f32.
    kernel: &'static str,
    /// Of i8.
    table: Table,
    scale: Scale,
}

/// How the table for i8 is computed.
enum Table {
    /// From the real function.
    Real(fn(f32) -> f32),
    /// As TensorFlow Lite Micro computes with integers.
    Exact(fn(&mut Lower<'_>, &Quant, &Quant) -> Result<StaticId, Diagnostic>),
}

/// The quantisation of an i8 result.
enum Scale {
    /// As declared, else the argument's.
    Kept,
    /// As declared.
    Declared,
}

/// Declares the functions.
macro_rules! functions {
    ($($operator:ident = $name:literal, $doc:literal, $kernel:literal, $scale:ident, $table:expr;)+) => {$(
        #[doc = $doc]
        pub(super) static $operator: Function = Function {
            signature: &Signature { name: $name, doc: $doc, args: unary::NARROW_ARGS, attrs: &[], results: Results::One },
            kernel: $kernel,
            table: $table,
            scale: Scale::$scale,
        };
    )+};
}

functions! {
    ABS = "abs", "`x` without its sign.", "abs_f32", Kept, Table::Exact(lut::abs);
    CEIL = "ceil", "The smallest integer that is not less.", "ceil_f32", Kept, Table::Real(f32::ceil);
    COS = "cos", "`cos(x)`.", "cos_f32", Declared, Table::Real(|x| rounded(x, f64::cos));
    ELU = "elu", "`x` where not negative, else `exp(x) - 1`.", "elu_f32", Kept,
        Table::Real(|x| if x < 0.0 { rounded(x, f64::exp) - 1.0 } else { x });
    EXP = "exp", "`exp(x)`.", "exp_f32", Declared, Table::Real(|x| rounded(x, f64::exp));
    FLOOR = "floor", "The largest integer that is not more.", "floor_f32", Kept, Table::Real(f32::floor);
    HARD_SWISH = "hard_swish", "`x * min(max(x + 3, 0), 6) / 6`.", "hard_swish_f32", Kept,
        Table::Exact(lut::hard_swish);
    LOG = "log", "The natural logarithm.", "log_f32", Declared, Table::Real(|x| rounded(x, f64::ln));
    NEG = "neg", "`-x`.", "neg_f32", Kept, Table::Real(|x| -x);
    ROUND = "round", "The nearest integer, halves to the even one.", "round_f32", Kept,
        Table::Real(f32::round_ties_even);
    RSQRT = "rsqrt", "`1 / sqrt(x)`; in i8 the largest number where `x` is not positive.", "rsqrt_f32", Declared,
        Table::Exact(lut::rsqrt);
    SIN = "sin", "`sin(x)`.", "sin_f32", Declared, Table::Real(|x| rounded(x, f64::sin));
    SQRT = "sqrt", "`sqrt(x)`.", "sqrt_f32", Declared, Table::Real(f32::sqrt);
    SQUARE = "square", "`x * x`.", "square_f32", Declared, Table::Real(|x| x * x);
}

/// `f(x)`, rounded once: the same on every machine.
#[allow(clippy::cast_possible_truncation, reason = "the rounding")]
fn rounded(x: f32, f: fn(f64) -> f64) -> f32 {
    f(x.into()) as f32
}

impl Operator for Function {
    fn signature(&self) -> &'static Signature {
        self.signature
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        let dtype = call.want_dtype(0, unary::NARROW)?;
        match self.scale {
            Scale::Declared if dtype == DType::I8 => {
                call.quant(0)?;
                let quant = Some(call.declared_quant(0)?);
                Ok(vec![TensorType { quant, ..call.arg(0).clone() }])
            }
            _ => unary::free(call),
        }
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let Some((from, to)) = lower.arg(0).quant.clone().zip(lower.result(0).quant.clone()) else {
            return Ok(unary::elementwise(lower, self.kernel, unary::pure()));
        };
        let table = match self.table {
            Table::Real(f) => lut::real(lower, &from, &to, f),
            Table::Exact(table) => table(lower, &from, &to)?,
        };
        Ok(lut::lookup(lower, table))
    }
}
