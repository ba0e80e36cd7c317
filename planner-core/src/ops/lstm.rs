//! `lstm`: a sequence through cells with four gates.

use super::curve::curve;
use super::folded::{Fold, centred, folded};
use super::hybrid::{self, ASYMMETRIC};
use super::svdf::scaled;
use super::{ArgSpec, AttrSpec, AttrValue, Call, Form, Lower, Lowered, Operator, Results, Role, Signature};
use crate::diagnostic::{Diagnostic, Kind};
use crate::dtype::DType;
use crate::emit::{self, Operand, Struct, Value};
use crate::model::TensorType;
use crate::quant::Quant;
use crate::steps::{Scratch, Sharing};

/// See [`SIGNATURE`].
pub(super) struct Lstm;

const WEIGHTS: usize = 1;
const RECURRENT: usize = 2;
const HIDDEN: usize = 3;
const CELL: usize = 4;
const BIAS: usize = 5;
const GATES: usize = 4;

/// The scale of what goes into the functions of the gates, and of what comes out.
const BEFORE: f32 = 1.0 / 4096.0;
const AFTER: f32 = 1.0 / 32768.0;

static SIGNATURE: Signature = Signature {
    name: "lstm",
    doc: "Long short-term memory. Gates stand in the order input, forget, cell, output.",
    args: &[
        ArgSpec { name: "x", role: Role::Any, doc: "f32 or i8 `[batch, time, input]`" },
        ArgSpec {
            name: "weights",
            role: Role::Param,
            doc: "`[4, unit, input]`: i8 with a scale or one for each gate, or f32 in a layer of that",
        },
        ArgSpec { name: "recurrent", role: Role::Param, doc: "`[4, unit, unit]`, likewise" },
        ArgSpec { name: "hidden", role: Role::Any, doc: "the last result, `[batch, unit]`, of the type of `x`" },
        ArgSpec { name: "cell", role: Role::Any, doc: "`[batch, unit]`: f32, or i16 with a power of two as its scale" },
        ArgSpec { name: "bias", role: Role::OptionalParam, doc: "`[4, unit]`; i32 in an i8 layer" },
    ],
    attrs: &[
        AttrSpec {
            name: "cell_clip",
            form: Form::Float,
            default: Some(AttrValue::Float(0.0)),
            doc: "largest magnitude of a cell; 0 for any",
        },
        AttrSpec {
            name: "time_major",
            form: Form::Bool,
            default: Some(AttrValue::Bool(false)),
            doc: "`x` is `[time, batch, input]`",
        },
        ASYMMETRIC,
    ],
    results: Results::States(2),
};

