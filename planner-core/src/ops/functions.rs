//! Functions of one element without attributes: f32 by a kernel each, integers that stand for reals by tables.

use super::{ArgSpec, Call, Lower, Lowered, Operator, Results, Role, Signature, lut, rescale, unary};
use crate::diagnostic::Diagnostic;
use crate::dtype::DType;
use crate::fixed_point::Multiplier;
use crate::model::TensorType;
use crate::quant::Quant;

/// A function of one element.
pub(super) struct Function {
    signature: &'static Signature,
    /// Of f32.
    kernel: &'static str,
    how: How,
    scale: Scale,
}

/// How integers are computed.
enum How {
    /// From the real function: i8, u8 and i16.
    Real(fn(f32) -> f32),
    /// As TensorFlow Lite computes with integers: i8, u8 and i16.
    Exact(fn(&mut Lower<'_>, &Quant, &Quant) -> Lowered),
    /// The same of i8 and u8 alone, under scales that it may refuse.
    Bytes(fn(&mut Lower<'_>, &Quant, &Quant) -> Result<Lowered, Diagnostic>),
    /// What is negative and what is not times -1 or 1: i8, u8, i16 and, by a kernel, i32.
    Signs([i32; 2], &'static str),
}

impl How {
    /// The types that it takes.
    const fn dtypes(&self) -> &'static [DType] {
        match self {
            Self::Real(_) | Self::Exact(_) => &DType::REAL,
            Self::Bytes(_) => unary::BYTES,
            Self::Signs(..) => &DType::NUMBERS,
        }
    }

    /// The argument of those types.
    const fn args(&self) -> &'static [ArgSpec] {
        const NUMBERS: &[ArgSpec] = &[ArgSpec { name: "x", role: Role::Any, doc: "f32, i8, u8, i16 or i32" }];
        match self {
            Self::Real(_) | Self::Exact(_) => unary::ARGS,
            Self::Bytes(_) => unary::BYTE_ARGS,
            Self::Signs(..) => NUMBERS,
        }
    }
}

/// The quantisation of an integer result.
enum Scale {
    /// As declared, else the argument's.
    Kept,
    /// As declared.
    Declared,
}

/// Declares the functions.
macro_rules! functions {
    ($($operator:ident = $name:literal, $doc:literal, $kernel:literal, $scale:ident, $how:expr;)+) => {$(
        #[doc = $doc]
        pub(super) static $operator: Function = {
            const HOW: How = $how;
            Function {
                signature: &Signature {
                    name: $name,
                    doc: $doc,
                    args: HOW.args(),
                    attrs: &[],
                    results: Results::One,
                },
                kernel: $kernel,
                how: HOW,
                scale: Scale::$scale,
            }
        };
    )+};
}

functions! {
    ABS = "abs", "`x` without its sign.", "abs_f32", Kept, How::Signs([-1, 1], "abs_i32");
    CEIL = "ceil", "The smallest integer that is not less.", "ceil_f32", Kept, How::Real(f32::ceil);
    COS = "cos", "`cos(x)`.", "cos_f32", Declared, How::Real(|x| rounded(x, f64::cos));
    ELU = "elu", "`x` where not negative, else `exp(x) - 1`.", "elu_f32", Kept,
        How::Real(|x| if x < 0.0 { rounded(x, f64::exp) - 1.0 } else { x });
    EXP = "exp", "`exp(x)`.", "exp_f32", Declared, How::Real(|x| rounded(x, f64::exp));
    FLOOR = "floor", "The largest integer that is not more.", "floor_f32", Kept, How::Real(f32::floor);
    HARD_SWISH = "hard_swish", "`x * min(max(x + 3, 0), 6) / 6`.", "hard_swish_f32", Kept,
        How::Bytes(lut::hard_swish);
    LOG = "log", "The natural logarithm.", "log_f32", Declared, How::Exact(lut::log);
    NEG = "neg", "`-x`.", "neg_f32", Kept, How::Signs([-1, -1], "neg_i32");
    ROUND = "round", "The nearest integer, halves to the even one.", "round_f32", Kept,
        How::Real(f32::round_ties_even);
    RSQRT = "rsqrt", "`1 / sqrt(x)`; in integers the largest number where `x` is not positive.", "rsqrt_f32", Declared,
        How::Exact(lut::rsqrt);
    SIN = "sin", "`sin(x)`.", "sin_f32", Declared, How::Real(|x| rounded(x, f64::sin));
    SQRT = "sqrt", "`sqrt(x)`.", "sqrt_f32", Declared, How::Exact(lut::sqrt);
    SQUARE = "square", "`x * x`.", "square_f32", Declared, How::Real(|x| x * x);
}

/// `f(x)`, rounded once: the same on every machine.
#[allow(clippy::cast_possible_truncation, reason = "the rounding")]
pub(super) fn rounded(x: f32, f: fn(f64) -> f64) -> f32 {
    f(x.into()) as f32
}

impl Operator for Function {
    fn signature(&self) -> &'static Signature {
        self.signature
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        let dtype = call.want_dtype(0, self.how.dtypes())?;
        if dtype == DType::I32 {
            return Ok(vec![TensorType::plain(dtype, call.arg(0).shape.clone())]);
        }
        if matches!(self.scale, Scale::Declared) && dtype != DType::F32 {
            call.symmetric_quant(0)?;
            let quant = Some(call.declared_symmetric_quant(0, dtype)?);
            return Ok(vec![TensorType { quant, ..call.arg(0).clone() }]);
        }
        unary::free_symmetric(call)
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let Some((from, to)) = lower.arg(0).quant.clone().zip(lower.result(0).quant.clone()) else {
            let kernel = match self.how {
                How::Signs(_, kernel) if lower.arg(0).dtype == DType::I32 => kernel,
                _ => self.kernel,
            };
            return Ok(unary::elementwise(lower, kernel, unary::pure()));
        };
        match self.how {
            How::Real(f) => Ok(lut::real(lower, &from, &to, f)),
            How::Exact(f) => Ok(f(lower, &from, &to)),
            How::Bytes(f) => f(lower, &from, &to),
            How::Signs(signs, _) => {
                let factor = rescale::factor(&from, &to);
                let factors = signs.map(|sign| Multiplier { value: sign * factor.value, ..factor });
                let bounds = rescale::whole(lower.arg(0).dtype);
                Ok(rescale::by(lower, factors, bounds))
            }
        }
    }
}
