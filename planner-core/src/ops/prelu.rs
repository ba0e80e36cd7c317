//! `prelu`: x, or a multiple of it where negative, each channel with its own factor.

use super::broadcast::{self, pairs, pairwise};
use super::kernel::by_type;
use super::{ArgSpec, Call, Lower, Lowered, Operator, Results, Role, Signature};
use crate::diagnostic::{Diagnostic, Kind};
use crate::dtype::DType;
use crate::emit::{Struct, Value};
use crate::fixed_point::Multiplier;
use crate::model::TensorType;
use crate::quant::Quant;

/// See [`SIGNATURE`].
pub(super) struct Prelu;

static SIGNATURE: Signature = Signature {
    name: "prelu",
    doc: "`x` where not negative, else `alpha * x`.",
    args: &[
        ArgSpec { name: "x", role: Role::Any, doc: "f32, i8, u8 or i16" },
        ArgSpec {
            name: "alpha",
            role: Role::Any,
            doc: "of the same element type, of a shape that broadcasts to that of `x`",
        },
    ],
    attrs: &[],
    results: Results::One,
};

impl Operator for Prelu {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        call.want_dtype(0, &DType::REAL)?;
        let result = broadcast::declared_symmetric(call)?;
        if result[0].shape != call.arg(0).shape {
            return Err(call.arg_error(Kind::Broadcast, 1, "`alpha` is larger than `x`").got(format!(
                "{} for {}",
                call.arg(1),
                call.arg(0)
            )));
        }
        Ok(result)
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let dtype = lower.arg(0).dtype;
        let kernel = by_type(dtype, ["prelu_f32", "prelu_i8", "prelu_u8", "prelu_i16"]);
        let Some(quant) = &lower.result(0).quant else {
            return Ok(pairwise(lower, kernel, pairs(lower)));
        };
        let (x, alpha) = (lower.quant(0)?, lower.quant(1)?);
        let [from, slope, to] = [x, alpha, quant].map(|quant| f64::from(quant.scale(0)));
        let multipliers = [from / to, from * slope / to].map(Multiplier::new);
        // A product of two of 8 bits has 16 and a sign, an element eight; of 16 bits twice as many.
        let [most, most_of_product] = if dtype == DType::I16 { [14, 0] } else { [22, 14] };
        if multipliers[0].shift > most || multipliers[1].shift > most_of_product {
            return Err(broadcast::out_of_range(lower, quant));
        }
        let fields = vec![
            ("pairs", Value::Struct(pairs(lower))),
            ("arg_zero_points", Value::ints([x, alpha].map(Quant::zero_point))),
            ("multipliers", Value::ints(multipliers.map(|multiplier| multiplier.value))),
            ("shifts", Value::ints(multipliers.map(|multiplier| multiplier.shift))),
            ("zero_point", Value::Int(quant.zero_point().into())),
        ];
        Ok(pairwise(lower, kernel, Struct { name: "PreluInt", fields }))
    }
}
