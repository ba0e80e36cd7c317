//! Images of another size, each pixel between four of the argument.

use super::{Elements, Rows, Sink, Units};
use bytemuck::Pod;

/// Between which rows and columns of the argument those of the result lie.
#[derive(Clone, Copy, Debug)]
pub struct Bilinear<'a> {
    /// The argument's rows above and below each of the result's, all images of a batch in one.
    pub rows: [&'a [i32]; 2],
    /// The argument's columns left and right of each of the result's.
    pub columns: [&'a [i32]; 2],
    /// Elements of a pixel.
    pub channels: usize,
    /// The argument's rows.
    pub x: Rows,
}

/// Images of f32 or u8.
#[derive(Clone, Copy, Debug)]
pub struct BilinearF32<'a> {
    /// Which pixels.
    pub between: Bilinear<'a>,
    /// How far below the upper row each row lies.
    pub down: &'a [f32],
    /// How far right of the left column each column lies.
    pub right: &'a [f32],
}

/// Images of i8 or i16.
#[derive(Clone, Copy, Debug)]
pub struct BilinearInt<'a> {
    /// Which pixels.
    pub between: Bilinear<'a>,
    /// How far below the upper row each row lies, in 1/1024.
    pub down: &'a [i32],
    /// How far right of the left column each column lies, in 1/1024.
    pub right: &'a [i32],
}

/// `f` of the four pixels around each pixel, upper before lower and left before right, and its row and column.
#[inline(always)]
fn bilinear<T: Pod>(
    p: &Bilinear<'_>,
    x: impl Elements<T>,
    y: impl Sink<T>,
    units: Units,
    f: impl Fn([[T; 2]; 2], usize, usize) -> T,
) {
    let [left, right] = p.columns;
    for unit in units {
        let rows = p.rows.map(|rows| p.x.start(rows.at(unit).unsigned_abs() as usize));
        for column in units.along(0..left.len()) {
            let columns = [left, right].map(|columns| columns.at(column).unsigned_abs() as usize * p.channels);
            let to = (unit * left.len() + column) * p.channels;
            for channel in 0..p.channels {
                let pixels = rows.map(|row| columns.map(|column| x.at(row + column + channel)));
                y.put(to + channel, f(pixels, unit, column));
            }
        }
    }
}

/// Weighted means of four pixels. A unit is a row of the result, for which two rows of the argument are read.
pub fn resize_bilinear_f32(p: &BilinearF32<'_>, x: impl Elements<f32>, y: impl Sink<f32>, units: Units) {
    bilinear(&p.between, x, y, units, |pixels, row, column| p.mean(pixels, row, column));
}

/// As [`resize_bilinear_f32`], computed in f32 as TensorFlow Lite has it, rounded to nearest.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a mean of u8 is one")]
pub fn resize_bilinear_u8(p: &BilinearF32<'_>, x: impl Elements<u8>, y: impl Sink<u8>, units: Units) {
    bilinear(&p.between, x, y, units, |pixels, row, column| {
        (p.mean(pixels.map(|pair| pair.map(f32::from)), row, column) + 0.5) as u8
    });
}

/// Weighted means of four pixels, halves away from zero (`ResizeBilinearInteger`). A unit as that of
/// [`resize_bilinear_f32`].
#[allow(clippy::cast_possible_truncation, reason = "a mean of i8 is one")]
pub fn resize_bilinear_i8(p: &BilinearInt<'_>, x: impl Elements<i8>, y: impl Sink<i8>, units: Units) {
    bilinear(&p.between, x, y, units, |pixels, row, column| {
        let [[a, b], [c, d]] = p.weights(row, column);
        let [[e, f], [g, h]] = pixels.map(|pair| pair.map(i32::from));
        let sum = e * a + f * b + g * c + h * d;
        let half = if sum > 0 { 1 << 19 } else { -(1 << 19) };
        ((sum + half) / (1 << 20)) as i8
    });
}

/// As [`resize_bilinear_i8`].
#[allow(clippy::cast_possible_truncation, reason = "a mean of i16 is one")]
pub fn resize_bilinear_i16(p: &BilinearInt<'_>, x: impl Elements<i16>, y: impl Sink<i16>, units: Units) {
    bilinear(&p.between, x, y, units, |pixels, row, column| {
        let [[a, b], [c, d]] = p.weights(row, column).map(|pair| pair.map(i64::from));
        let [[e, f], [g, h]] = pixels.map(|pair| pair.map(i64::from));
        let sum = e * a + f * b + g * c + h * d;
        let half = if sum > 0 { 1 << 19 } else { -(1 << 19) };
        ((sum + half) / (1 << 20)) as i16
    });
}

impl BilinearF32<'_> {
    #[inline(always)]
    fn mean(&self, [[a, b], [c, d]]: [[f32; 2]; 2], row: usize, column: usize) -> f32 {
        let (down, right) = (self.down.at(row), self.right.at(column));
        let (up, left) = (1.0 - down, 1.0 - right);
        a * up * left + c * down * left + b * up * right + d * down * right
    }
}

impl BilinearInt<'_> {
    /// The weights of the four pixels, together 2^20.
    #[inline(always)]
    fn weights(&self, row: usize, column: usize) -> [[i32; 2]; 2] {
        let (down, right) = (self.down.at(row), self.right.at(column));
        let (up, left) = (1024 - down, 1024 - right);
        [[up * left, up * right], [down * left, down * right]]
    }
}
