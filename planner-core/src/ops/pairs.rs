//! Operators of two tensors without attributes whose results are plain: powers, quotients, comparisons, logic.

use super::broadcast::{paired_of, pairs_of, pairwise_of};
use super::{ArgSpec, Call, Lower, Lowered, Operator, Results, Role, Signature};
use crate::diagnostic::Diagnostic;
use crate::dtype::DType;
use crate::emit::{Struct, Value};
use crate::fixed_point::Multiplier;
use crate::model::TensorType;
use crate::quant::Quant;

/// An operator of two tensors.
pub(super) struct Pairs {
    signature: &'static Signature,
    /// For each element type that it takes, its kernel.
    kernels: &'static [(DType, &'static str)],
    /// The element type of the result if it is not that of the arguments.
    result: Option<DType>,
    /// The second argument comes first.
    swapped: bool,
}

const NUMBERS: &[ArgSpec] = &[
    ArgSpec { name: "a", role: Role::Any, doc: "f32 or i32; i8 or i16 as integers, whatever they stand for" },
    ArgSpec { name: "b", role: Role::Any, doc: "of the same element type, of a shape that broadcasts" },
];
const POWERS: &[ArgSpec] = &[
    ArgSpec { name: "a", role: Role::Any, doc: "f32 or i32" },
    ArgSpec { name: "b", role: Role::Any, doc: "of the same element type, of a shape that broadcasts" },
];
const ORDERED: &[ArgSpec] = &[
    ArgSpec { name: "a", role: Role::Any, doc: "f32, i32, i8, u8 or i16" },
    ArgSpec { name: "b", role: Role::Any, doc: "of the same element type, of a shape that broadcasts" },
];
const ALL: &[ArgSpec] = &[
    ArgSpec { name: "a", role: Role::Any, doc: "f32, i32, i8, u8, i16 or bool" },
    ArgSpec { name: "b", role: Role::Any, doc: "of the same element type, of a shape that broadcasts" },
];
const TRUTHS: &[ArgSpec] = &[
    ArgSpec { name: "a", role: Role::Any, doc: "bool" },
    ArgSpec { name: "b", role: Role::Any, doc: "bool, of a shape that broadcasts" },
];

/// Declares the operators.
macro_rules! operators {
    ($($operator:ident = $name:literal, $doc:literal, $args:ident, $result:expr, $swapped:literal,
       [$(($dtype:ident, $kernel:literal)),+];)+) => {$(
        #[doc = $doc]
        pub(super) static $operator: Pairs = Pairs {
            signature: &Signature { name: $name, doc: $doc, args: $args, attrs: &[], results: Results::One },
            kernels: &[$((DType::$dtype, $kernel)),+],
            result: $result,
            swapped: $swapped,
        };
    )+};
}

