//! `softmax`: exponentials as shares of their sum.

use super::samples::sampled;
use super::{AttrSpec, AttrValue, Call, Form, Lower, Lowered, Operator, Results, Signature, lut, unary};
use crate::diagnostic::{Diagnostic, Kind};
use crate::dtype::DType;
use crate::emit::{Struct, Value};
use crate::fixed_math;
use crate::fixed_point::Multiplier;
use crate::model::TensorType;
use crate::quant::Quant;
use crate::steps::Sharing;

/// See [`SIGNATURE`].
pub(super) struct Softmax;

static SIGNATURE: Signature = Signature {
    name: "softmax",
    doc: "`exp(beta * x) / sum(exp(beta * x))` over the last dimension. \
          An i8 result has scale 1/256 and zero point -128, one of u8 1/256 and 0, one of i16 1/32768 and 0. \
          i8 may also give an i16 that is declared: of scale 1/65536 and zero point -32768.",
    args: unary::ARGS,
    attrs: &[AttrSpec {
        name: "beta",
        form: Form::Float,
        default: Some(AttrValue::Float(1.0)),
        doc: "factor of the exponents, positive",
    }],
    results: Results::One,
};

/// Most elements of 8 bits of a row: their sum of exponentials has 12 integer bits.
pub(super) const MAX_WIDTH_I8: usize = 4095;

impl Operator for Softmax {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        row(call, MAX_WIDTH_I8)?;
        let beta = call.float("beta");
        if beta <= 0.0 {
            return Err(call.attr_error(Kind::Attribute, "beta", "`beta` is not positive").got(beta.to_string()));
        }
        if widens(call) {
            call.quant(0)?;
            let quant = Quant::per_tensor(1.0 / 65536.0, -32768).expect("a quantisation");
            let quant = Some(call.nearly_fixed_quant(0, &quant)?);
            return Ok(vec![TensorType { dtype: DType::I16, quant, ..call.arg(0).clone() }]);
        }
        unary::fixed(call, [(1.0 / 256.0, -128), (1.0 / 256.0, 0), (1.0 / 32768.0, 0)])
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let x = lower.arg(0).clone();
        let width = x.shape.last().copied().unwrap_or(1);
        let beta = lower.float("beta");
        let width_field = ("width", Value::size(width));
        let (kernel, params) = match &x.quant {
            None => {
                let fields = vec![width_field, ("beta", Value::F32(beta))];
                ("softmax_f32", Struct { name: "Softmax", fields })
            }
            Some(quant) if x.dtype == DType::I16 => ("softmax_i16", softmax_i16(lower, width, quant, beta)),
            Some(quant) => {
                let name = format!("{}_exponentials", lower.result_name());
                let table = lower.static_i32(name, &exponentials(quant, beta), false);
                let fields = vec![width_field, ("exponentials", Value::Slice(table))];
                let kernel = match (x.dtype, lower.result(0).dtype) {
                    (DType::U8, _) => "softmax_u8",
                    (_, DType::I16) => "softmax_i8_i16",
                    _ => "softmax_i8",
                };
                (kernel, Struct { name: "SoftmaxI8", fields })
            }
        };
        let rows = x.shape.elements() / width;
        let lowered = Lowered::one(kernel, params, vec![0], rows);
        let in_place = x.dtype == lower.result(0).dtype;
        Ok(if in_place { lowered.sharing(Sharing::InPlace { arg: 0, result: 0 }) } else { lowered })
    }
}

/// An i8 row is to give an i16 one.
fn widens(call: &Call<'_>) -> bool {
    (call.arg(0).dtype, call.declared(0).dtype) == (DType::I8, Some(DType::I16))
}

/// From distances to five integer bits (`PreprocessSoftmaxScaling`).
pub(super) fn multiplier(quant: &Quant, beta: f32) -> Multiplier {
    let real = f64::from(beta) * f64::from(quant.scale(0)) * f64::from(1 << 26);
    Multiplier::new(real.min(f64::from(i32::MAX)))
}

/// The elements of a row of argument 0.
///
/// # Errors
/// No dimensions, or an i8 row of more than `most`.
pub(super) fn row(call: &Call<'_>, most: usize) -> Result<usize, Diagnostic> {
    let x = call.arg(0);
    let Some(&width) = x.shape.last() else {
        return Err(call.arg_error(Kind::Rank, 0, "`x` has no dimensions").got(x.to_string()));
    };
    if x.dtype.bytes() == 1 && width > most {
        let message = format!("a row of {} has {width} elements", x.dtype);
        let error = call.arg_error(Kind::Unsupported, 0, message).got(x.to_string());
        return Err(error.wanted(format!("at most {most}")).help("`dequantize` it first"));
    }
    Ok(width)
}

/// `exp(-beta * scale * d)` in `Q0` for `d` = 0, 1, .. as far as TFLite Micro counts them.
pub(super) fn exponentials(quant: &Quant, beta: f32) -> Vec<i32> {
    let multiplier = multiplier(quant, beta);
    let radius = lut::input_radius(5, multiplier.shift);
    let mut values: Vec<i32> =
        (0..=radius.min(255)).map(|distance| fixed_math::exp(multiplier.apply(-distance), 5)).collect();
    while values.last() == Some(&0) {
        values.pop();
    }
    values
}

/// The parameter structure of rows of i16.
fn softmax_i16(lower: &mut Lower<'_>, width: usize, quant: &Quant, beta: f32) -> Struct {
    // f32, then f64, as TensorFlow Lite Micro has it.
    let multiplier = Multiplier::new(f64::from(quant.scale(0) * beta) / (10.0 / 65535.0));
    let exponentials = sampled((10.0 / 65535.0, 32767), 2.0 / 65535.0, f32::exp);
    let reciprocals = sampled((1.0 / 65535.0, -32768), 2.0 / 65535.0, |x| 1.0 / (1.0 + x));
    let exponentials = lower.static_i16("exponentials".into(), &exponentials);
    let reciprocals = lower.static_i16("reciprocals".into(), &reciprocals);
    let fields = vec![
        ("width", Value::size(width)),
        ("multiplier", Value::Int(multiplier.value.into())),
        ("shift", Value::Int(multiplier.shift.into())),
        ("exponentials", Value::Slice(exponentials)),
        ("reciprocals", Value::Slice(reciprocals)),
    ];
    Struct { name: "SoftmaxI16", fields }
}