impl Operator for Lstm {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        call.want_rank(0, &[3])?;
        call.want_rank(WEIGHTS, &[3])?;
        let dtype = call.want_dtype(0, &[DType::F32, DType::I8])?;
        call.want_dtype(WEIGHTS, if dtype == DType::F32 { &[DType::F32, DType::I8] } else { &[DType::I8] })?;
        call.want_dtype(RECURRENT, &[call.arg(WEIGHTS).dtype])?;
        call.want_dtype(HIDDEN, &[dtype])?;
        hybrid::check(call)?;
        let (cell_type, bias_type) =
            if dtype == DType::I8 { (DType::I16, DType::I32) } else { (DType::F32, DType::F32) };
        call.want_dtype(CELL, &[cell_type])?;
        let Sizes { batch, inputs, units, .. } = sizes(call);
        call.want_shape(WEIGHTS, &[GATES, units, inputs])?;
        call.want_shape(RECURRENT, &[GATES, units, units])?;
        call.want_shape(HIDDEN, &[batch, units])?;
        call.want_shape(CELL, &[batch, units])?;
        if call.opt_arg(BIAS).is_some() {
            call.want_dtype(BIAS, &[bias_type])?;
            call.want_shape(BIAS, &[GATES, units])?;
        }
        if call.float("cell_clip") < 0.0 {
            return Err(call.attr_error(Kind::Attribute, "cell_clip", "`cell_clip` is negative"));
        }
        let shape = call.shape([call.arg(0).shape[0], call.arg(0).shape[1], units])?;
        let (hidden, cell) = (call.arg(HIDDEN), call.arg(CELL));
        if call.arg(WEIGHTS).dtype == DType::I8 {
            gate_scales(call, WEIGHTS)?;
            gate_scales(call, RECURRENT)?;
        }
        if dtype == DType::F32 {
            return Ok(vec![TensorType { dtype, shape, quant: None }, hidden.clone(), cell.clone()]);
        }
        call.quant(0)?;
        cell_power(call)?;
        let quant = call.fixed_quant(0, call.quant(HIDDEN)?)?;
        call.fixed_quant(1, call.quant(HIDDEN)?)?;
        call.fixed_quant(2, call.quant(CELL)?)?;
        Ok(vec![TensorType { dtype, shape, quant: Some(quant) }, hidden.clone(), cell.clone()])
    }

    fn macs(&self, call: &Call<'_>) -> u64 {
        let Sizes { batch, steps, .. } = sizes(call);
        let weights = call.arg(WEIGHTS).shape.elements() + call.arg(RECURRENT).shape.elements();
        (batch * steps * weights) as u64
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let Sizes { batch, steps, inputs, units } = sizes(lower);
        let shape = Struct {
            name: "Lstm",
            fields: vec![
                ("batch", Value::size(batch)),
                ("steps", Value::size(steps)),
                ("inputs", Value::size(inputs)),
                ("units", Value::size(units)),
                ("time_major", Value::Bool(lower.bool("time_major"))),
            ],
        };
        let weights = Value::Slice(lower.weights(WEIGHTS));
        let recurrent = Value::Slice(lower.weights(RECURRENT));
        let mut fields = vec![("shape", Value::Struct(shape)), ("weights", weights), ("recurrent", recurrent)];
        let clip = lower.float("cell_clip");
        let mut operands: Vec<Operand> = (0..3).map(Operand::Read).chain((0..3).map(Operand::Write)).collect();
        let mut scratch = None;
        let (kernel, name) = if lower.arg(0).dtype == DType::F32 {
            let bias = if lower.opt_arg(BIAS).is_some() { Value::Slice(lower.weights(BIAS)) } else { Value::Empty };
            let clip = if clip > 0.0 { clip } else { f32::INFINITY };
            fields.extend([("bias", bias), ("clip", Value::F32(clip))]);
            if hybrid::is(lower) {
                fields.extend(dynamic(lower, GATES * units)?);
                operands.push(Operand::Scratch);
                scratch = Some(Scratch { bytes: inputs + units, dtype: DType::I8 });
                ("lstm_hybrid_f32", "LstmHybrid")
            } else {
                ("lstm_f32", "LstmF32")
            }
        } else {
            fields.extend(integers(lower, GATES * units, clip)?);
            ("lstm_i8", "LstmI8")
        };
        let params = Struct { name, fields };
        let call = emit::Call { kernel, params, operands, units: batch, elided_by: None };
        let lowered = Lowered { reads: vec![0, HIDDEN, CELL], calls: vec![call], scratch, ..Lowered::default() };
        let in_place = |index| Sharing::InPlace { arg: index, result: index };
        Ok(lowered.sharing(in_place(1)).sharing(in_place(2)))
    }
}

struct Sizes {
    batch: usize,
    steps: usize,
    inputs: usize,
    units: usize,
}

fn sizes(call: &Call<'_>) -> Sizes {
    let x = &call.arg(0).shape;
    let [batch, steps] = if call.bool("time_major") { [x[1], x[0]] } else { [x[0], x[1]] };
    Sizes { batch, steps, inputs: x[2], units: call.arg(WEIGHTS).shape[1] }
}

