//! Parameter structures of kernels, and statics made by the runtime's `const fn`s, from their descriptions.

use crate::window::Words;
use bytemuck::Pod;
use planner_core::emit::{Struct, Value};
use waterline::kernels::{self, fold::fold_bias};

/// The statics known so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Constants<'a>(pub(crate) &'a [Words]);

impl<'a> Constants<'a> {
    /// The parameter structure that `description` describes.
    pub(crate) fn params<P: FromStruct<'a>>(self, description: &Struct) -> P {
        P::from_struct(description, self)
    }

    /// The bytes of a static of `len` elements that `function` makes.
    pub(crate) fn const_fn(self, function: &str, len: usize, args: &[Value]) -> Words {
        match (function, args) {
            ("folded_bias", [bias, weights, zero_point, count, channel, step]) => {
                let mut folded = vec![0i32; len];
                let [count, channel, step] = [count, channel, step].map(|size| self.value(size));
                let zero_point = self.value(zero_point);
                fold_bias(&mut folded, self.value(bias), self.value(weights), zero_point, count, channel, step);
                Words::new(bytemuck::cast_slice(&folded))
            }
            ("widened_bias", [bias]) => {
                let bias: &[i32] = self.value(bias);
                let wide: Vec<i64> = bias.iter().map(|v| i64::from(*v)).collect();
                Words::new(bytemuck::cast_slice(&wide))
            }
            _ => panic!("const fn `{function}` has no row in the interpreter's table"),
        }
    }

    fn value<T: FromValue<'a>>(self, value: &Value) -> T {
        T::from_value(value, self)
    }

    fn field<T: FromValue<'a>>(self, description: &Struct, name: &str) -> T {
        let value = description.fields.iter().find(|field| field.0 == name);
        let (_, value) = value.unwrap_or_else(|| panic!("{} has no field {name}", description.name));
        self.value(value)
    }
}

/// A parameter structure of a kernel.
pub(crate) trait FromStruct<'a>: Sized {
    fn from_struct(description: &Struct, constants: Constants<'a>) -> Self;
}

/// The fields of each parameter structure.
macro_rules! params {
    ($($name:ident $(<$lifetime:lifetime>)? { $($field:ident),* $(,)? })+) => {$(
        impl<'a> FromStruct<'a> for kernels::$name $(<$lifetime>)? {
            #[allow(unused_variables, reason = "a structure may be empty")]
            fn from_struct(description: &Struct, constants: Constants<'a>) -> Self {
                let count = <[&str]>::len(&[$(stringify!($field)),*]);
                assert_eq!(description.fields.len(), count, "fields of {}", description.name);
                Self { $($field: constants.field(description, stringify!($field))),* }
            }
        }

        impl<'a> FromValue<'a> for kernels::$name $(<$lifetime>)? {
            fn from_value(value: &Value, constants: Constants<'a>) -> Self {
                let Value::Struct(description) = value else { panic!("{value:?} is no structure") };
                assert_eq!(description.name, stringify!($name));
                Self::from_struct(description, constants)
            }
        }
    )+};
}