operators! {
    EQUAL = "equal", "`a == b`, broadcast, as bool.", ALL, Some(DType::Bool), false,
        [(F32, "equal_f32"), (I32, "equal_i32"), (I8, "equal_i8"), (U8, "equal_u8"), (I16, "equal_i16"), (Bool, "equal_1")];
    FLOOR_DIV = "floor_div", "The largest integer not above `a / b`, broadcast; 0 where an integer `b` is 0.",
        NUMBERS, None, false, [(F32, "floor_div_f32"), (I32, "floor_div_i32"), (I8, "floor_div_i8"), (I16, "floor_div_i16")];
    FLOOR_MOD = "floor_mod", "`a - b * floor_div(a, b)`, broadcast; 0 where an integer `b` is 0.",
        NUMBERS, None, false, [(F32, "floor_mod_f32"), (I32, "floor_mod_i32"), (I8, "floor_mod_i8"), (I16, "floor_mod_i16")];
    GREATER = "greater", "`a > b`, broadcast, as bool.", ORDERED, Some(DType::Bool), true,
        [(F32, "less_f32"), (I32, "less_i32"), (I8, "less_i8"), (U8, "less_u8"), (I16, "less_i16")];
    GREATER_EQUAL = "greater_equal", "`a >= b`, broadcast, as bool.", ORDERED, Some(DType::Bool), true,
        [(F32, "less_equal_f32"), (I32, "less_equal_i32"), (I8, "less_equal_i8"), (U8, "less_equal_u8"), (I16, "less_equal_i16")];
    LESS = "less", "`a < b`, broadcast, as bool.", ORDERED, Some(DType::Bool), false,
        [(F32, "less_f32"), (I32, "less_i32"), (I8, "less_i8"), (U8, "less_u8"), (I16, "less_i16")];
    LESS_EQUAL = "less_equal", "`a <= b`, broadcast, as bool.", ORDERED, Some(DType::Bool), false,
        [(F32, "less_equal_f32"), (I32, "less_equal_i32"), (I8, "less_equal_i8"), (U8, "less_equal_u8"), (I16, "less_equal_i16")];
    LOGICAL_AND = "logical_and", "Both, broadcast.", TRUTHS, None, false, [(Bool, "logical_and_1")];
    LOGICAL_OR = "logical_or", "At least one of both, broadcast.", TRUTHS, None, false, [(Bool, "logical_or_1")];
    NOT_EQUAL = "not_equal", "`a != b`, broadcast, as bool.", ALL, Some(DType::Bool), false,
        [(F32, "not_equal_f32"), (I32, "not_equal_i32"), (I8, "not_equal_i8"), (U8, "not_equal_u8"), (I16, "not_equal_i16"), (Bool, "not_equal_1")];
    POW = "pow", "`a` to the power of `b`, broadcast; of i32 it wraps around, and is 0 where `b` is negative.",
        POWERS, None, false, [(F32, "pow_f32"), (I32, "pow_i32")];
}

impl Operator for Pairs {
    fn signature(&self) -> &'static Signature {
        self.signature
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        let dtypes: Vec<DType> = self.kernels.iter().map(|(dtype, _)| *dtype).collect();
        let (dtype, shape) = paired_of(call, &dtypes)?;
        let Some(result) = self.result else {
            let quant = call.declared(0).quant.clone().filter(|_| dtype.is_quantized());
            return Ok(vec![TensorType { dtype, shape, quant }]);
        };
        if dtype.is_quantized() {
            call.quant(0)?;
            call.quant(1)?;
        }
        Ok(vec![TensorType::plain(result, shape)])
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let dtype = lower.arg(0).dtype;
        let kernel = self.kernels.iter().find(|(own, _)| *own == dtype).map_or("", |(_, kernel)| kernel);
        let args = if self.swapped { [1, 0] } else { [0, 1] };
        let pairs = pairs_of(lower, args);
        let params = if self.result.is_some() && dtype.is_quantized() {
            let [a, b] = [lower.quant(args[0])?, lower.quant(args[1])?];
            // TensorFlow Lite compares which i16 is less as they stand, equal scales or not.
            let plain = dtype == DType::I16 && kernel.starts_with("less") && a == b;
            let [a, b] = [a, b].map(|quant| side(quant, if plain { 1.0 } else { quant.scale(0) }));
            let fields = vec![("pairs", Value::Struct(pairs)), ("a", a), ("b", b)];
            Struct { name: "CompareInt", fields }
        } else {
            pairs
        };
        Ok(pairwise_of(lower, kernel, params, args))
    }
}

/// One side as the comparison has it.
fn side(quant: &Quant, scale: f32) -> Value {
    let multiplier = Multiplier::new(scale.into());
    let fields = vec![
        ("zero_point", Value::Int(quant.zero_point().into())),
        ("multiplier", Value::Int(multiplier.value.into())),
        ("shift", Value::Int(multiplier.shift.into())),
    ];
    Value::Struct(Struct { name: "Side", fields })
}