/// What only a layer of i8 has: `channels` rows of weights.
fn integers(lower: &mut Lower<'_>, channels: usize, clip: f32) -> Result<Vec<(&'static str, Value)>, Diagnostic> {
    let (x, hidden, cell) = (lower.quant(0)?.clone(), lower.quant(HIDDEN)?.clone(), lower.quant(CELL)?.clone());
    let gates = |lower: &Lower<'_>, place: usize, from: &Quant| -> Result<Value, Diagnostic> {
        let scales = gate_scales(lower, place)?.into_iter();
        let factors = scales.map(|scale| f64::from(from.scale(0) * scale) / f64::from(BEFORE));
        let gates = factors.map(|factor| symmetric(lower, factor));
        Ok(Value::Array(gates.collect::<Result<_, _>>()?))
    };
    let (from_input, from_hidden) = (gates(lower, WEIGHTS, &x)?, gates(lower, RECURRENT, &hidden)?);
    let bias = Fold { weights: WEIGHTS, bias: Some(BIAS), zero_point: x.zero_point(), channels };
    let offsets = Fold { weights: RECURRENT, bias: None, zero_point: hidden.zero_point(), channels };
    let product = |a: f32, b: f32, to: f32| f64::from(a) * f64::from(b) / f64::from(to);
    #[allow(clippy::cast_possible_truncation, reason = "saturates, and rounds towards zero as TensorFlow Lite does")]
    let limit = (f64::from(clip) / f64::from(cell.scale(0))) as i16;
    let bounds = if clip > 0.0 { [-limit, limit] } else { [i16::MIN, i16::MAX] };
    let power = cell_power(lower)?;
    // Arguments are multiplied by 3 and moved by what their scale is away from 2^-12.
    let away = power + 12;
    let cell_curve = if away >= 0 { (3 << away, 0) } else { (3, -away) };
    Ok(vec![
        ("bias", folded(lower, bias)?),
        ("offsets", folded(lower, offsets)?),
        ("from_input", from_input),
        ("from_hidden", from_hidden),
        ("kept", symmetric(lower, product(AFTER, cell.scale(0), cell.scale(0)))?),
        ("added", symmetric(lower, product(AFTER, AFTER, cell.scale(0)))?),
        ("bounds", Value::ints(bounds)),
        ("gate", Value::Struct(curve(lower, 3, 0))),
        ("cell", Value::Struct(curve(lower, cell_curve.0, cell_curve.1))),
        ("hidden", scaled(lower, product(AFTER, AFTER, hidden.scale(0)), &hidden, [-128, 127])?),
    ])
}

/// What only a layer of f32 with weights of i8 has: `channels` rows of weights.
fn dynamic(lower: &mut Lower<'_>, channels: usize) -> Result<Vec<(&'static str, Value)>, Diagnostic> {
    let scales = |lower: &Lower<'_>, place| -> Result<Value, Diagnostic> {
        Ok(Value::Array(gate_scales(lower, place)?.into_iter().map(Value::F32).collect()))
    };
    Ok(vec![
        ("asymmetric", Value::Bool(lower.bool(ASYMMETRIC.name))),
        ("scales", scales(lower, WEIGHTS)?),
        ("sums", hybrid::sums(lower, WEIGHTS, channels)?),
        ("recurrent_scales", scales(lower, RECURRENT)?),
        ("recurrent_sums", hybrid::sums(lower, RECURRENT, channels)?),
    ])
}

/// The parameter structure `Scaled` to an i16 without zero point.
fn symmetric(call: &Call<'_>, factor: f64) -> Result<Value, Diagnostic> {
    let quant = Quant::per_tensor(1.0, 0).map_err(|e| call.error(Kind::Internal, e.to_string()))?;
    scaled(call, factor, &quant, [i16::MIN.into(), i16::MAX.into()])
}

/// The scale of each gate's weights.
fn gate_scales(call: &Call<'_>, place: usize) -> Result<Vec<f32>, Diagnostic> {
    let one = call.arg(place).quant.as_ref().is_some_and(|quant| quant.axis().is_none());
    Ok(if one { vec![centred(call, place, 1)?[0]; GATES] } else { centred(call, place, GATES)?.to_vec() })
}

/// The exponent of the cell's scale.
fn cell_power(call: &Call<'_>) -> Result<i32, Diagnostic> {
    let quant = call.quant(CELL)?;
    let power = (-15..=0).find(|power| 2f32.powi(*power).to_bits() == quant.scale(0).to_bits());
    power.filter(|_| quant.zero_point() == 0).ok_or_else(|| {
        call.arg_error(Kind::Quantization, CELL, "the scale of `cell` is no power of two from 2^-15 to 1")
            .got(call.arg(CELL).to_string())
            .wanted("`q(0.00048828125, 0)` or the like")
    })
}