params! {
    AddInt { pairs, bits, a, b, multiplier, shift, zero_point, min, max }
    AddWeightedI8 { weights, offset, min, max }
    Affine<'a> { scale, offset }
    ArithmeticF32 { pairs, min, max }
    Axis { size, strides }
    BlockedI8<'a> { blocked, blocks, channels, from, to, min, max }
    Bilinear<'a> { rows, columns, channels, x }
    BilinearF32<'a> { between, down, right }
    BilinearInt<'a> { between, down, right }
    Broadcast { run, steps, axes }
    Clamp { min, max }
    ClampInt { min, max }
    CompareInt { pairs, a, b }
    Conv { slide, groups, inputs, outputs }
    ConvBlockedI8<'a> { shape, layer }
    ConvF32<'a> { shape, layer }
    ConvHybrid<'a> { shape, x, layer }
    ConvI16<'a> { shape, layer }
    ConvI8<'a> { shape, layer }
    ConvPackedI8<'a> { shape, layer }
    ConvU8<'a> { shape, layer }
    Cumsum { lines, exclusive, reverse }
    CumsumI8 { sums, x, multiplier, shift, zero_point }
    Curve<'a> { sigmoid, multiplier, shift }
    Dense { inputs, outputs, from, to }
    DenseBlockedI8<'a> { shape, layer }
    DenseF32<'a> { shape, layer }
    DenseHybrid<'a> { shape, x, layer }
    DenseI16<'a> { shape, layer }
    DenseI8<'a> { shape, layer }
    DensePackedI8<'a> { shape, layer }
    DenseU8<'a> { shape, layer }
    Depthwise { slide, channels, multiplier }
    DepthwiseF32<'a> { shape, layer }
    DepthwiseHybrid<'a> { shape, x, layer }
    DepthwiseI16<'a> { shape, layer }
    DepthwiseI8<'a> { shape, layer }
    DepthwisePlanesI8<'a> { shape, layer }
    DepthwisePackedI8<'a> { shape, layer }
    DepthwiseU8<'a> { shape, layer }
    Dynamic { batches, size, asymmetric }
    Gather { count, outer, size, width, missing }
    GatherNd { depth, sizes, width, missing }
    L2Normalize { width }
    L2NormalizeInt { width, zero_point }
    LayerNorm<'a> { width, epsilon, gamma, beta }
    LeakyRelu { alpha }
    Lines { size, stride }
    LogSoftmax { width }
    LogSoftmaxI8<'a> { width, exponentials, multiplier, shift, back_multiplier, back_shift, least }
    Lut<'a> { table }
    LutRuns<'a> { runs, map }
    Lstm { batch, steps, inputs, units, time_major }
    LstmF32<'a> { shape, weights, bias, recurrent, clip }
    LstmHybrid<'a> {
        shape, asymmetric, weights, scales, sums, bias, recurrent, recurrent_scales, recurrent_sums, clip,
    }
    LstmI8<'a> {
        shape, weights, bias, recurrent, offsets, from_input, from_hidden, kept, added, bounds, gate, cell, hidden,
    }
    Matmul { m, k, n, a_strides, b_strides, batch }
    MatmulInt<'a> { shape, zero_points, result }
    MulInt { pairs, arg_zero_points, multiplier, shift, zero_point, min, max }
    PackedI8<'a> { packed, pairs, channels, from, to, min, max }
    Pad { value, before, inside, after, axes }
    PadAxis { size, before, inside, stride }
    PlanesI8<'a> { blocked, blocks, pitch, plane, part, from, to, min, max }
    Pool { slide, channels }
    PoolF32 { shape, result }
    PoolInt { shape, min, max }
    PreluInt { pairs, arg_zero_points, multipliers, shifts, zero_point }
    Pure {}
    Quant { scale, zero_point }
    Reduce { kept, reduced, runs, run, step }
    Requantize<'a> { multipliers, shifts, zero_point, min, max }
    Rsqrt { from, multiplier, shift, to }
    Rescale { from, multipliers, shifts, to, min, max }
    RescaleRuns { runs, map }
    ResizeNearest<'a> { rows, columns, channels, x }
    Rows { stride, held }
    Runs { run, step, from, to, axes }
    Samples<'a> { table }
    Select { first, second }
    Side { zero_point, multiplier, shift }
    Slide { y, x, from, to, pixel }
    Softmax { width, beta }
    SoftmaxI16<'a> { width, multiplier, shift, exponentials, reciprocals }
    SoftmaxI8<'a> { width, exponentials }
    Sqrt { from, to }
    SumF32 { shape, divisor }
    SumI32 { shape, divisor }
    SumInt<'a> { shape, zero_points, result }
    Scaled { multiplier, shift, zero_point, min, max }
    Svdf { inputs, outputs, rank, memory }
    SvdfF32<'a> { shape, features, time, bias, result }
    SvdfHybrid<'a> { shape, x, features, scale, sums, time, bias, result }
    SvdfI16<'a> { shape, features, offsets, time, bias, remembered, result }
    SvdfI8<'a> { shape, features, offsets, time, bias, remembered, result }
    Taps { input, output, taps, stride, dilation, before }
    Term { zero_point, multiplier, shift }
    TransposeConv { y, x, inputs, outputs, from, to }
    TransposeConvF32<'a> { shape, layer }
    TransposeConvHybrid<'a> { shape, x, layer }
    TransposeConvI16<'a> { shape, layer }
    TransposeConvI8<'a> { shape, layer }
    TransposeConvU8<'a> { shape, layer }
    WeightsF32<'a> { weights, bias, result }
    WeightsHybrid<'a> { weights, scales, sums, bias, result }
    WeightsI16<'a> { weights, bias, wide, result }
    WeightsI8<'a> { weights, bias, zero_point, result }
    WeightsU8<'a> { weights, weights_zero_point, bias, zero_point, once, result }
}

/// The type of a field.
pub(crate) trait FromValue<'a>: Sized {
    fn from_value(value: &Value, constants: Constants<'a>) -> Self;
}

macro_rules! integers {
    ($($int:ty)+) => {$(
        impl<'a> FromValue<'a> for $int {
            fn from_value(value: &Value, _: Constants<'a>) -> Self {
                let Value::Int(number) = value else { panic!("{value:?} is no integer") };
                Self::try_from(*number).unwrap_or_else(|_| panic!("{number} does not fit {}", stringify!($int)))
            }
        }
    )+};
}

integers!(usize isize u64 i64 u32 i32 u16 i16 u8 i8);

impl<'a> FromValue<'a> for f32 {
    fn from_value(value: &Value, _: Constants<'a>) -> Self {
        let Value::F32(number) = value else { panic!("{value:?} is no f32") };
        *number
    }
}

impl<'a> FromValue<'a> for bool {
    fn from_value(value: &Value, _: Constants<'a>) -> Self {
        let Value::Bool(truth) = value else { panic!("{value:?} is no bool") };
        *truth
    }
}

impl<'a, T: FromValue<'a>, const N: usize> FromValue<'a> for [T; N] {
    fn from_value(value: &Value, constants: Constants<'a>) -> Self {
        let Value::Array(values) = value else { panic!("{value:?} is no array") };
        let values: Vec<T> = values.iter().map(|value| T::from_value(value, constants)).collect();
        let count = values.len();
        values.try_into().unwrap_or_else(|_| panic!("{count} values where {N} are wanted"))
    }
}

impl<'a, T: Pod> FromValue<'a> for &'a [T] {
    fn from_value(value: &Value, constants: Constants<'a>) -> Self {
        match value {
            Value::Slice(id) => bytemuck::cast_slice(constants.0[id.0].bytes()),
            Value::Empty => &[],
            other => panic!("{other:?} is no slice"),
        }
    }
}
