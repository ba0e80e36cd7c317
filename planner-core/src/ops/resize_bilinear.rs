//! `resize_bilinear`: an image of another size, each pixel between four of the argument.

use super::kernel::by_type;
use super::resize_nearest::{ATTRS, held, infer, lead, size, to_i32};
use super::{ArgSpec, Call, Lower, Lowered, Operator, Results, Role, Signature};
use crate::diagnostic::Diagnostic;
use crate::dtype::DType;
use crate::emit::{Struct, Value};
use crate::model::TensorType;

/// See [`SIGNATURE`].
pub(super) struct ResizeBilinear;

static SIGNATURE: Signature = Signature {
    name: "resize_bilinear",
    doc: "An image of another size, each pixel a weighted mean of the four of the argument around it.",
    args: &[ArgSpec { name: "x", role: Role::Any, doc: "f32, i8, u8 or i16 `[batch, height, width, channel]`" }],
    attrs: ATTRS,
    results: Results::One,
};

impl Operator for ResizeBilinear {
    fn signature(&self) -> &'static Signature {
        &SIGNATURE
    }

    fn infer(&self, call: &Call<'_>) -> Result<Vec<TensorType>, Diagnostic> {
        call.want_dtype(0, &DType::REAL)?;
        infer(call)
    }

    fn macs(&self, call: &Call<'_>) -> u64 {
        4 * call.result(0).shape.elements() as u64
    }

    fn lower(&self, lower: &mut Lower<'_>) -> Result<Lowered, Diagnostic> {
        let x = lower.arg(0).clone();
        let [images, in_height, in_width] = [x.shape[0], x.shape[1], x.shape[2]];
        let [height, width] = size(lower);
        // TensorFlow Lite, which u8 comes from, computes in f32.
        let real = matches!(x.dtype, DType::F32 | DType::U8);
        let down = between(lower, real, in_height, height);
        let right = between(lower, real, in_width, width);
        let mut place = |name: &str, sides: &[Side], offset: fn(&Side) -> i32, images: usize| {
            let one = |image: usize| sides.iter().map(move |side| offset(side) + to_i32(image * in_height));
            let all: Vec<i32> = (0..images).flat_map(one).collect();
            Value::Slice(lower.static_i32(format!("{}_{name}", lower.result_name()), &all, false))
        };
        let rows = [place("above", &down, |side| side.low, images), place("below", &down, |side| side.high, images)];
        let columns = [place("left", &right, |side| side.low, 1), place("right", &right, |side| side.high, 1)];
        let between = Struct {
            name: "Bilinear",
            fields: vec![
                ("rows", Value::Array(rows.into())),
                ("columns", Value::Array(columns.into())),
                ("channels", Value::size(x.shape[3])),
                ("x", held(&x.shape)),
            ],
        };
        let mut weights = |name: &str, sides: &[Side], images: usize| {
            let all = || (0..images).flat_map(|_| sides);
            let name = format!("{}_{name}", lower.result_name());
            Value::Slice(if real {
                let values: Vec<f32> = all().map(|side| side.weight).collect();
                lower.static_f32(name, &values, false)
            } else {
                let values: Vec<i32> = all().map(|side| side.steps).collect();
                lower.static_i32(name, &values, false)
            })
        };
        let fields = vec![
            ("between", Value::Struct(between)),
            ("down", weights("down", &down, images)),
            ("right", weights("across", &right, 1)),
        ];
        let kernels = ["resize_bilinear_f32", "resize_bilinear_i8", "resize_bilinear_u8", "resize_bilinear_i16"];
        let (kernel, name) = (by_type(x.dtype, kernels), if real { "BilinearF32" } else { "BilinearInt" });
        let rows: Vec<[i32; 2]> = (0..images)
            .flat_map(|image| down.iter().map(move |side| side.ends().map(|end| end + to_i32(image * in_height))))
            .collect();
        let lead = lead(lower, rows.into_iter(), right.iter().map(Side::ends));
        Ok(Lowered::one(kernel, Struct { name, fields }, vec![0], images * height).lead(lower, 0, lead))
    }
}

/// Between which two elements one lies, and how far from the first: in f32, or in 1/1024.
struct Side {
    low: i32,
    high: i32,
    weight: f32,
    steps: i32,
}

impl Side {
    fn ends(&self) -> [i32; 2] {
        [self.low, self.high]
    }
}

/// For each of `to` elements, where it lies among `from`.
fn between(call: &Call<'_>, real: bool, from: usize, to: usize) -> Vec<Side> {
    let corners = call.bool("align_corners") && to > 1;
    let half = call.bool("half_pixel_centers");
    let [from, to] = if corners { [from - 1, to - 1] } else { [from, to] }.map(to_i32);
    let last = if corners { from } else { from - 1 };
    let count = if corners { to + 1 } else { to };
    (0..count)
        .map(|index| if real { in_f32(index, [from, to], last, half) } else { in_steps(index, [from, to], last, half) })
        .collect()
}

/// `ComputeInterpolationValues`.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "as the reference computes it")]
fn in_f32(index: i32, [from, to]: [i32; 2], last: i32, half: bool) -> Side {
    let scale = from as f32 / to as f32;
    let position = if half { (index as f32 + 0.5) * scale - 0.5 } else { index as f32 * scale };
    let low = (position.floor() as i32).max(0);
    Side { low, high: (position.ceil() as i32).min(last), weight: position - low as f32, steps: 0 }
}

/// `ComputeInterpolationValuesInteger`.
fn in_steps(index: i32, [from, to]: [i32; 2], last: i32, half: bool) -> Side {
    const ONE: i64 = 1024;
    let (from, to) = (i64::from(from), i64::from(to));
    let scale = (ONE * from + to / 2) / to;
    let position = i64::from(index) * scale + if half { scale / 2 - ONE / 2 } else { 0 };
    // Division is towards zero.
    let low = (position / ONE).max(0);
    let high = ((position + ONE - 1) / ONE).min(last.into());
    let narrow = |x: i64| i32::try_from(x).unwrap_or(i32::MAX);
    Side { low: narrow(low), high: narrow(high), weight: 0.0, steps: narrow(position - ONE * low) }
}
