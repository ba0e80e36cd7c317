//! The options of builtin operators: one structure a table of the schema.

use super::ElementType;
use crate::import::tflite::flatbuffer::{Defect, Table};

/// A table of options.
pub(crate) trait Options<'a>: Sized {
    /// Its number in the schema's union.
    const TAG: u8;
    /// How many fields the schema gives it. A file that has more of them means something that is not read here.
    const FIELDS: usize;

    /// Reads its fields.
    fn read(table: &Table<'a>) -> Result<Self, Defect>;
}

/// How a window's border is treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Padding {
    Same,
    Valid,
}

/// An activation that belongs to another operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activation {
    None,
    Relu,
    ReluN1To1,
    Relu6,
    Tanh,
    SignBit,
}

const PADDINGS: [Padding; 2] = [Padding::Same, Padding::Valid];
const ACTIVATIONS: [Activation; 6] = [
    Activation::None,
    Activation::Relu,
    Activation::ReluN1To1,
    Activation::Relu6,
    Activation::Tanh,
    Activation::SignBit,
];

/// A pair of fields in the schema's order, width before height, as `[y, x]`.
fn pair(table: &Table<'_>, width: usize, default: i32) -> Result<[i64; 2], Defect> {
    Ok([table.i32(width + 1, default)?.into(), table.i32(width, default)?.into()])
}

/// Declares the structures, each field with the function that reads it.
macro_rules! options {
    ($($(#[$doc:meta])* $name:ident = $tag:literal, $fields:literal { $($field:ident: $ty:ty = $read:expr,)* })*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub(crate) struct $name { $(pub(crate) $field: $ty,)* }

        impl Options<'_> for $name {
            const TAG: u8 = $tag;
            const FIELDS: usize = $fields;
            fn read(table: &Table<'_>) -> Result<Self, Defect> {
                $(let $field: fn(&Table<'_>) -> Result<$ty, Defect> = $read;)*
                Ok(Self { $($field: $field(table)?,)* })
            }
        }
    )*};
}

/// The name of a variable.
#[derive(Debug)]
pub(crate) struct VarHandle<'a> {
    pub(crate) container: &'a str,
    pub(crate) shared_name: &'a str,
}

impl<'a> Options<'a> for VarHandle<'a> {
    const TAG: u8 = 111;
    const FIELDS: usize = 2;
    fn read(table: &Table<'a>) -> Result<Self, Defect> {
        let text = |field| Ok(table.text(field)?.unwrap_or_default());
        Ok(Self { container: text(0)?, shared_name: text(1)? })
    }
}

