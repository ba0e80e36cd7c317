//! `resize_nearest`: an image of another size, each pixel the nearest of the argument.

use super::kernel::by_size;
use super::lead::Lead;
use super::{ArgSpec, AttrSpec, AttrValue, Call, Form, Lower, Lowered, Operator, Results, Role, Signature, copy};
use crate::diagnostic::{Diagnostic, Kind};
use crate::emit::{Struct, Value};
use crate::model::TensorType;
use std::borrow::Cow;

/// Of the attributes `size` and `scale`, one is given.
const NOT_GIVEN: AttrValue = AttrValue::Ints(Cow::Borrowed(&[]));

/// The attributes of a change of size.
pub(super) const ATTRS: &[AttrSpec] = &[
    AttrSpec {
        name: "size",
        form: Form::Pair(1, 1 << 20),
        default: Some(NOT_GIVEN),
        doc: "height and width of the result",
    },
    AttrSpec {
        name: "scale",
        form: Form::Pair(1, 1 << 20),
        default: Some(NOT_GIVEN),
        doc: "or how many times those of the argument they are",
    },
    AttrSpec {
        name: "align_corners",
        form: Form::Bool,
        default: Some(AttrValue::Bool(false)),
        doc: "the corner pixels of both images lie on one another",
    },
    AttrSpec {
        name: "half_pixel_centers",
        form: Form::Bool,
        default: Some(AttrValue::Bool(false)),
        doc: "positions are those of pixel centres",
    },
];

/// See [`SIGNATURE`].
pub(super) struct ResizeNearest;

static SIGNATURE: Signature = Signature {
    name: "resize_nearest",
    doc: "An image of another size, each pixel the nearest of the argument, as TFLite chooses it.",
    args: &[ArgSpec { name: "x", role: Role::Any, doc: "`[batch, height, width, channel]`, any type" }],
    attrs: ATTRS,
    results: Results::One,
};

impl Operator for ResizeNearest {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        infer(call)
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let x = lower.arg(0).clone();
        let [images, in_height, in_width, channels] = [x.shape[0], x.shape[1], x.shape[2], x.shape[3]];
        let [height, width] = size(lower);
        let one_image = sources(lower, in_height, height);
        let rows: Vec<i32> =
            (0..images).flat_map(|image| one_image.iter().map(move |row| row + to_i32(image * in_height))).collect();
        let columns = sources(lower, in_width, width);
        let name = lower.result_name().to_owned();
        let rows_static = lower.static_i32(format!("{name}_rows"), &rows, false);
        let columns_static = lower.static_i32(format!("{name}_columns"), &columns, false);
        let params = Struct {
            name: "ResizeNearest",
            fields: vec![
                ("rows", Value::Slice(rows_static)),
                ("columns", Value::Slice(columns_static)),
                ("channels", Value::size(channels)),
                ("x", held(&x.shape)),
            ],
        };
        let kernel = by_size(x.dtype, ["resize_nearest_1", "resize_nearest_2", "resize_nearest_4"]);
        let lead = lead(lower, rows.iter().map(|row| [*row; 2]), columns.into_iter().map(|column| [column; 2]));
        Ok(Lowered::one(kernel, params, vec![0], rows.len()).lead(lower, 0, lead))
    }
}

/// How far writes run ahead of reads if each row and column is read from one of the argument to another.
pub(super) fn lead(
    lower: &Lower<'_>,
    rows: impl ExactSizeIterator<Item = [i32; 2]>,
    columns: impl ExactSizeIterator<Item = [i32; 2]>,
) -> Lead {
    let (x, y) = (&lower.arg(0).shape, &lower.result(0).shape);
    let places = |places: [i32; 2]| Some(places.map(|place| place.unsigned_abs() as usize));
    let lead = Lead::channels(lower, x[3], false).at(columns.map(places), [x[3], y[3]]);
    lead.at(rows.map(places), [x[2] * x[3], y[2] * y[3]])
}

/// The type of an image of another size.
///
/// # Errors
/// Sizes or attributes that contradict one another.
pub(super) fn infer(call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
    call.want_rank(0, &[4])?;
    if call.bool("align_corners") && call.bool("half_pixel_centers") {
        let message = "`align_corners` and `half_pixel_centers` exclude each other";
        return Err(call.attr_error(Kind::Attribute, "half_pixel_centers", message));
    }
    if call.ints("size").is_empty() == call.ints("scale").is_empty() {
        let error = call.error(Kind::Attribute, "the size of the result is not clear");
        return Err(error.wanted("one of `size = [height, width]` and `scale = [y, x]`"));
    }
    let x = &call.arg(0).shape;
    let [height, width] = size(call);
    Ok(vec![copy::reshaped(call, 0, call.shape([x[0], height, width, x[3]])?)?])
}

/// The structure `Rows` of an image of `shape`.
pub(super) fn held(shape: &[usize]) -> Value {
    let fields = vec![("stride", Value::size(shape[2] * shape[3])), ("held", Value::size(shape[0] * shape[1]))];
    Value::Struct(Struct { name: "Rows", fields })
}

/// Height and width of the result.
pub(super) fn size(call: &Call<'_>) -> [usize; 2] {
    if !call.ints("size").is_empty() {
        return call.pair("size");
    }
    let (x, [y_scale, x_scale]) = (&call.arg(0).shape, call.pair("scale"));
    [x[1] * y_scale, x[2] * x_scale]
}

/// The index in a dimension of `from` elements for each of `to` (`GetNearestNeighbor`, in f32 as there).
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "as the reference computes it")]
fn sources(call: &Call<'_>, from: usize, to: usize) -> Vec<i32> {
    let align = call.bool("align_corners");
    let scale = if align && to > 1 { (from - 1) as f32 / (to - 1) as f32 } else { from as f32 / to as f32 };
    let offset = if call.bool("half_pixel_centers") { 0.5 } else { 0.0 };
    let source = |index: usize| {
        let position = (index as f32 + offset) * scale;
        let nearest = if align { position.round() } else { position.floor() };
        (nearest as i32).min(to_i32(from) - 1)
    };
    (0..to).map(source).collect()
}

pub(super) fn to_i32(size: usize) -> i32 {
    i32::try_from(size).unwrap_or(i32::MAX)
}
