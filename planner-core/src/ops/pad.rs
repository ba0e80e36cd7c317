//! `pad`: a constant around a tensor.

use super::activation::quantized;
use super::kernel::by_size;
use super::lead::Lead;
use super::strides::signed;
use super::{ArgSpec, AttrSpec, AttrValue, Call, Form, Lower, Lowered, Operator, Results, Role, Signature, copy};
use crate::diagnostic::{Diagnostic, Kind};
use crate::dtype::DType;
use crate::emit::{self, Operand, Struct, Value};
use crate::model::TensorType;
use crate::shape::{MAX_RANK, Shape};

const KERNELS: [&str; 3] = ["pad_1", "pad_2", "pad_4"];

/// The attribute `paddings`.
pub(super) const PADDINGS: AttrSpec = AttrSpec {
    name: "paddings",
    form: Form::Ints(0, 1 << 20),
    default: None,
    doc: "elements before and after each dimension in turn: `[before0, after0, before1, after1, ..]`",
};

/// See [`SIGNATURE`].
pub(super) struct Pad;

static SIGNATURE: Signature = Signature {
    name: "pad",
    doc: "A constant around a tensor.",
    args: &[ArgSpec { name: "x", role: Role::Any, doc: "any tensor" }],
    attrs: &[
        PADDINGS,
        AttrSpec {
            name: "value",
            form: Form::Float,
            default: Some(AttrValue::Float(0.0)),
            doc: "the constant, a real number also where elements are quantised",
        },
    ],
    results: Results::One,
};

impl Operator for Pad {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        let shape = padded(call)?;
        bits(call)?;
        Ok(vec![copy::reshaped(call, 0, shape)?])
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let x = lower.arg(0);
        let mut axes = merged(&x.shape, &sides(lower));
        let row = axes.pop().unwrap_or(Padded { inside: 1, sides: [0, 0] });
        let units = axes.iter().map(Padded::size).product();
        let mut stride = row.inside;
        let mut fields: Vec<Value> = Vec::new();
        for axis in axes.iter().rev() {
            fields.push(axis.field(stride));
            stride *= axis.inside;
        }
        fields.resize_with(MAX_RANK - 1, || Padded { inside: 1, sides: [0, 0] }.field(0));
        fields.reverse();
        let params = Struct {
            name: "Pad",
            fields: vec![
                ("value", Value::Int(bits(lower)?.into())),
                ("before", Value::size(row.sides[0])),
                ("inside", Value::size(row.inside)),
                ("after", Value::size(row.sides[1])),
                ("axes", Value::Array(fields)),
            ],
        };
        let axes = x.shape.iter().zip(x.shape.strides()).zip(lower.result(0).shape.strides());
        let lead = axes.zip(sides(lower)).fold(Lead::new(lower, 0), |lead, (((&size, from), to), sides)| {
            lead.between(sides.map(|side| side * to)).along(size, [from, to].map(signed))
        });
        Ok(Lowered::one(by_size(x.dtype, KERNELS), params, vec![0], units).lead(lower, 0, lead))
    }
}

/// The call that fills result 0 with `value`: padding around nothing.
pub(super) fn filled(lower: &Lower<'_>, value: i32) -> emit::Call {
    let result = lower.result(0);
    let unused = || Padded { inside: 1, sides: [0, 0] }.field(0);
    let fields = vec![
        ("value", Value::Int(value.into())),
        ("before", Value::size(result.shape.elements())),
        ("inside", Value::size(0)),
        ("after", Value::size(0)),
        ("axes", Value::Array(std::iter::repeat_with(unused).take(MAX_RANK - 1).collect())),
    ];
    let operands = vec![Operand::Read(0), Operand::Write(0)];
    let params = Struct { name: "Pad", fields };
    emit::Call { kernel: by_size(result.dtype, KERNELS), params, operands, units: 1, elided_by: None }
}

/// The shape of argument 0 with the attribute `paddings` around it.
///
/// # Errors
/// Another number of paddings than two a dimension, or a shape that is none.
pub(super) fn padded(call: &Call<'_>) -> Result<Shape, Diagnostic> {
    let x = call.arg(0);
    let paddings = call.ints("paddings");
    if paddings.len() != 2 * x.shape.rank() {
        return Err(call
            .attr_error(Kind::Attribute, "paddings", format!("`paddings` has {} numbers", paddings.len()))
            .got(format!("{paddings:?} for {x}"))
            .wanted(format!("{} numbers, before and after each dimension", 2 * x.shape.rank())));
    }
    let dims: Vec<usize> = sides(call).iter().zip(x.shape.iter()).map(|([b, a], size)| b + size + a).collect();
    call.shape(dims)
}

/// Elements before and after each dimension.
pub(super) fn sides(call: &Call<'_>) -> Vec<[usize; 2]> {
    let size = |v: i64| usize::try_from(v).unwrap_or(0);
    call.ints("paddings").as_chunks().0.iter().map(|[before, after]| [size(*before), size(*after)]).collect()
}

/// The constant as the element type has it; the bits of a float.
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "compared after")]
pub(super) fn bits(call: &Call<'_>) -> Result<i32, Diagnostic> {
    let x = call.arg(0);
    let value = call.float("value");
    let (stored, unit, zero) = match (x.dtype, &x.quant) {
        (DType::F32, _) => return Ok(value.to_bits().cast_signed()),
        (_, None) => (value as i32, 1.0, 0),
        (_, Some(_)) => {
            let quant = call.quant(0)?;
            (quantized(value, quant, x.dtype), quant.scale(0), quant.zero_point())
        }
    };
    let real = |stored: i32| (stored - zero) as f32 * unit;
    let tolerance = if x.quant.is_some() { unit } else { 0.0 };
    let range = match x.dtype {
        DType::Bool => 0..=1,
        dtype => dtype.range().unwrap_or(i32::MIN..=i32::MAX),
    };
    let fits = range.contains(&stored);
    if fits && (real(stored) - value).abs() <= tolerance {
        return Ok(stored);
    }
    let kind = if x.quant.is_some() { "a number" } else { "an integer" };
    let ends = format!(" in {}..={}", real(*range.start()), real(*range.end()));
    let range = if x.dtype == DType::I32 { "" } else { &ends };
    let error = call.attr_error(Kind::Attribute, "value", format!("{value} is no element of this tensor"));
    Err(error.got(x.to_string()).wanted(format!("{kind}{range}")))
}

/// A dimension with its padding.
#[derive(Clone, Copy)]
struct Padded {
    inside: usize,
    sides: [usize; 2],
}

impl Padded {
    fn size(&self) -> usize {
        self.sides[0] + self.inside + self.sides[1]
    }

    fn field(&self, stride: usize) -> Value {
        let fields = vec![
            ("size", Value::size(self.size())),
            ("before", Value::size(self.sides[0])),
            ("inside", Value::size(self.inside)),
            ("stride", Value::size(stride)),
        ];
        Value::Struct(Struct { name: "PadAxis", fields })
    }
}

/// As few axes as do: a dimension without padding is part of the one around it.
fn merged(dims: &[usize], sides: &[[usize; 2]]) -> Vec<Padded> {
    let mut axes: Vec<Padded> = Vec::new();
    for (&inside, &sides) in dims.iter().zip(sides) {
        match axes.last_mut() {
            Some(outer) if sides == [0, 0] => {
                *outer = Padded { inside: outer.inside * inside, sides: outer.sides.map(|side| side * inside) };
            }
            Some(outer) if outer.inside == 1 && outer.sides == [0, 0] => *outer = Padded { inside, sides },
            _ => axes.push(Padded { inside, sides }),
        }
    }
    axes
}