options! {
    Conv2d = 1, 7 {
        padding: Padding = |t| t.one_of(0, &PADDINGS),
        stride: [i64; 2] = |t| pair(t, 1, 0),
        activation: Activation = |t| t.one_of(3, &ACTIVATIONS),
        dilation: [i64; 2] = |t| pair(t, 4, 1),
        bias: ElementType = |t| t.one_of(6, &ElementType::ALL),
    }
    /// The multiplier of the schema is left out: it follows from the filter's shape.
    DepthwiseConv2d = 2, 7 {
        padding: Padding = |t| t.one_of(0, &PADDINGS),
        stride: [i64; 2] = |t| pair(t, 1, 0),
        activation: Activation = |t| t.one_of(4, &ACTIVATIONS),
        dilation: [i64; 2] = |t| pair(t, 5, 1),
    }
    Pool2d = 5, 6 {
        padding: Padding = |t| t.one_of(0, &PADDINGS),
        stride: [i64; 2] = |t| pair(t, 1, 0),
        filter: [i64; 2] = |t| pair(t, 3, 0),
        activation: Activation = |t| t.one_of(5, &ACTIVATIONS),
    }
    Svdf = 6, 3 {
        rank: i32 = |t| t.i32(0, 0),
        activation: Activation = |t| t.one_of(1, &ACTIVATIONS),
        asymmetric: bool = |t| t.bool(2),
    }
    FullyConnected = 8, 5 {
        activation: Activation = |t| t.one_of(0, &ACTIVATIONS),
        shuffled_weights: bool = |t| t.bool(1),
        keep_num_dims: bool = |t| t.bool(2),
        asymmetric: bool = |t| t.bool(3),
        bias: ElementType = |t| t.one_of(4, &ElementType::ALL),
    }
    Softmax = 9, 1 { beta: f32 = |t| t.f32(0), }
    Concatenation = 10, 2 {
        axis: i32 = |t| t.i32(0, 0),
        activation: Activation = |t| t.one_of(1, &ACTIVATIONS),
    }
    /// The second field only concerns i16.
    Add = 11, 2 { activation: Activation = |t| t.one_of(0, &ACTIVATIONS), }
    L2Norm = 12, 1 { activation: Activation = |t| t.one_of(0, &ACTIVATIONS), }
    ResizeBilinear = 15, 4 {
        align_corners: bool = |t| t.bool(2),
        half_pixel_centers: bool = |t| t.bool(3),
    }
    Reshape = 17, 1 { new_shape: Vec<i32> = |t| t.ints(0), }
    SpaceToDepth = 19, 1 { block_size: i32 = |t| t.i32(0, 0), }
    Mul = 21, 1 { activation: Activation = |t| t.one_of(0, &ACTIVATIONS), }
    Gather = 23, 2 {
        axis: i32 = |t| t.i32(0, 0),
        batch_dims: i32 = |t| t.i32(1, 0),
    }
    Reducer = 27, 1 { keep_dims: bool = |t| t.bool(0), }
    /// The second field only concerns i16.
    Sub = 28, 2 { activation: Activation = |t| t.one_of(0, &ACTIVATIONS), }
    Div = 29, 1 { activation: Activation = |t| t.one_of(0, &ACTIVATIONS), }
    Squeeze = 30, 1 { axes: Vec<i32> = |t| t.ints(0), }
    StridedSlice = 32, 6 {
        begin_mask: i32 = |t| t.i32(0, 0),
        end_mask: i32 = |t| t.i32(1, 0),
        ellipsis_mask: i32 = |t| t.i32(2, 0),
        new_axis_mask: i32 = |t| t.i32(3, 0),
        shrink_axis_mask: i32 = |t| t.i32(4, 0),
        offset: bool = |t| t.bool(5),
    }
    Split = 35, 1 { parts: i32 = |t| t.i32(0, 0), }
    ArgMax = 40, 1 { element: ElementType = |t| t.one_of(0, &ElementType::ALL), }
    TransposeConv = 49, 5 {
        padding: Padding = |t| t.one_of(0, &PADDINGS),
        stride: [i64; 2] = |t| pair(t, 1, 0),
        activation: Activation = |t| t.one_of(3, &ACTIVATIONS),
        bias: ElementType = |t| t.one_of(4, &ElementType::ALL),
    }
    Shape = 55, 1 { element: ElementType = |t| t.one_of(0, &ElementType::ALL), }
    ArgMin = 57, 1 { element: ElementType = |t| t.one_of(0, &ElementType::ALL), }
    /// The number of parts is that of the inputs.
    Pack = 59, 2 {
        axis: i32 = |t| t.i32(1, 0),
    }
    /// The number of parts is that of the outputs.
    Unpack = 64, 2 {
        axis: i32 = |t| t.i32(1, 0),
    }
    ResizeNearestNeighbor = 74, 2 {
        align_corners: bool = |t| t.bool(0),
        half_pixel_centers: bool = |t| t.bool(1),
    }
    LeakyRelu = 75, 1 { alpha: f32 = |t| t.f32(0), }
    MirrorPad = 77, 1 { symmetric: bool = |t| t.bool(0), }
    DepthToSpace = 94, 1 { block_size: i32 = |t| t.i32(0, 0), }
    BatchMatMul = 101, 3 {
        adjoint_x: bool = |t| t.bool(0),
        adjoint_y: bool = |t| t.bool(1),
        asymmetric: bool = |t| t.bool(2),
    }
    Cumsum = 102, 2 {
        exclusive: bool = |t| t.bool(0),
        reverse: bool = |t| t.bool(1),
    }
    /// The third field clips a projection, without which it says nothing.
    SequenceLstm = 71, 6 {
        activation: Activation = |t| t.one_of(0, &ACTIVATIONS),
        cell_clip: f32 = |t| t.f32(1),
        time_major: bool = |t| t.bool(3),
        asymmetric: bool = |t| t.bool(4),
        diagonal: bool = |t| t.bool(5),
    }
    CallOnce = 103, 1 { subgraph: i32 = |t| t.i32(0, 0), }
    Gelu = 116, 1 { approximate: bool = |t| t.bool(0), }
}
